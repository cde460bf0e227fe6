package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** The distribution beside a directory of plugins. */
final class PluginInstallation {
    private final Path home;

    /** @param home which is made */
    PluginInstallation(Path home) throws IOException {
        this.home = Files.createDirectory(home);
        Path distribution = BrokerProcess.distribution();
        for (String part : List.of("bin", "conf")) {
            Path to = Files.createDirectory(home.resolve(part));
            try (Stream<Path> files = Files.list(distribution.resolve(part))) {
                for (Path file : files.toList()) {
                    Files.copy(file, to.resolve(file.getFileName()));
                    to.resolve(file.getFileName()).toFile().setExecutable(true);
                }
            }
        }
        Files.createSymbolicLink(home.resolve("lib"), distribution.resolve("lib"));
        Files.createDirectory(home.resolve("plugins"));
    }

    Path home() {
        return home;
    }

    void add(Path jar) throws IOException {
        Files.copy(jar, home.resolve("plugins").resolve(jar.getFileName()));
    }

    /**
     * Compiles a jar against plugin-api alone.
     *
     * @param sources by the names of their classes
     * @param services the class by the factory that it is
     */
    void compile(String name, Map<String, String> sources, Map<String, String> services) throws IOException {
        Path work = Files.createTempDirectory(home, "work");
        Path classes = Files.createDirectory(work.resolve("classes"));
        Path api;
        try (Stream<Path> libraries = Files.list(BrokerProcess.distribution().resolve("lib"))) {
            api = libraries
                    .filter(file -> file.getFileName().toString().startsWith("plugin-api-"))
                    .findFirst()
                    .orElseThrow();
        }
        var compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter says = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            Path[] written = new Path[sources.size()];
            int i = 0;
            for (Map.Entry<String, String> source : sources.entrySet()) {
                written[i++] = Files.writeString(work.resolve(source.getKey() + ".java"), source.getValue());
            }
            List<String> options =
                    List.of("-d", classes.toString(), "-cp", api.toString(), "--release", "17", "-proc:none");
            assertThat(compiler.getTask(says, files, null, options, null, files.getJavaFileObjects(written))
                            .call())
                    .as(says.toString())
                    .isTrue();
        }
        try (OutputStream file = Files.newOutputStream(home.resolve("plugins").resolve(name));
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> entries = Files.walk(classes)) {
            for (Path entry : entries.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(entry).toString()));
                Files.copy(entry, out);
            }
            for (Map.Entry<String, String> service : services.entrySet()) {
                out.putNextEntry(new JarEntry("META-INF/services/" + service.getKey()));
                out.write((service.getValue() + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
    }
}
