package io.godwit.broker.effective;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.balance.RangeBalancer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Makes jars of plugins, compiled against plugin-api alone, as a plugin's own project would. */
public final class PluginJars {
    private PluginJars() {}

    /**
     * @param directory for what is made on the way
     * @param services the file in the jar that says what the plugin offers
     * @param service what it says; empty for no such file
     * @param sources by the names of classes
     */
    public static void make(Path directory, Path jar, String services, String service, Map<String, String> sources)
            throws IOException {
        Path work = Files.createTempDirectory(directory, "work");
        Path classes = Files.createDirectory(work.resolve("classes"));
        for (Map.Entry<String, String> source : sources.entrySet()) {
            String simpleName = source.getKey().substring(source.getKey().lastIndexOf('.') + 1);
            Files.writeString(work.resolve(simpleName + ".java"), source.getValue());
        }
        compile(classes, sourcesIn(work));
        if (!service.isEmpty()) {
            Path file = classes.resolve(services);
            Files.createDirectories(file.getParent());
            Files.writeString(file, service);
        }
        pack(classes, jar);
    }

    public static List<Path> sourcesIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }

    public static void compile(Path classes, List<Path> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assertThat(compiler).as("the tests must run on a JDK").isNotNull();
        StringWriter says = new StringWriter();
        String api = Path.of(URI.create(RangeBalancer.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toString()))
                .toString();
        try (var files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            boolean done = compiler.getTask(
                            says,
                            files,
                            null,
                            List.of("-d", classes.toString(), "-cp", api, "--release", "17", "-proc:none"),
                            null,
                            files.getJavaFileObjectsFromPaths(sources))
                    .call();
            assertThat(done).as(says.toString()).isTrue();
        }
    }

    public static void pack(Path classes, Path jar) throws IOException {
        Files.createDirectories(jar.getParent());
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> entries = Files.walk(classes)) {
            for (Path entry : entries.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(
                        new JarEntry(classes.relativize(entry).toString().replace('\\', '/')));
                Files.copy(entry, out);
            }
        }
    }
}
