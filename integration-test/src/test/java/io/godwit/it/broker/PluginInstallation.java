package io.godwit.it.broker;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** A distribution of its own for a test that puts plugins into it. Its brokers run the jars of the distribution. */
public final class PluginInstallation {
    private final Path directory;
    private final Path installation;
    private final Path plugins;

    /** Below {@code directory}. */
    public PluginInstallation(Path directory) throws IOException {
        this.directory = directory;
        installation = Files.createDirectory(directory.resolve("installation"));
        plugins = Files.createDirectory(installation.resolve("plugins"));
        Path distribution = BrokerProcess.distribution();
        for (String part : List.of("bin", "conf")) {
            Path to = Files.createDirectory(installation.resolve(part));
            try (Stream<Path> files = Files.list(distribution.resolve(part))) {
                for (Path file : files.toList()) {
                    Files.copy(file, to.resolve(file.getFileName()));
                    to.resolve(file.getFileName()).toFile().setExecutable(true);
                }
            }
        }
        Files.createSymbolicLink(installation.resolve("lib"), distribution.resolve("lib"));
        ClassArchive.letUse(installation.resolve("bin/standalone.sh"));
    }

    public Path path() {
        return installation;
    }

    /** Takes in a jar that is there. */
    public void take(Path jar) throws IOException {
        Files.copy(jar, plugins.resolve(jar.getFileName()));
    }

    /**
     * Compiles a plugin, against plugin-api alone.
     *
     * @param className of the one class that {@code source} has, in no package
     * @param services names of the factories' interfaces, and of the classes that are such
     */
    public void jar(String name, String className, String source, Map<String, List<String>> services)
            throws IOException {
        jarAgainst(Map.of(), name, className, source, services);
    }

    /** The same, with {@code Implementation-Version} in the manifest; takes the place of a jar of this name. */
    public void jarOfVersion(
            String version, String name, String className, String source, Map<String, List<String>> services)
            throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, version);
        Path work = Files.createDirectory(directory.resolve(name + "-" + version));
        write(work, manifest, Map.of(), name, className, source, services);
    }

    /**
     * The same, against a plugin-api of another version.
     *
     * @param others sources of what is different there, by the names of the types
     */
    public void jarAgainst(
            Map<String, String> others,
            String name,
            String className,
            String source,
            Map<String, List<String>> services)
            throws IOException {
        write(directory, new Manifest(), others, name, className, source, services);
    }

    /** @param work for what is compiled */
    private void write(
            Path work,
            Manifest manifest,
            Map<String, String> others,
            String name,
            String className,
            String source,
            Map<String, List<String>> services)
            throws IOException {
        Path classes = Files.createDirectory(work.resolve(name + "-classes"));
        Path sources = Files.createDirectory(work.resolve(name + "-sources"));
        Path file = Files.writeString(sources.resolve(className + ".java"), source);
        Path other = Files.createDirectory(work.resolve(name + "-api"));
        Path api;
        try (Stream<Path> libraries = Files.list(BrokerProcess.distribution().resolve("lib"))) {
            api = libraries
                    .filter(each -> each.getFileName().toString().startsWith("plugin-api-"))
                    .findFirst()
                    .orElseThrow();
        }
        for (Map.Entry<String, String> each : others.entrySet()) {
            Path otherFile = sources.resolve(each.getKey().replace('.', '/') + ".java");
            Files.createDirectories(otherFile.getParent());
            Files.writeString(otherFile, each.getValue());
            compile(other, List.of(api), otherFile);
        }
        compile(classes, List.of(other, api), file);
        Path jar = work.resolve(name + ".jar");
        try (OutputStream to = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(to, manifest);
                Stream<Path> entries = Files.walk(classes)) {
            for (Path entry : entries.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(entry).toString()));
                Files.copy(entry, out);
            }
            for (Map.Entry<String, List<String>> service : services.entrySet()) {
                out.putNextEntry(new JarEntry("META-INF/services/" + service.getKey()));
                out.write(String.join("\n", service.getValue()).getBytes(StandardCharsets.UTF_8));
            }
        }
        Files.move(jar, plugins.resolve(name + ".jar"), StandardCopyOption.REPLACE_EXISTING);
    }

    private static void compile(Path to, List<Path> classPath, Path file) throws IOException {
        var compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter says = new StringWriter();
        String path = classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        try (var files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<String> options = List.of("-d", to.toString(), "-cp", path, "--release", "17", "-proc:none");
            assertThat(compiler.getTask(says, files, null, options, null, files.getJavaFileObjects(file))
                            .call())
                    .as(says.toString())
                    .isTrue();
        }
    }

    /** What the API says of the plugin of this name, as {@code godwit-admin plugins --json} prints it. */
    public JsonObject use(BrokerProcess broker, String plugin) throws IOException {
        for (JsonElement use : itemWith(broker, plugin).getAsJsonArray("uses")) {
            if (isNamed(use, plugin)) {
                return use.getAsJsonObject();
            }
        }
        throw new AssertionError("unreachable: the item has it");
    }

    /** The version of the plugin of this name, from the same answer. */
    public String version(BrokerProcess broker, String plugin) throws IOException {
        return itemWith(broker, plugin).get("version").getAsString();
    }

    /** Asked without the command, whose start takes a second of both cores: tests look again and again. */
    private static JsonObject itemWith(BrokerProcess broker, String plugin) throws IOException {
        String url;
        try (Stream<String> lines = Files.lines(broker.data().resolve("godwit.api"))) {
            url = lines.filter(line -> line.startsWith("url=")).findFirst().orElseThrow();
        }
        HttpURLConnection connection =
                (HttpURLConnection) URI.create(url.substring("url=".length()) + "/api/v1/plugins")
                        .toURL()
                        .openConnection();
        JsonObject answer;
        try (InputStreamReader in = new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8)) {
            answer = JsonParser.parseReader(in).getAsJsonObject();
        }
        for (JsonElement each : answer.getAsJsonArray("items")) {
            for (JsonElement use : each.getAsJsonObject().getAsJsonArray("uses")) {
                if (isNamed(use, plugin)) {
                    return each.getAsJsonObject();
                }
            }
        }
        throw new AssertionError("no plugin " + plugin + " in " + answer);
    }

    private static boolean isNamed(JsonElement use, String plugin) {
        return use.getAsJsonObject().get("name").getAsString().equals(plugin);
    }
}
