package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.real.Programs;
import io.godwit.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The documents build as a site, by {@code mkdocs.yml}, and a link that leads nowhere fails the build. */
@Tag("full")
@Timeout(600)
class SiteTest {
    private static final Path ROOT =
            Path.of(System.getProperty("godwit.root")).toAbsolutePath().normalize();
    private static final Path INSTALLED = Programs.INSTALLED.resolve("mkdocs");

    @TempDir
    private Path directory;

    private record Built(int code, String said) {}

    @BeforeEach
    void needs() {
        Needs.need(Programs.find("python3") != null, "python3", ".ci/install-test-clients does it");
        Needs.need(Files.exists(INSTALLED.resolve("requirements.txt")), "mkdocs", ".ci/install-test-clients does it");
    }

    @Test
    void itIsBuiltWithoutAWarning() throws Exception {
        Path site = directory.resolve("site");
        Built built = build(ROOT, site);

        assertThat(built.code()).as(built.said()).isZero();
        for (String page : List.of("index", "get-started", "promises", "cli", "CHANGELOG", "adr/index")) {
            assertThat(site.resolve(page + ".html")).isNotEmptyFile();
        }
        assertThat(site.resolve("source/conf/standalone.yml"))
                .hasSameTextualContentAs(ROOT.resolve("conf/standalone.yml"));
        assertThat(Files.readString(site.resolve("get-started.html")))
                .as("the page loads nothing from other hosts")
                .doesNotContain("fonts.googleapis.com")
                .doesNotContainPattern("<(script|link)[^>]* (src|href)=\"https?:");
    }

    @Test
    void aLinkThatLeadsNowhereFails() throws Exception {
        Path root = copy();
        Path page = root.resolve("docs/glossary.md");
        Files.writeString(
                page, "\n[a](nowhere.md) [b](api.md#nowhere) [c](../nowhere.txt)\n", StandardOpenOption.APPEND);

        Built built = build(root, directory.resolve("site"));

        assertThat(built.code()).as(built.said()).isNotZero();
        assertThat(built.said()).contains("nowhere.md", "#nowhere", "nowhere.txt");
    }

    /** Of the sources, what the site is made of. */
    private Path copy() throws Exception {
        Path root = Files.createDirectory(directory.resolve("root"));
        List<String> command = new ArrayList<>(List.of("cp", "-r", "--parents", "mkdocs.yml", "docs_hooks.py"));
        command.addAll(List.of("docs", "conf/standalone.yml", "helm/godwit/values.yaml"));
        command.addAll(List.of("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"));
        command.add("api-server/src/main/resources/io/godwit/api/dashboard/icon.svg");
        command.add(root.toString());
        Process copying =
                new ProcessBuilder(command).directory(ROOT.toFile()).inheritIO().start();
        assertThat(copying.waitFor()).isZero();
        return root;
    }

    private Built build(Path root, Path site) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(
                        Objects.requireNonNull(Programs.find("python3")),
                        "-m",
                        "mkdocs",
                        "build",
                        "--strict",
                        "--clean",
                        "--config-file",
                        root.resolve("mkdocs.yml").toString(),
                        "--site-dir",
                        site.toString())
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("PYTHONPATH", INSTALLED.toString());
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1"); // the hooks lie in the sources
        Process process = builder.start();
        try {
            assertThat(process.waitFor(5, TimeUnit.MINUTES))
                    .as("the process has ended")
                    .isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
        return new Built(process.exitValue(), Files.readString(output));
    }
}
