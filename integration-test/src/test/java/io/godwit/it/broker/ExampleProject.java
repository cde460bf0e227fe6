package io.godwit.it.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Sample plugins under {@code docs/examples}, built by their own poms, as whoever copies one does, but without a
 * network and without an install of {@code plugin-api} by hand: Maven is given a local repository of links to the one
 * in use, which has its plugins since this build took them, in which {@code plugin-api} alone is laid out anew, out of
 * the distribution.
 */
public final class ExampleProject {
    private static final long PATIENCE_SECONDS = 120;
    private static final Path EXAMPLES = Path.of(System.getProperty("user.dir")).resolveSibling("docs/examples");

    private ExampleProject() {}

    /** Builds the example below {@code directory}, which is there and empty, and returns its jar. */
    public static Path build(Path directory, String example) throws IOException, InterruptedException {
        return build(directory, List.of(example)).get(0);
    }

    /** Builds examples, each by its own pom.xml, in one run of Maven, and returns their jars in the same order. */
    public static List<Path> build(Path directory, List<String> examples) throws IOException, InterruptedException {
        for (String example : examples) {
            Path sources = EXAMPLES.resolve(example);
            Path project = directory.resolve(example);
            copy(sources.resolve("pom.xml"), project.resolve("pom.xml"));
            try (Stream<Path> files = Files.walk(sources.resolve("src"))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    copy(file, project.resolve(sources.relativize(file).toString()));
                }
            }
        }
        Path all = Files.writeString(directory.resolve("pom.xml"), aggregator(examples));
        Path said = directory.resolve("maven.out");
        List<String> command = new ArrayList<>(maven(directory.resolve("repository")));
        command.addAll(List.of("-f", all.toString(), "package"));
        ProcessBuilder maven =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile());
        maven.environment().put("JAVA_HOME", System.getProperty("java.home"));
        maven.environment().put("MAVEN_OPTS", BrokerProcess.SHORT_LIVED);
        Process build = maven.start();
        if (!build.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            build.destroyForcibly();
        }
        assertThat(build.waitFor()).as(Files.readString(said)).isZero();
        List<Path> jars = new ArrayList<>();
        for (String example : examples) {
            try (Stream<Path> files = Files.list(directory.resolve(example).resolve("target"))) {
                jars.add(files.filter(file -> file.getFileName().toString().endsWith("-1.0.0.jar"))
                        .findFirst()
                        .orElseThrow());
            }
        }
        return jars;
    }

    /** Only names them: they do not have it as their parent. */
    private static String aggregator(List<String> modules) {
        StringBuilder pom = new StringBuilder("""
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                    <modelVersion>4.0.0</modelVersion>
                    <groupId>org.example</groupId>
                    <artifactId>examples</artifactId>
                    <version>1</version>
                    <packaging>pom</packaging>
                    <modules>
                """);
        modules.forEach(module -> pom.append("        <module>").append(module).append("</module>\n"));
        return pom.append("    </modules>\n</project>\n").toString();
    }

    /**
     * The command of Maven without a network, with the options for a local repository that has {@code plugin-api}.
     *
     * @param repository not there yet
     */
    public static List<String> maven(Path repository) throws IOException {
        String home = System.getProperty("maven.home");
        String program = home == null ? "mvn" : Path.of(home, "bin", "mvn").toString();
        return List.of(program, "-o", "-B", "-Dmaven.repo.local=" + repository(repository));
    }

    private static Path repository(Path view) throws IOException {
        String used = System.getProperty("localRepository"); // surefire tells
        Path real = used == null ? Path.of(System.getProperty("user.home"), ".m2/repository") : Path.of(used);
        Path ours = Files.createDirectories(view.resolve("io/godwit"));
        link(real, view, Set.of("io"));
        link(real.resolve("io"), view.resolve("io"), Set.of("godwit"));

        Path jar = pluginApi();
        String name = jar.getFileName().toString();
        String version = name.substring("plugin-api-".length(), name.length() - ".jar".length());
        Path api = ours.resolve("plugin-api/" + version);
        copy(jar, api.resolve(name));
        Path sources = Path.of(System.getProperty("user.dir")).resolveSibling("pom.xml");
        copy(sources.resolveSibling("plugin-api/pom.xml"), api.resolve("plugin-api-" + version + ".pom"));
        copy(sources, ours.resolve("godwit-parent/" + version + "/godwit-parent-" + version + ".pom"));
        return view;
    }

    private static void link(Path from, Path to, Set<String> except) throws IOException {
        if (Files.isDirectory(from)) {
            try (Stream<Path> entries = Files.list(from)) {
                for (Path entry : entries.toList()) {
                    String name = entry.getFileName().toString();
                    if (!except.contains(name)) {
                        Files.createSymbolicLink(to.resolve(name), entry);
                    }
                }
            }
        }
    }

    private static Path pluginApi() throws IOException {
        try (Stream<Path> jars = Files.list(BrokerProcess.distribution().resolve("lib"))) {
            List<Path> found = jars.filter(jar -> jar.getFileName().toString().matches("plugin-api-.*\\.jar"))
                    .toList();
            assertThat(found).hasSize(1);
            return found.get(0);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        Files.copy(from, to);
    }
}
