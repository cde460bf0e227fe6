package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Which build {@code bin/standalone.sh} runs in a checkout, and when it builds: with a {@code mvn} and a {@code java}
 * that take notes.
 */
class CheckoutStartTest {
    /** A build can be reproduced: all its files have this time. */
    private static final FileTime BUILD_TIME = FileTime.from(Instant.parse("2026-01-01T00:00:00Z"));

    @TempDir
    private Path home;

    private final Map<String, String> environment = new HashMap<>();
    private Path root;
    private Path source;
    private Path script;
    private String umask = "022";

    @BeforeEach
    void makeCheckout() throws IOException {
        root = home.resolve("my checkout");
        source = file("my checkout/base-kv/src/main/java/A.java", "1");
        file("my checkout/pom.xml", "");
        file("my checkout/conf/standalone.yml", "");
        Path ours = Path.of(System.getProperty("godwit.root"), "bin", "standalone.sh");
        Files.createDirectories(root.resolve("bin"));
        script = Files.copy(ours, root.resolve("bin/standalone.sh"));
        executable(
                "mvn",
                "echo built >>" + home + "/builds\n" + "mkdir -p '" + lib("quick/") + "'\n"
                        + "echo jar >'" + lib("quick/") + "/godwit.jar'\n"
                        + "touch -d 2026-01-01 '" + lib("quick/") + "/godwit.jar'\n");
        executable("java", jvm("17.0.1"));
    }

    /** One that tells its version, and notes what it was called with. */
    private String jvm(String version) {
        return """
                if [ "$1" = -version ]; then echo 'openjdk version "%s"' >&2; exit 0; fi
                case "$*" in *" --check "*) echo "$*" >%s/checked; exit 0;; esac
                echo "$0 $*" >%s/started
                exit 1
                """.formatted(version, home, home);
    }

    @Test
    void theNewestBuildIsRunAndAChangeIsBuiltFirst() throws Exception {
        builtByHand();
        assertThat(started()).contains(lib(""));
        assertThat(builds()).isZero();

        Files.writeString(source, "2");
        assertThat(started()).contains(lib("quick/"));
        assertThat(builds()).isOne();
        assertThat(started()).contains(lib("quick/"));
        assertThat(builds()).isOne();

        builtByHand();
        assertThat(started()).contains(lib(""));
        assertThat(builds()).isOne();
    }

    /** What an operator changes is read from where it lies. */
    @Test
    void aChangeOfTheConfigurationBuildsNothing() throws Exception {
        builtByHand();
        for (String edited : List.of("standalone.yml", "passwd", "acl", "logback.xml")) {
            file("my checkout/conf/" + edited, "edited");
        }
        assertThat(started())
                .contains(lib(""))
                .contains("--config " + root.resolve("conf/standalone.yml"))
                .contains("-Dlogback.configurationFile=" + root.resolve("conf/logback.xml"));
        assertThat(builds()).isZero();
    }

    /** A key that once lay in conf, for instance. */
    @Test
    void whatAnEarlierBuildTookFromTheConfigurationGoes() throws Exception {
        Path key = file("my checkout/broker-dist/target/quick/godwit-1/conf/server.key", "secret");
        started();
        assertThat(builds()).isOne();
        assertThat(key).doesNotExist();
    }

    /** Has the command line of a broker on the directory that is $0, and waits. */
    private static final String STAND_IN =
            "exec -a io.godwit.broker.Main bash -c 'exec {p}<> <(:); read -r _ <&$p' --data \"$0\"";

    private Process standIn(String data) throws IOException {
        return new ProcessBuilder("bash", "-c", STAND_IN, home + "/" + data).start();
    }

    /** A directory was copied with its pid file, or the number of a killed broker now belongs to another one. */
    @Test
    void aStopEndsNoBrokerOfAnotherDirectory() throws Exception {
        Process other = standIn("other data");
        try {
            Path commandLine = Path.of("/proc", Long.toString(other.pid()), "cmdline");
            Await.until("the other broker", () -> Files.readString(commandLine).startsWith("io.godwit.broker.Main"));
            file("my data/godwit.pid", Long.toString(other.pid()));
            file("my data/godwit.status", "pid=" + other.pid() + "\nstate=ready\n");
            file("my data/godwit.starting", Long.toString(other.pid()));
            assertThat(said("status")).contains("not running");
            assertThat(said("stop")).contains("not running");
            assertThat(other.isAlive()).isTrue();

            Files.createSymbolicLink(home.resolve("another name"), home.resolve("other data"));
            Files.createDirectories(home.resolve("other data"));
            file("other data/godwit.pid", Long.toString(other.pid()));
            ProcessBuilder stop = script("stop");
            stop.command().set(stop.command().indexOf("my data"), "another name");
            assertThat(stop.start().waitFor()).isZero();
            assertThat(other.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            other.destroyForcibly();
        }
    }

    @Test
    void aRestartBuildsBeforeItStops() throws Exception {
        Process running = standIn("my data");
        try {
            file("my data/godwit.pid", Long.toString(running.pid()));
            Path tool = home.resolve("tools/mvn");
            String builds = Files.readString(tool);
            Files.writeString(tool, "#!/bin/sh\nexit 1\n");
            assertThat(said("restart")).contains("the build failed");
            assertThat(running.isAlive()).isTrue();

            Files.writeString(tool, builds + "kill -0 " + running.pid() + " && echo running >>" + home + "/builds\n");
            assertThat(said("restart")).contains("stopped");
            assertThat(running.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(home.resolve("builds")).hasContent("built\nrunning");
            assertThat(home.resolve("started")).content().contains(lib("quick/"));
        } finally {
            running.destroyForcibly();
        }
    }

    /** Its parent is one that does not wait for it, as the first process of a container may be. */
    @Test
    void aStopEndsWithTheProcessWhoeverIsItsParent() throws Exception {
        Process parent = new ProcessBuilder(
                        "bash", "-c", "(" + STAND_IN + ") & echo $!; exec sleep 600", home + "/my data")
                .start();
        try {
            String pid = parent.inputReader().readLine();
            Path commandLine = Path.of("/proc", pid, "cmdline");
            Await.until(
                    "it has become what it is to be",
                    () -> Files.readString(commandLine).contains("io.godwit.broker.Main"));
            file("my data/godwit.pid", pid);
            assertThat(said("stop")).contains("stopped");
            assertThat(said("status")).contains("not running");
            assertThat(commandLine).as("the command line of an ended process").isEmptyFile();
        } finally {
            parent.destroyForcibly();
        }
    }

    /** The broker that runs has the port of the debugger, for instance. */
    @Test
    void aCheckTakesNoOptionsThatGetInTheWayOfTheOneThatRuns() throws Exception {
        environment.put("JVM_OPTS", "-agentlib:jdwp=server=y -Xlog:gc:file=gc.log -Dkv_log_sync=true");
        assertThat(said("check")).contains("could start");
        assertThat(home.resolve("checked"))
                .content()
                .contains("-Dkv_log_sync=true", "logback-check.xml", "--config ")
                .doesNotContain("jdwp", "gc.log", "conf/logback.xml");
    }

    @Test
    void aBuildTellsItsModulesAndMakesTheLoadToolToo() throws Exception {
        Path given = home.resolve("given");
        Files.writeString(
                home.resolve("tools/mvn"),
                Files.readString(home.resolve("tools/mvn")) + "echo \"$*\" >" + given + "\n"
                        + "echo '[INFO] Building base-kv 0.1.0-SNAPSHOT           [2/10]'\n"
                        + "echo '[INFO] Building jar: base-kv.jar'\n"
                        + "echo '[INFO] Building perf 0.1.0-SNAPSHOT             [10/10]'\n");
        assertThat(said("start"))
                .contains("this once", "godwit: module 2/10: base-kv", "godwit: module 10/10: perf")
                .doesNotContain("module jar");
        assertThat(given).content().contains("-pl perf -am");
        assertThat(builds()).isOne();

        Files.writeString(source, "2");
        executable("mvn", "echo '[INFO] Building base-kv 1 [1/10]'; echo '[ERROR] no symbol'; exit 1\n");
        assertThat(said("start")).contains("module 1/10: base-kv", "no symbol", "the build failed");
    }

    @Test
    void aStartThatWaitsSaysWhatForAndNeedNotBeWaitedFor() throws Exception {
        executable("java", """
                if [ "$1" = -version ]; then echo 'openjdk version "17.0.1"' >&2; exit 0; fi
                printf 'pid=%%s\\nstate=starting\\nwaiting=%%s\\nstore=%%s\\n' $$ 'the first seed' \\
                  'dist STARTING dist-1: 1 of 3 voters' >'%s/godwit.status'
                while [ -d '%s' ] && [ ! -e '%s/stop' ]; do sleep 0.05; done
                exit 1
                """.formatted(home.resolve("my data"), home, home));
        Path output = home.resolve("start.out");
        Process start = script("start").redirectOutput(output.toFile()).start();
        try {
            Await.until("what it waits for", () -> Files.readString(output).contains("the first seed"));
        } finally {
            file("stop", "");
        }
        assertThat(start.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(output)
                .content()
                .containsOnlyOnce("godwit: waits for the first seed\n")
                .containsOnlyOnce("godwit: store dist waits for dist-1: 1 of 3 voters\n")
                .contains("did not start");

        Files.delete(home.resolve("stop"));
        try {
            assertThat(said("start", "--no-wait")).contains("godwit: starting, pid ", "status tells how far it is");
        } finally {
            file("stop", "");
        }
    }

    @Test
    void aStartUnderWayIsToldOfAndStopped() throws Exception {
        executable("java", """
                if [ "$1" = -version ]; then echo 'openjdk version "17.0.1"' >&2; exit 0; fi
                exec bash -c 'exec -a io.godwit.broker.Main bash -c "exec {p}<> <(:); read -r _ <&\\$p" "$@"' java "$@"
                """);
        stopsWhile("my data/godwit.starting", false, "did not start");

        executable(
                "mvn",
                // it may look when all is deleted already
                "echo $PPID >" + home + "/building\nwhile [ -d " + home + " ] && [ ! -e " + home
                        + "/stop ]; do sleep 0.05; done\nexit 1\n");
        Files.writeString(source, "2");
        stopsWhile("building", true, "building the distribution");
        file("stop", "");
    }

    /**
     * Begins a start, and stops it once there is the file and the status tells of the script, which builds, or else of
     * the broker.
     */
    private void stopsWhile(String sign, boolean builds, String reason) throws Exception {
        Path output = home.resolve("start.out");
        Process start = script("start").redirectOutput(output.toFile()).start();
        try {
            Await.until("the start", () -> {
                String status = said("status");
                return Files.exists(home.resolve(sign))
                        && status.contains(", starting")
                        && status.contains("pid " + start.pid() + ',') == builds;
            });
            assertThat(said("start")).contains("already starting with pid");
            assertThat(said("stop")).contains("godwit: stopped");
            assertThat(start.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(output).content().contains(reason);
            assertThat(home.resolve("my data/godwit.starting")).doesNotExist();
            assertThat(said("status")).contains("not running");
        } finally {
            start.destroyForcibly();
        }
    }

    /**
     * In a container a broker has the same number each time: what one that was killed has left is not what the next one
     * says.
     */
    @Test
    void whatAKilledBrokerOfTheSameNumberHasLeftIsNotToldOfTheNextOne() throws Exception {
        executable("java", """
                if [ "$1" = -version ]; then echo 'openjdk version "17.0.1"' >&2; exit 0; fi
                exec bash -c 'exec -a io.godwit.broker.Main bash -c "exec {p}<> <(:); read -r _ <&\\$p" "$@"' java "$@"
                """);
        file("my data/leave and start", """
                echo $$ >'my data/godwit.pid'
                printf 'pid=%s\nstate=ready\n' $$ >'my data/godwit.status'
                exec "$@"
                """);
        ProcessBuilder start = script("start");
        start.command().addAll(0, List.of("bash", "my data/leave and start"));
        start.command().add("-f");
        Process broker =
                start.redirectOutput(home.resolve("start.out").toFile()).start();
        try {
            Path commandLine = Path.of("/proc", Long.toString(broker.pid()), "cmdline");
            Await.until("the broker", () -> Files.readString(commandLine).startsWith("io.godwit.broker.Main"));
            assertThat(said("status")).contains("pid " + broker.pid() + ", starting");
        } finally {
            broker.destroyForcibly();
        }
    }

    /** Its broker is one of which the pid file was lost. */
    @Test
    void theStatusTellsThePidToo() throws Exception {
        Process running = standIn("my data");
        try {
            Path status = file("my data/godwit.status", "pid=" + running.pid() + "\nstate=ready\n");
            assertThat(said("start")).contains("already running with pid " + running.pid());
            assertThat(status).exists();
            assertThat(said("stop")).contains("stopped");
            assertThat(running.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            running.destroyForcibly();
        }
    }

    @Test
    void whatCannotBeWrittenIsNamedWithTheReason() throws Exception {
        builtByHand();
        Path old = file("log/start.log/in the way", "").getParent();
        assertThat(said("start"))
                .startsWith("godwit: cannot write to " + old.getParent() + ": ")
                .doesNotContain("standalone.sh: line", "grep");
        file("my data/godwit.starting/in the way", "");
        assertThat(said("start")).startsWith("godwit: cannot write to " + home.resolve("my data") + ": ");
        Files.delete(home.resolve("my data/godwit.starting/in the way"));
        Files.delete(home.resolve("my data/godwit.starting"));
        Files.delete(home.resolve("my data"));
        file("my data", "a file");
        assertThat(said("start")).startsWith("godwit: cannot create " + home.resolve("my data") + ": ");
        assertThat(home.resolve("started")).doesNotExist();
    }

    @Test
    void theScriptMayBeCalledThroughALink() throws Exception {
        Path link = Files.createSymbolicLink(home.resolve("godwit"), script);
        script = Files.createSymbolicLink(home.resolve("tools/godwit"), link);
        assertThat(started()).contains(lib("quick/")).contains(" --plugins " + root.resolve("plugins"));
    }

    @Test
    void aFreshCheckoutIsBuilt() throws Exception {
        assertThat(started()).contains(lib("quick/")).contains(" --data " + home.resolve("my data"));
        assertThat(builds()).isOne();
    }

    /** The jars may be another user's to run: whoever builds decides. What the broker writes is not. */
    @Test
    void aBuildHasTheUmaskOfItsCaller() throws Exception {
        umask = "027";
        started();
        assertThat(permissions(Path.of(lib("quick/"), "godwit.jar"))).isEqualTo("rw-r-----");
        assertThat(permissions(home.resolve("my data"))).isEqualTo("rwx------");
        assertThat(permissions(home.resolve("log/start.log"))).isEqualTo("rw-------");
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void theHeapIsHalfOfTheMemoryUnlessToldOtherwise() throws Exception {
        assertThat(started()).contains(" -XX:MaxRAMPercentage=50 ");
        environment.put("JVM_HEAP_OPTS", "-Xms1g -Xmx2g");
        environment.put("JVM_OPTS", "-Xmx3g\n  -Dkv_log_sync=true\n"); // as it may stand in a file of containers
        assertThat(started())
                .contains(" -Xms1g -Xmx2g -Xmx3g -Dkv_log_sync=true ") // the last one counts
                .doesNotContain("MaxRAMPercentage");
    }

    /**
     * The JVM itself reads the limit of its cgroup, or the machine's memory; here the option that stands for it says 1
     * GiB.
     */
    @Test
    void theJvmUnderstandsWhatItIsToldOfItsHeap() throws Exception {
        Path real = Path.of(System.getProperty("java.home"), "bin", "java");
        executable("java", """
                if [ "$1" != -version ]; then set -- $(printf '%%s\n' "$@" | grep ^-X) -XX:+PrintFlagsFinal -version; fi
                exec %s -XX:MaxRAM=1g "$@"
                """.formatted(real));
        said("start");
        assertThat(Files.readString(home.resolve("log/start.log"))).containsPattern("MaxHeapSize += 536870912 ");
    }

    @Test
    void javaHomeStandsAboveThePathAndAnOldOneIsRefused() throws Exception {
        Path newer = file("newer/bin/java", "#!/bin/sh\n" + jvm("25.0.1"));
        file("newer/release", "JAVA_VERSION=\"25.0.1\"\n");
        Files.setPosixFilePermissions(newer, PosixFilePermissions.fromString("rwxr-xr-x"));
        environment.put("JAVA_HOME", home.resolve("newer").toString());
        assertThat(started())
                .startsWith(newer + " ")
                .contains(" --enable-native-access=ALL-UNNAMED ", " --sun-misc-unsafe-memory-access=allow ");

        Files.writeString(newer, "#!/bin/sh\n" + jvm("11.0.2"));
        Files.delete(home.resolve("newer/release"));
        assertThat(said("start")).contains(newer + " is version 11; 17 or newer is needed");
        environment.put("JAVA_HOME", home.resolve("nowhere").toString());
        assertThat(said("start"))
                .contains("JAVA_HOME is set to " + home.resolve("nowhere") + ", but " + home.resolve("nowhere/bin/java")
                        + " cannot be run")
                .doesNotContain("set JAVA_HOME");
        assertThat(home.resolve("started")).doesNotExist();
    }

    /** What {@code mvn package} leaves. */
    private void builtByHand() throws IOException {
        Path jar = Path.of(lib("")).resolve("godwit.jar");
        Files.createDirectories(jar.getParent());
        Files.writeString(jar, "jar");
        Files.setLastModifiedTime(jar, BUILD_TIME);
    }

    private String lib(String kind) {
        return root + "/broker-dist/target/" + kind + "godwit-1/lib";
    }

    /** The command line of the JVM that a start began. */
    private String started() throws Exception {
        String said = said("start");
        assertThat(home.resolve("started")).as(said).exists();
        return Files.readString(home.resolve("started"));
    }

    /** Returns what a command has said. */
    private String said(String command, String... more) throws Exception {
        Files.deleteIfExists(home.resolve("started"));
        Path output = home.resolve("output");
        ProcessBuilder builder = script(command);
        builder.command().addAll(List.of(more));
        Process process = builder.redirectOutput(output.toFile()).start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return Files.readString(output);
    }

    private ProcessBuilder script(String command) {
        ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(List.of(
                "bash",
                "-c",
                "umask " + umask + "; exec \"$@\"",
                "bash",
                script.toString(),
                command,
                "--data",
                "my data", // from where it is called
                "--log",
                home.resolve("log").toString())));
        builder.environment().put("PATH", home.resolve("tools") + ":" + System.getenv("PATH"));
        builder.environment().keySet().removeAll(List.of("JAVA_HOME", "JVM_OPTS", "JVM_HEAP_OPTS"));
        builder.environment().putAll(environment);
        return builder.directory(home.toFile()).redirectErrorStream(true);
    }

    private long builds() throws IOException {
        Path notes = home.resolve("builds");
        return Files.exists(notes) ? Files.readAllLines(notes).size() : 0;
    }

    private Path file(String name, String content) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    private void executable(String name, String body) throws IOException {
        Path file = file("tools/" + name, "#!/bin/sh\n" + body);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
