package io.godwit.broker;

import io.godwit.broker.admin.NodeFacts;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plugins of a directory. Each jar in it is a plugin, and each directory in it that has jars, which then see each
 * other. A plugin has a class loader of its own: it sees the JDK and {@code io.godwit.plugin}, nothing else of the
 * broker and nothing of other plugins, so that it may bring any version of any library.
 *
 * <p>What a plugin offers is a factory, found by {@link ServiceLoader} and called by its name, or called by the name of
 * its class. The class path of the broker is looked at as well, for those who embed it. Used by the thread that starts
 * and closes the broker.
 */
final class PluginLoader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PluginLoader.class);

    /** Of one type in one plugin. */
    private static final int MAX_FACTORIES = 100;

    /**
     * @param name as the jar or the directory is called
     * @param version as the manifest of a jar says; empty when none does
     */
    private record Plugin(String name, List<String> jars, String version, URLClassLoader classes) {}

    private record Used(String source, NodeFacts.Use use) {}

    private final List<Plugin> plugins;
    /** Found so far. Copied by writers, since operators ask on other threads. */
    private final List<Used> used = new CopyOnWriteArrayList<>();

    private PluginLoader(List<Plugin> plugins) {
        this.plugins = plugins;
    }

    /** Without any. */
    static PluginLoader none() {
        return new PluginLoader(List.of());
    }

    /**
     * Opens all plugins, in the order of their names. Without such a directory there are none. No code of a plugin runs
     * before it is asked for.
     *
     * @throws IOException naming the jar that cannot be read
     */
    static PluginLoader open(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return none();
        }
        List<Plugin> plugins = new ArrayList<>();
        for (Path entry : list(directory)) {
            List<Path> jars = Files.isDirectory(entry) ? jarsOf(list(entry)) : jarsOf(List.of(entry));
            if (!jars.isEmpty()) {
                plugins.add(new Plugin(
                        fileName(entry),
                        jars.stream().map(PluginLoader::fileName).toList(),
                        versionOf(jars),
                        classesOf(entry, jars)));
            }
        }
        LOG.info(
                "plugins directory={} names={}",
                directory,
                plugins.stream().map(Plugin::name).toList());
        return new PluginLoader(plugins);
    }

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
        }
    }

    private static List<Path> jarsOf(List<Path> files) {
        return files.stream().filter(file -> fileName(file).endsWith(".jar")).toList();
    }

    private static String fileName(Path path) {
        return String.valueOf(path.getFileName());
    }

    private static String versionOf(List<Path> jars) throws IOException {
        for (Path jar : jars) {
            try (JarFile opened = new JarFile(jar.toFile())) {
                Manifest manifest = opened.getManifest();
                String version = manifest == null
                        ? null
                        : manifest.getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION);
                if (version != null) {
                    return version;
                }
            } catch (IOException e) {
                throw new IOException("the plugin " + jar + " cannot be read: " + e.getMessage(), e);
            }
        }
        return "";
    }

    /** What was loaded and what of it was found so far; also by other threads. */
    List<NodeFacts.Plugin> loaded() {
        return plugins.stream()
                .map(plugin -> new NodeFacts.Plugin(
                        plugin.name(),
                        plugin.jars(),
                        plugin.version(),
                        used.stream()
                                .filter(each -> each.source().equals(plugin.name()))
                                .map(Used::use)
                                .distinct()
                                .toList()))
                .toList();
    }

    /** {@code AuthProviderFactory} is {@code auth-provider}. */
    private static String kindOf(Class<?> type) {
        return type.getSimpleName()
                .replaceAll("Factory$", "")
                .replaceAll("([a-z])([A-Z])", "$1-$2")
                .toLowerCase(Locale.ROOT);
    }

    private static URLClassLoader classesOf(Path entry, List<Path> jars) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (Path jar : jars) {
            try {
                new JarFile(jar.toFile()).close(); // a class loader would pass over a broken one in silence
                urls.add(jar.toUri().toURL());
            } catch (IOException e) {
                throw new IOException("the plugin " + jar + " cannot be read: " + e.getMessage(), e);
            }
        }
        return new URLClassLoader(fileName(entry), urls.toArray(URL[]::new), new PluginApi());
    }

    /** What all plugins see: the JDK, and of the broker only the packages they are written against. */
    private static final class PluginApi extends ClassLoader {
        private static final String PACKAGES = "io.godwit.plugin.";

        PluginApi() {
            super("plugin-api", ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.startsWith(PACKAGES)) {
                return PluginLoader.class.getClassLoader().loadClass(name);
            }
            throw new ClassNotFoundException(name);
        }
    }

    /** A factory and where it comes from. */
    private record Found<F>(String source, F factory) {}

    /**
     * The factory that the configuration names, when it is none of those that come with the broker.
     *
     * @param key of the configuration, for messages
     * @param wanted what the factory calls itself, or the name of its class
     * @param type of factory
     * @param builtIn the names of those that come with the broker, for messages
     * @throws IOException if there is none, telling which there are, or more than one
     */
    <F> F find(String key, String wanted, Class<F> type, Function<F, String> nameOf, List<String> builtIn)
            throws IOException {
        Map<String, List<String>> names = new LinkedHashMap<>();
        List<String> problems = new ArrayList<>();
        List<Found<F>> found = new ArrayList<>();
        look("the class path", PluginLoader.class.getClassLoader(), wanted, type, nameOf, names, problems)
                .ifPresent(found::add);
        for (Plugin plugin : plugins) {
            look(plugin.name(), plugin.classes(), wanted, type, nameOf, names, problems)
                    .ifPresent(found::add);
        }
        if (found.size() > 1) {
            throw new IOException(key + ": \"" + wanted + "\" is in more than one place: "
                    + found.stream().map(Found::source).toList());
        }
        if (found.isEmpty()) {
            throw new IOException(missing(key, wanted, type, builtIn, names, problems));
        }
        problems.forEach(problem -> LOG.warn("plugin passed over problem={}", problem));
        Found<F> one = found.get(0);
        LOG.info("plugin used key={} name={} source={}", key, wanted, one.source());
        used.add(new Used(one.source(), new NodeFacts.Use(kindOf(type), wanted)));
        return one.factory();
    }

    private static <F> Optional<Found<F>> look(
            String source,
            @Nullable ClassLoader classes,
            String wanted,
            Class<F> type,
            Function<F, String> nameOf,
            Map<String, List<String>> names,
            List<String> problems) {
        List<String> here = names.computeIfAbsent(source, each -> new ArrayList<>());
        Iterator<F> factories = ServiceLoader.load(type, classes).iterator();
        for (int i = 0; i < MAX_FACTORIES; i++) { // an iterator that has thrown may throw for ever
            try {
                if (!factories.hasNext()) {
                    break;
                }
                F factory = factories.next();
                String name = nameOf.apply(factory);
                here.add(name);
                if (name.equals(wanted) || factory.getClass().getName().equals(wanted)) {
                    return Optional.of(new Found<>(source, factory));
                }
            } catch (ServiceConfigurationError | LinkageError | RuntimeException e) { // the plugin's code
                problems.add(source + ": " + e);
            }
        }
        return byClass(source, classes, wanted, type, problems);
    }

    /** A factory that is not listed as a service, by the name of its class. */
    private static <F> Optional<Found<F>> byClass(
            String source, @Nullable ClassLoader classes, String wanted, Class<F> type, List<String> problems) {
        if (!wanted.contains(".")) {
            return Optional.empty();
        }
        try {
            Class<?> named = Class.forName(wanted, true, classes);
            if (!type.isAssignableFrom(named)) {
                problems.add(source + ": " + wanted + " is no " + type.getSimpleName());
                return Optional.empty();
            }
            return Optional.of(
                    new Found<>(source, type.cast(named.getConstructor().newInstance())));
        } catch (ClassNotFoundException e) {
            return Optional.empty();
        } catch (ReflectiveOperationException | LinkageError | RuntimeException e) { // the plugin's code
            problems.add(source + ": " + wanted + " cannot be made: " + e);
            return Optional.empty();
        }
    }

    private String missing(
            String key,
            String wanted,
            Class<?> type,
            List<String> builtIn,
            Map<String, List<String>> names,
            List<String> problems) {
        StringBuilder text = new StringBuilder(key + ": there is no " + type.getSimpleName() + " \"" + wanted + "\"");
        text.append("; built in: ").append(builtIn);
        names.forEach((source, found) -> {
            if (!found.isEmpty() || !source.equals("the class path")) {
                text.append("; in ").append(source).append(": ").append(found.isEmpty() ? "none" : found);
            }
        });
        if (plugins.isEmpty()) {
            text.append("; there are no plugins");
        }
        problems.forEach(problem -> text.append("; passed over: ").append(problem));
        return text.toString();
    }

    /** After what came out of it has been closed. */
    @Override
    public void close() throws IOException {
        for (Plugin plugin : plugins) {
            plugin.classes().close();
        }
    }
}
