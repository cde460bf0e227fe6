package io.godwit.broker.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the scripts of the Debian package have systemd do, in the order in which dpkg calls them, with stand-ins for the
 * programs that they call. {@code release/check-deb.sh} has the rest, with dpkg itself.
 */
class PackageScriptsTest {
    private static final Path SCRIPTS = Path.of("..", "release", "src", "deb", "control");

    /** What postinst creates. */
    private static final List<String> INSTALLED =
            List.of("var/lib/godwit", "var/log/godwit", "var/cache/godwit", "etc/godwit/passwd", "etc/godwit/tokens");

    @TempDir
    private Path place;

    private Path root;
    private Path calls;
    private Path state;

    @BeforeEach
    void installStandIns() throws Exception {
        calls = Files.createFile(place.resolve("calls"));
        state = Files.writeString(place.resolve("state"), "inactive");
        Files.createDirectories(place.resolve("run/systemd/system"));
        root = place.resolve("root");
        Files.createDirectories(root.resolve("etc/godwit"));
        install("systemctl", "case $1 in\nshow) cat " + state + " ;;\nesac");
        install(
                "deb-systemd-invoke",
                "echo \"$1\" >>" + calls + "\ncase $1 in\nstart) printf active >" + state
                        + " ;;\nstop) printf inactive >" + state + " ;;\nesac");
        install("deb-systemd-helper", "echo \"$1\" >>" + calls);
        for (String name : List.of("getent", "addgroup", "adduser", "chown")) {
            install(name, "");
        }
    }

    private void install(String name, String body) throws IOException {
        Path program = Files.createDirectories(place.resolve("bin")).resolve(name);
        Files.writeString(program, "#!/bin/sh\n" + body + "\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
    }

    private record Run(int code, String said) {}

    private void run(String name, String... words) throws Exception {
        Run run = attempt(name, words);
        assertThat(run.code()).as(run.said()).isZero();
    }

    /** Runs a script as on a system with systemd, but for the places that it writes to. */
    private Run attempt(String name, String... words) throws Exception {
        String text = Files.readString(SCRIPTS.resolve(name))
                .replace("/run/", place + "/run/")
                .replace("\"$root/", "\"" + root + "/");
        assertThat(text).doesNotContain("\"$root/");
        List<String> command = new ArrayList<>(
                List.of("sh", Files.writeString(place.resolve(name), text).toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove("DPKG_ROOT");
        builder.environment().put("PATH", place.resolve("bin") + ":/usr/bin:/bin");
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Run(process.exitValue(), said);
    }

    private List<String> calls() throws IOException {
        return Files.readAllLines(calls);
    }

    @Test
    void theFirstInstallationEnablesAndStarts() throws Exception {
        run("postinst", "configure", "");
        assertThat(calls()).containsExactly("enable", "start");
        for (String file : List.of("passwd", "tokens")) {
            assertThat(mode("etc/godwit/" + file)).isEqualTo("rw-r-----");
        }
        for (String directory : List.of("lib", "log", "cache")) {
            assertThat(mode("var/" + directory + "/godwit")).isEqualTo("rwx------");
        }
    }

    private String mode(String file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve(file)));
    }

    /** At each command in turn: dpkg repeats the script, which then finishes what it began. */
    @Test
    void anInstallationThatAPowerLossInterruptsIsRepeated() throws Exception {
        Path left = place.resolve("left");
        Path owned = place.resolve("owned");
        for (String name : List.of("rm", "mkdir", "chmod", "mv", "chown")) {
            // Nobody but root may give files away: which ones is noted instead, by their inodes.
            String noted = "exec stat -c %i \"$2\" >>" + owned;
            String effect = name.equals("chown") ? noted : "exec /bin/" + name + " \"$@\"";
            install(
                    name,
                    "left=$(cat " + left + ")\n[ \"$left\" != 0 ] || exit 1\necho $((left - 1)) >" + left + "\n"
                            + effect);
        }
        int commands = 0;
        while (true) {
            root = place.resolve("root" + commands);
            Files.createDirectories(root.resolve("etc/godwit"));
            Files.writeString(owned, "");
            Files.writeString(left, "" + commands);
            if (attempt("postinst", "configure", "").code() == 0) {
                break;
            }
            Files.writeString(left, "1000");
            run("postinst", "configure", "");

            List<String> inodes = Files.readAllLines(owned);
            for (String path : INSTALLED) {
                Object inode = Files.getAttribute(root.resolve(path), "unix:ino");
                assertThat(inodes).as("%s, cut at command %s", path, commands).contains(inode.toString());
                assertThat(mode(path)).isEqualTo(path.startsWith("var") ? "rwx------" : "rw-r-----");
                assertThat(root.resolve(path + ".new")).doesNotExist();
            }
            commands++;
        }
        assertThat(commands).as("commands that were cut").isGreaterThan(10);
    }

    @Test
    void anUpgradeKeepsTheModesThatAnAdministratorHasSet() throws Exception {
        run("postinst", "configure", "");
        for (String path : List.of("var/log/godwit", "etc/godwit/tokens")) {
            Files.setPosixFilePermissions(root.resolve(path), PosixFilePermissions.fromString("rwxr-x---"));
        }
        run("postinst", "configure", "1");
        assertThat(mode("var/log/godwit")).isEqualTo("rwxr-x---");
        assertThat(mode("etc/godwit/tokens")).isEqualTo("rwxr-x---");
    }

    /** Activating: systemd is about to restart it. Failed: the next release may repair it. */
    @ParameterizedTest
    @ValueSource(strings = {"active", "activating", "failed"})
    void anUpgradeStopsAndStarts(String before) throws Exception {
        Files.writeString(state, before);
        run("prerm", "upgrade", "2");
        run("postrm", "upgrade", "2");
        run("postinst", "configure", "1");
        assertThat(calls()).containsExactly("stop", "start");
    }

    @Test
    void whatWasStoppedBeforeAnUpgradeStaysSo() throws Exception {
        run("prerm", "upgrade", "2");
        run("postinst", "configure", "1");
        assertThat(calls()).doesNotContain("start");
        Files.writeString(state, "active");
        calls = Files.writeString(calls, "");
        run("prerm", "upgrade", "3");
        run("postinst", "configure", "2");
        assertThat(calls()).containsExactly("stop", "start");
    }

    @Test
    void aBrokerServesAgainAfterAnUpgradeOrARemovalThatDpkgGaveUp() throws Exception {
        Files.writeString(state, "active");
        run("prerm", "upgrade", "2");
        run("postinst", "abort-upgrade", "2");
        assertThat(calls()).containsExactly("stop", "start");
        calls = Files.writeString(calls, "");
        run("prerm", "remove");
        run("postinst", "abort-remove");
        assertThat(calls()).containsExactly("stop", "start");
    }

    /** If the prerm of this version fails, which may have stopped the broker, dpkg calls that of the next version. */
    @Test
    void aSecondTryOfAnUpgradeForgetsNotThatItRan() throws Exception {
        Files.writeString(state, "active");
        run("prerm", "upgrade", "2");
        run("prerm", "failed-upgrade", "1", "2");
        run("postinst", "configure", "1");
        assertThat(calls()).endsWith("start");
    }

    @Test
    void aRemovalLeavesNoNoteThatItWasStopped() throws Exception {
        Path note = place.resolve("run/godwit-stopped");
        run("prerm", "upgrade", "2");
        run("postrm", "upgrade", "2");
        assertThat(note).as("for the postinst of the upgrade").exists();
        run("postinst", "configure", "1");
        run("prerm", "remove");
        run("postrm", "remove");
        assertThat(note).doesNotExist();
        run("postinst", "configure", "1");
        assertThat(calls()).endsWith("start");
    }

    @Test
    void whatWasRemovedAndComesBackIsStarted() throws Exception {
        Files.writeString(state, "active");
        run("prerm", "remove");
        run("postrm", "remove");
        run("postinst", "configure", "1");
        assertThat(calls()).containsExactly("stop", "start");
    }
}
