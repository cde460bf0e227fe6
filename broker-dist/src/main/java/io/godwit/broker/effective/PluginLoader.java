package io.godwit.broker.effective;

import io.godwit.broker.admin.rpc.NodeFacts;
import io.godwit.broker.config.key.EnumNames;
import io.godwit.broker.plugin.ExitScan;
import io.godwit.broker.plugin.PluginHost;
import io.godwit.broker.plugin.instance.PluginHome;
import io.godwit.broker.plugin.instance.PluginState;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
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
 * Loads the plugins of a directory. Each jar in it is a plugin; so is each directory in it with jars, which then see
 * each other. A plugin has its own class loader: it sees the JDK and {@code io.godwit.plugin}, nothing else of the
 * broker and nothing of other plugins, so it may bring any version of any library.
 *
 * <p>A plugin offers factories. {@link ServiceLoader} finds them, and the configuration refers to one by its name or
 * the name of its class. The class path of the broker is searched too, for those who embed it. Used by the thread that
 * starts and closes the broker.
 */
public final class PluginLoader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PluginLoader.class);

    /** Bound of factories of one type in one plugin. */
    private static final int MAX_FACTORIES = 100;

    /**
     * @param name the name of the jar or the directory
     * @param version from the manifest of the first jar that has one; empty if none has
     */
    private record Plugin(String name, List<String> jars, String version, URLClassLoader classes) {}

    private static final String CLASS_PATH = "the class path";

    private record Used(String source, NodeFacts.Use use) {}

    private final List<Plugin> plugins;
    /** Null if the plugins are only inspected. */
    private final @Nullable PluginHost host;
    /** The factories handed out so far, by type and wanted name. Confined to the thread that starts the broker. */
    private final Map<String, Object> adopted = new LinkedHashMap<>();
    /**
     * Names of the configuration for which no factory was found, or several, and those of factories that the host has
     * refused. Confined to that thread too.
     */
    private final Set<String> missing = new HashSet<>();
    /** The factories found so far. Copied on write, since operators read it on other threads. */
    private final List<Used> used = new CopyOnWriteArrayList<>();

    private PluginLoader(List<Plugin> plugins, @Nullable PluginHost host) {
        this.plugins = plugins;
        this.host = host;
    }

    /** A loader without plugins. */
    static PluginLoader none() {
        return new PluginLoader(List.of(), null);
    }

    /** As {@link #open(Path, PluginHost)}, but hands out the factories of plugins without guards. */
    public static PluginLoader open(Path directory) throws IOException {
        return open(directory, null);
    }

    /**
     * Opens all plugins, in the order of their names; without the directory there are none. No code of a plugin runs
     * before one of its factories is asked for.
     *
     * @param host adopts the factories, so that guarded ones are handed out
     * @throws IOException naming a jar that cannot be read, or that has code to end the process
     */
    public static PluginLoader open(Path directory, @Nullable PluginHost host) throws IOException {
        if (!Files.isDirectory(directory)) {
            return new PluginLoader(List.of(), host);
        }
        List<Plugin> plugins = new ArrayList<>();
        for (Path entry : list(directory)) {
            List<Path> jars = Files.isDirectory(entry) ? jarsOf(list(entry)) : jarsOf(List.of(entry));
            if (!jars.isEmpty()) {
                for (Path jar : jars) {
                    refuseWhatExits(jar);
                }
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
        return new PluginLoader(plugins, host);
    }

    private static void refuseWhatExits(Path jar) throws IOException {
        Optional<String> found;
        try {
            found = ExitScan.of(jar);
        } catch (IOException e) {
            throw new IOException("the plugin " + jar + " cannot be read: " + e.getMessage(), e);
        }
        if (found.isPresent()) {
            throw new IOException("the plugin " + jar + " is refused, since it could end the broker: " + found.get());
        }
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

    /**
     * The plugins, and the factories found in them so far. Factories from the class path come last, if any is in use.
     * Any thread.
     */
    public List<NodeFacts.Plugin> loaded() {
        List<NodeFacts.Plugin> all = new ArrayList<>();
        for (Plugin plugin : plugins) {
            all.add(new NodeFacts.Plugin(plugin.name(), plugin.jars(), plugin.version(), uses(plugin.name())));
        }
        List<NodeFacts.Use> own = uses(CLASS_PATH);
        if (!own.isEmpty()) {
            all.add(new NodeFacts.Plugin(CLASS_PATH, List.of(), "", own));
        }
        return all;
    }

    private List<NodeFacts.Use> uses(String source) {
        if (host != null) {
            return host.states(source).stream().map(PluginLoader::use).toList();
        }
        return used.stream()
                .filter(each -> each.source().equals(source))
                .map(Used::use)
                .distinct()
                .toList();
    }

    private static NodeFacts.Use use(PluginState state) {
        return new NodeFacts.Use(
                state.kind(),
                state.name(),
                EnumNames.of(state.health()),
                state.detail(),
                state.isInline(),
                state.calls(),
                state.millis(),
                state.faults(),
                state.lastFault(),
                state.circuitName());
    }

    /** {@code AuthProviderFactory} becomes {@code auth-provider}. */
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
                new JarFile(jar.toFile()).close(); // a class loader would silently skip a broken jar
                urls.add(jar.toUri().toURL());
            } catch (IOException e) {
                throw new IOException("the plugin " + jar + " cannot be read: " + e.getMessage(), e);
            }
        }
        return new URLClassLoader(fileName(entry), urls.toArray(URL[]::new), new PluginApi());
    }

    /** The class loader above all plugins: it sees the JDK, and of the broker only the packages of the plugin API. */
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

    /** A factory with its own name and the plugin that it comes from. */
    private record Found<F>(String source, String name, F factory) {}

    /**
     * Finds the factory that the configuration names, if it is not a built-in one. Hands out the same object for the
     * same type and name.
     *
     * @param key of the configuration, for messages
     * @param wanted the name of the factory, or of its class
     * @param type of the factory
     * @param builtIn the names of the built-in ones, for messages
     * @throws IOException if there is none, naming those that exist, or more than one
     */
    <F> F find(String key, String wanted, Class<F> type, Function<F, String> nameOf, List<String> builtIn)
            throws IOException {
        String which = type.getName() + " " + wanted;
        Object before = adopted.get(which);
        if (before != null) {
            return type.cast(before);
        }
        Found<F> one = look(key, wanted, type, nameOf, builtIn);
        if (host == null) {
            return one.factory();
        }
        try {
            F guarded = host.adopt(
                    type,
                    kindOf(type),
                    one.name(),
                    one.factory(),
                    new PluginHome(one.source(), one.factory().getClass().getClassLoader()));
            adopted.put(which, guarded);
            return guarded;
        } catch (IOException e) {
            missing.add(one.name());
            throw e;
        }
    }

    /**
     * Checks that each section of the configuration is for a plugin in use. To be called when all plugins that the
     * configuration names were searched. A section for a plugin that is missing or was refused is no further mistake.
     *
     * @throws IOException naming all other sections
     */
    public void checkSections() throws IOException {
        boolean isClassMissing = missing.stream().anyMatch(name -> name.contains("."));
        if (host != null && !isClassMissing) { // the name of the plugin is not known then, and so not its section
            host.checkSections(missing, this::keysFor);
        }
    }

    /** The keys of the configuration that could name a plugin that is there; its code is run to get its name. */
    private List<String> keysFor(String name) {
        List<String> keys = new ArrayList<>();
        for (NamedPlugins<?> each : NamedPlugins.ALL) {
            if (isThere(name, each)) {
                keys.add(each.key());
            }
        }
        return keys;
    }

    private <F> boolean isThere(String name, NamedPlugins<F> kind) {
        Optional<Found<F>> found = offered(CLASS_PATH, PluginLoader.class.getClassLoader(), name, kind);
        for (Plugin plugin : plugins) {
            found = found.or(() -> offered(plugin.name(), plugin.classes(), name, kind));
        }
        return found.isPresent();
    }

    /** Finds only what takes settings. */
    private static <F> Optional<Found<F>> offered(
            String source, @Nullable ClassLoader classes, String name, NamedPlugins<F> kind) {
        return look(source, classes, name, kind.type(), kind.nameOf(), new LinkedHashMap<>(), new ArrayList<>())
                .filter(found -> found.factory() instanceof io.godwit.plugin.context.Plugin);
    }

    private <F> Found<F> look(
            String key, String wanted, Class<F> type, Function<F, String> nameOf, List<String> builtIn)
            throws IOException {
        Map<String, List<String>> names = new LinkedHashMap<>();
        List<String> problems = new ArrayList<>();
        List<Found<F>> found = new ArrayList<>();
        look(CLASS_PATH, PluginLoader.class.getClassLoader(), wanted, type, nameOf, names, problems)
                .ifPresent(found::add);
        for (Plugin plugin : plugins) {
            look(plugin.name(), plugin.classes(), wanted, type, nameOf, names, problems)
                    .ifPresent(found::add);
        }
        if (found.size() != 1) {
            missing.add(wanted);
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
        used.add(new Used(one.source(), NodeFacts.Use.of(kindOf(type), wanted)));
        return one;
    }

    private static <F> Optional<Found<F>> look(
            String source,
            @Nullable ClassLoader classes,
            String wanted,
            Class<F> type,
            Function<F, String> nameOf,
            Map<String, List<String>> names,
            List<String> problems) {
        Thread here = Thread.currentThread();
        ClassLoader before = here.getContextClassLoader();
        here.setContextClassLoader(classes);
        try {
            return lookAs(source, classes, wanted, type, nameOf, names, problems);
        } finally {
            here.setContextClassLoader(before);
        }
    }

    private static <F> Optional<Found<F>> lookAs(
            String source,
            @Nullable ClassLoader classes,
            String wanted,
            Class<F> type,
            Function<F, String> nameOf,
            Map<String, List<String>> names,
            List<String> problems) {
        List<String> found = names.computeIfAbsent(source, each -> new ArrayList<>());
        Iterator<F> factories = ServiceLoader.load(type, classes).iterator();
        for (int i = 0; i < MAX_FACTORIES; i++) { // an iterator that has thrown may throw forever
            try {
                if (!factories.hasNext()) {
                    break;
                }
                F factory = factories.next();
                String name = nameOf.apply(factory);
                found.add(name);
                if (name.equals(wanted) || factory.getClass().getName().equals(wanted)) {
                    return Optional.of(new Found<>(source, name, factory));
                }
            } catch (Throwable e) { // code of the plugin may throw anything
                problems.add(source + ": " + e);
            }
        }
        return byClass(source, classes, wanted, type, nameOf, problems);
    }

    /** A factory that is not registered as a service, by the name of its class. */
    private static <F> Optional<Found<F>> byClass(
            String source,
            @Nullable ClassLoader classes,
            String wanted,
            Class<F> type,
            Function<F, String> nameOf,
            List<String> problems) {
        if (!wanted.contains(".")) {
            return Optional.empty();
        }
        try {
            Class<?> named = Class.forName(wanted, true, classes);
            if (!type.isAssignableFrom(named)) {
                problems.add(source + ": " + wanted + " is no " + type.getSimpleName());
                return Optional.empty();
            }
            F factory = type.cast(named.getConstructor().newInstance());
            return Optional.of(new Found<>(source, nameOf.apply(factory), factory));
        } catch (ClassNotFoundException e) {
            return Optional.empty();
        } catch (Throwable e) { // code of the plugin may throw anything
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
            if (!found.isEmpty() || !source.equals(CLASS_PATH)) {
                text.append("; in ").append(source).append(": ").append(found.isEmpty() ? "none" : found);
            }
        });
        if (plugins.isEmpty()) {
            text.append("; there are no plugins");
        }
        problems.forEach(problem -> text.append("; passed over: ").append(problem));
        return text.toString();
    }

    /** Called after all objects made by plugins have been closed. */
    @Override
    public void close() throws IOException {
        for (Plugin plugin : plugins) {
            plugin.classes().close();
        }
    }
}
