package io.godwit.broker.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs {@code bin/standalone.sh} as root on the data of another user, as on a machine where a package has created a
 * user for the broker. Needs root.
 */
class StandaloneOwnerTest {
    private static final String OWNER = "nobody";

    @TempDir
    private Path place;

    private Path script;
    private Path data;
    private String cache = "off";

    private record Run(int code, String said) {}

    @BeforeEach
    void giveTheDataToAnother() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root has rights to give up");
        open(place);
        Path bin = open(Files.createDirectory(place.resolve("bin")));
        script = open(Files.copy(Path.of("..", "bin", "standalone.sh"), bin.resolve("standalone.sh")));
        Path java = Files.writeString(bin.resolve("java"), """
                        #!/usr/bin/env bash
                        case "$*" in
                        -version) echo 'openjdk version "17.0.1"' ;;
                        *Main*) echo "broker of $(id -un), libraries: $LD_LIBRARY_PATH" ;;
                        esac
                        """);
        open(java);
        data = Files.createDirectory(place.resolve("data"));
        UserPrincipal owner =
                place.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(OWNER);
        Files.setOwner(data, owner);
    }

    private static Path open(Path path) throws IOException {
        return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Process begin(List<String> words) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", place.toString());
        builder.environment().put("GODWIT_CACHE", cache);
        builder.environment().remove("LD_LIBRARY_PATH");
        return builder.start();
    }

    private Run run(String... words) throws Exception {
        List<String> all = new ArrayList<>(List.of("bash", script.toString()));
        all.addAll(List.of(words));
        all.addAll(List.of("--data", data.toString()));
        Process process = begin(all);
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Run(process.exitValue(), said);
    }

    @Test
    void aStartByRootIsOneByTheOwnerOfTheData() throws Exception {
        Run run = run("start", "-f", "--log", "-");
        assertThat(run.code()).as(run.said()).isZero();
        assertThat(run.said()).contains("as the user " + OWNER, "broker of " + OWNER);
        try (Stream<Path> files = Files.list(data)) {
            List<Path> all = files.toList();
            assertThat(all)
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(Files.getOwner(file).getName())
                            .as(file.toString())
                            .isEqualTo(OWNER));
        }
    }

    @Test
    void theOwnerCannotLeadADrainByRootToAnotherFile() throws Exception {
        Path victim = Files.writeString(place.resolve("victim"), "of root");
        Files.createSymbolicLink(data.resolve("godwit.drain.next"), victim);
        // What it looks like to the script.
        Process broker = begin(List.of(
                "setpriv",
                "--reuid=" + OWNER,
                "--clear-groups",
                "bash",
                "-c",
                "read",
                "io.godwit.broker.Main",
                "--data=" + data));
        try {
            Files.writeString(data.resolve("godwit.pid"), broker.pid() + "\n");
            Files.writeString(data.resolve("godwit.status"), "pid=" + broker.pid() + "\nstate=ready\n");
            Run run = run("stop", "--drain", "1");
            assertThat(run.said()).contains("cannot write to " + data);
            assertThat(victim).hasContent("of root");
        } finally {
            broker.destroyForcibly();
        }
    }

    @Test
    void dataOfRootStaysWithRoot() throws Exception {
        Files.setOwner(data, Files.getOwner(place));
        assertThat(run("start", "-f", "--log", "-").said()).contains("broker of root");
    }

    /** The broker's user could exchange the libraries there, and would be root as soon as root runs a broker. */
    @Test
    void rootLoadsNothingFromACacheOfAnotherUser() throws Exception {
        UserPrincipal root = Files.getOwner(place);
        Files.setOwner(data, root);
        Path jars = Files.createDirectory(place.resolve("lib"));
        Files.createFile(jars.resolve("broker-dist-1.jar"));
        Files.createFile(jars.resolve("rocksdbjni-1.jar"));
        Path shared = Files.createDirectory(place.resolve("cache"));
        Path libraries = Files.createDirectory(shared.resolve("rocksdbjni-1"));
        cache = shared.toString();
        assertThat(run("start", "-f", "--log", "-").said()).contains("libraries: " + libraries);
        Files.setOwner(
                shared, place.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(OWNER));
        assertThat(run("start", "-f", "--log", "-").said())
                .contains("broker of root")
                .doesNotContain(libraries.toString());
    }
}
