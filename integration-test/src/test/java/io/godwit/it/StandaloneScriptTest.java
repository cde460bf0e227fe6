package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.ClassArchive;
import io.godwit.it.broker.Ports;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/standalone.sh} as an operator uses it: what it prints, what it leaves and its exit codes. */
class StandaloneScriptTest {
    private static final Pattern LISTENING = Pattern.compile("listening on tcp 127\\.0\\.0\\.1:([1-9][0-9]*)\n");

    private static final int SERVER_SHUTTING_DOWN = 0x8B;

    @TempDir
    private Path home;

    private final List<Node> nodes = new ArrayList<>();

    private record Result(int code, String output) {}

    @AfterEach
    void stopAll() throws Exception {
        for (Node node : nodes) {
            node.run("stop");
        }
    }

    @Test
    void aBrokerIsStartedToldOfAndStopped() throws Exception {
        int port = Ports.free().getPort();
        Node node = new Node("one", listenerAt("127.0.0.1", port));
        assertThat(node.run("status").code()).isEqualTo(3);
        assertThat(node.run("stop").code())
                .as("stop succeeds if no broker runs")
                .isZero();

        Result started = node.run("start");

        assertThat(started.code()).as(started.output()).isZero();
        assertThat(started.output())
                .contains("listening on tcp 127.0.0.1:" + port)
                .doesNotContain("warning");
        assertThat(node.pid()).isPresent();
        String jvm = Files.readString(Path.of("/proc", node.pid().orElseThrow(), "cmdline"));
        assertThat(jvm).as("names of seeds are not cached for long").contains("-Dsun.net.inetaddr.ttl=3");
        assertThat(jvm.contains("-XX:TrimNativeHeapInterval=10000"))
                .as("freed native memory is returned if the JVM supports it")
                .isEqualTo(canTrim());
        accepts(port);
        Result status = node.run("status");
        assertThat(status.code()).as(status.output()).isZero();
        assertThat(status.output())
                .contains("pid " + node.pid().orElseThrow() + ", ready")
                .contains("listening on tcp 127.0.0.1:" + port)
                .contains("store inbox SERVING", "store dist SERVING", "store retain SERVING");

        freeze(node.pid().orElseThrow());
        Result halted = node.run("status");
        assertThat(halted.code()).isEqualTo(4);
        assertThat(halted.output()).containsPattern("pid [0-9]+, halted by a signal, was ready");
        Files.setLastModifiedTime(
                node.file("godwit.status"), FileTime.from(Instant.now().minusSeconds(90)));
        Result frozen = node.run("status");
        signal("CONT", node.pid().orElseThrow());
        assertThat(frozen.code()).isEqualTo(4);
        assertThat(frozen.output()).containsPattern("pid [0-9]+, not moving for (9|[1-9][0-9])[0-9] s, was ready");

        Result again = node.run("start");
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.output())
                .contains("already running with pid " + node.pid().orElseThrow());

        Result portTaken = new Node("two", listenerAt("127.0.0.1", port)).run("start");
        assertThat(portTaken.code()).isEqualTo(1);
        assertThat(portTaken.output())
                .contains(":" + port)
                .contains("in use")
                .contains("port " + port + " is held by process " + node.pid().orElseThrow() + ": a broker on "
                        + node.file("."))
                .contains("did not start");
        accepts(port);

        assertThat(node.run("stop").code()).isZero();
        assertThat(node.file("godwit.pid")).doesNotExist();
        assertThat(node.file("godwit.status")).doesNotExist();
        assertThat(node.run("status").code()).isEqualTo(3);
    }

    /** As the script says of the JVM that runs this test and the broker. */
    private static boolean canTrim() {
        Runtime.Version version = Runtime.version();
        boolean isLaterUpdate =
                version.feature() == 17 && version.update() >= 13 || version.feature() == 21 && version.update() >= 5;
        return version.feature() >= 24
                || isLaterUpdate && !System.getProperty("java.vendor").startsWith("Oracle");
    }

    /** The start was interrupted, its broker was not. */
    @Test
    void aBrokerThatStillStartsIsFoundThoughItsScriptIsGone() throws Exception {
        Node node = new Node("orphan", listenerAt("127.0.0.1", 0));
        Process script = node.begin("start");
        String ofTheScript = Long.toString(script.pid());
        Await.until("the broker's process", () -> {
            try {
                String starting = Files.readString(node.file("godwit.starting")).strip();
                return !starting.isEmpty() && !starting.equals(ofTheScript);
            } catch (NoSuchFileException e) { // not yet, or not any more
                return node.pid().isPresent();
            }
        });
        script.destroy();
        assertThat(script.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(node.run("stop").output()).contains("godwit: stopped");
        assertThat(node.run("status").code()).isEqualTo(3);
    }

    /** A retained message was found by another user of the machine in files that everybody could read. */
    @Test
    void whatABrokerWritesIsItsUsersAlone() throws Exception {
        Node node = new Node("alone", listenerAt("127.0.0.1", 0));
        Result started = node.runWithUmask("022", "start");
        assertThat(started.code()).as(started.output()).isZero();
        assertThat(openToOthers(node.directory.resolve("data"))).isEmpty();
        assertThat(openToOthers(node.directory.resolve("log"))).isEmpty();
        node.run("stop");
        Files.setPosixFilePermissions(node.file("."), PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(node.run("start").output())
                .contains("every user of this machine may enter the data directory " + node.file("."));
    }

    /** A monitor with a user of its own must not raise an alarm, nor a stop be believed that has stopped nothing. */
    @Test
    void whoMayNotLookIntoTheDataIsNotToldThatNothingRuns() throws Exception {
        // outside of what belongs to this test alone: another user must get to it
        Path place = Files.createTempDirectory("godwit-data-of-another");
        try {
            Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxr-xr-x"));
            Path script = Files.copy(
                    BrokerProcess.distribution().resolve("bin/standalone.sh"), place.resolve("standalone.sh"));
            Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
            Path data = Files.createDirectory(place.resolve("data"));
            // root may look into everything, so it asks as another user
            boolean isRoot = "root".equals(System.getProperty("user.name"));
            List<String> asAnother =
                    isRoot ? List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") : List.of();
            for (Path of : List.of(data, data.resolve("deeper"))) {
                for (String command : List.of("status", "stop")) {
                    List<String> words = new ArrayList<>(asAnother);
                    words.addAll(List.of(script.toString(), command, "--data", of.toString()));
                    assertThat(answer(words).code())
                            .as("the user may look into the data directory")
                            .isEqualTo(command.equals("status") ? 3 : 0);
                    Files.setPosixFilePermissions(
                            data, PosixFilePermissions.fromString(isRoot ? "rwx------" : "---------"));
                    Result answer = answer(words);
                    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
                    assertThat(answer.output()).contains("may not look into " + data);
                    assertThat(answer.code()).isEqualTo(1);
                }
            }
        } finally {
            for (String each : List.of("data", "standalone.sh", "")) {
                Files.deleteIfExists(place.resolve(each));
            }
        }
    }

    private Result answer(List<String> words) throws IOException, InterruptedException {
        Path output = home.resolve("answer.out");
        Process process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Result(process.exitValue(), Files.readString(output));
    }

    private static List<String> openToOthers(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.map(path -> {
                        try {
                            return PosixFilePermissions.toString(Files.getPosixFilePermissions(path)) + " " + path;
                        } catch (IOException e) { // deleted meanwhile
                            return "rwx------";
                        }
                    })
                    .filter(each -> !each.startsWith("------", 3))
                    .toList();
        }
    }

    /**
     * As a container or systemd runs it: the process is the one that was started, has its log on the console, and ends
     * by a signal.
     */
    @Test
    void inTheForegroundItRunsUntilItIsSignalled() throws Exception {
        int port = Ports.free().getPort();
        Node node = new Node("foreground", listenerAt("", port));
        assertThat(node.run("start", "--log", "-").output()).contains("the console as the log needs -f");
        Process process = node.begin("start", "-f", "--log", "-");
        try {
            Await.until("the broker", () -> node.run("status").code() == 0);
            accepts(port);
            assertThat(node.pid()).contains(Long.toString(process.pid()));
            Await.until("what it says", () -> node.said().contains("listening on tcp 127.0.0.1:" + port));
            assertThat(node.said()).contains("warning: no authentication");

            process.destroy();

            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(128 + 15);
            assertThat(node.said())
                    .containsSubsequence("INFO ", "ready listeners=", "stopping")
                    .doesNotContain("|-"); // what logback says of a mistake in its configuration
            assertThat(node.directory.resolve("log")).doesNotExist();
            assertThat(node.file("godwit.pid")).doesNotExist();
            assertThat(node.file("godwit.status")).doesNotExist();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    @Tag("full")
    void brokersRunSideBySideAndRestart() throws Exception {
        int memberPort = Ports.free().getPort();
        Node one = new Node("one", listenerAt("127.0.0.1", 0));
        Node two = new Node("two", listenerAt("", 0) + """
                clusterConfig:
                  env: test
                  host: 127.0.0.1
                  port: %1$d
                  seedEndpoints: 127.0.0.1:%1$d
                """.formatted(memberPort));
        int portOne = portIn(one.run("start"));
        Result started = two.run("start");
        int portTwo = portIn(started);

        assertThat(portOne).isNotEqualTo(portTwo);
        accepts(portOne);
        accepts(portTwo);
        assertThat(started.output() + two.run("status").output())
                .containsPattern("(?s)warning: no authentication.*warning: no authentication");

        String before = one.pid().orElseThrow();
        one.configure(listenerAt("127.0.0.1", 0) + "authConfig: {provider: file}\n");
        Result kept = one.run("restart");
        assertThat(kept.code()).isEqualTo(1);
        assertThat(kept.output()).contains("passwd", "not restarted").doesNotContain("stopped");
        assertThat(one.pid()).contains(before);
        accepts(portOne);

        one.configure(listenerAt("127.0.0.1", 0));
        Path moved = Files.move(one.directory.resolve("standalone.yml"), one.directory.resolve("other.yml"));
        Result restarted = one.run("restart", "--config=" + moved);
        accepts(portIn(restarted));
        assertThat(one.pid()).isPresent().get().isNotEqualTo(before);

        before = one.pid().orElseThrow();
        one.configure("nobody reads this");
        restarted = one.runOnData("restart");
        assertThat(restarted.output())
                .contains("with the configuration of the last start, " + moved)
                .contains("JVM_OPTS is not set, the last start had: " + one.jvmOptions)
                .contains("log in " + one.directory.resolve("log"));
        accepts(portIn(restarted));
        assertThat(one.pid()).isPresent().get().isNotEqualTo(before);
        accepts(portTwo);
    }

    @Test
    void aWrongConfigurationStartsNothingAndTellsEveryError() throws Exception {
        Node node = new Node("wrong", """
                bootstrap: maybe
                mqttServerConfg:
                  maxConnBandwidth: 1
                sessionConfig:
                  maxQueuedMesages: 5
                  overflowPolicy: drop-all
                """);

        Result refused = node.run("start");

        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.output())
                .contains("bootstrap: ", "\"maybe\"")
                .containsPattern("mqttServerConfg: unknown key .* nearest valid one is mqttServerConfig")
                .containsPattern(
                        "maxQueuedMesages: unknown key .* nearest valid one is sessionConfig.maxQueuedMessages")
                .contains("sessionConfig.overflowPolicy: ", "\"drop-all\"")
                .contains("did not start");
        assertThat(node.file(".")).isEmptyDirectory();

        Result checked = node.run("check");
        assertThat(checked.code()).isEqualTo(1);
        assertThat(checked.output()).contains("mqttServerConfg: unknown key", "sessionConfig.overflowPolicy: ");
        node.configure("bootstrap: true\nsessionConfig: {maxQueuedBytes: 2MB, queueQos0: '${NONE:-false}'}\n");
        Result right = node.run("check");
        assertThat(right.code()).isZero();
        assertThat(right.output())
                .contains("differing from the defaults", "sessionConfig.maxQueuedBytes=2097152  (line 2)")
                .contains("sessionConfig.queueQos0=false  (line 2, ${NONE:-false})")
                .doesNotContain("sessionConfig.maxQueuedMessages");
        assertThat(node.run("check", "--all").output()).contains("sessionConfig.maxQueuedMessages=1000  (default)");
        assertThat(node.file(".")).isEmptyDirectory();

        Files.writeString(node.file("notes.txt"), "somebody else's");
        refused = node.run("start");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.output())
                .contains("holds no data of a broker, but notes.txt")
                .contains("did not start");
    }

    @Test
    void emptyDataWithoutBootstrapIsRefused() throws Exception {
        Node node = new Node("empty", "bootstrap: false\n" + listenerAt("127.0.0.1", 0));

        Result refused = node.run("start");

        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.output()).contains("bootstrap").contains("did not start");
        assertThat(node.file("godwit.pid")).doesNotExist();
        assertThat(node.run("status").code()).isEqualTo(3);
    }

    @Test
    void whatTheJvmComplainsOfIsTold() throws Exception {
        Node node = new Node("jvm", listenerAt("127.0.0.1", 0));
        node.jvmOptions = "-XX:NoSuchOption=1";

        Result refused = node.run("start");

        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.output().lines().findFirst().orElse("")).contains("NoSuchOption");
    }

    /** The clients of a node that goes are not to come to the others all at once. */
    @Test
    void aDrainSendsTheClientsAwayAtAnEvenRate() throws Exception {
        Node node = new Node("drained", listenerAt("127.0.0.1", 0));
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), portIn(node.run("start")));
        List<TestClient> clients = connected(address, 6);
        try {
            Process stop = node.begin("stop", "--drain", "6");
            Await.until("the first to be told", () -> told(clients) > 0);
            long begin = System.nanoTime();
            assertThatThrownBy(() -> accepts(address.getPort())).isInstanceOf(IOException.class);
            Result status = node.run("status");
            assertThat(status.code()).as(status.output()).isEqualTo(4);
            assertThat(status.output()).contains("stopping");
            Await.until("half of them to be told", () -> told(clients) >= 3);
            assertThat(System.nanoTime() - begin).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1_500));
            assertThat(told(clients)).isLessThan(6);
            Await.until("all to be told", () -> told(clients) == 6);
            assertThat(System.nanoTime() - begin).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(4_500));
            assertThat(node.end(stop)).isZero();
            assertThat(node.said()).contains("godwit: stopped");
        } finally {
            clients.forEach(TestClient::close);
        }
        assertThat(node.file("godwit.drain")).doesNotExist();
        assertThat(node.run("status").code()).isEqualTo(3);
    }

    @Test
    void aSignalEndsADrainAtOnce() throws Exception {
        Node node = new Node("hurried", listenerAt("127.0.0.1", 0));
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), portIn(node.run("start")));
        List<TestClient> clients = connected(address, 3);
        try {
            Process stop = node.begin("stop", "--drain", "3600");
            Await.until("the first to be told", () -> told(clients) > 0);
            Result again = node.run("stop", "--drain", "1");
            assertThat(again.code()).as(again.output()).isEqualTo(1);
            assertThat(again.output()).contains("stops already");
            assertThat(told(clients)).isEqualTo(1);
            signal("TERM", node.pid().orElseThrow());
            Await.until("all to be told", () -> told(clients) == 3);
            assertThat(node.end(stop)).isZero();
        } finally {
            clients.forEach(TestClient::close);
        }
        assertThat(node.run("status").code()).isEqualTo(3);
    }

    private static List<TestClient> connected(InetSocketAddress address, int count) throws IOException {
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            TestClient client = new TestClient(ClientConfig.of(address, "c" + i, 5));
            client.connect();
            clients.add(client);
        }
        return clients;
    }

    /** How many have been told that the server shuts down. */
    private static long told(List<TestClient> clients) {
        return clients.stream()
                .filter(client -> client.lastDisconnectCode() == SERVER_SHUTTING_DOWN)
                .count();
    }

    @Test
    void wrongUsageIsRefusedWithTheUsage() throws Exception {
        Node node = new Node("usage", "");

        Result unknown = node.run("begin");
        assertThat(unknown.code()).isEqualTo(2);
        assertThat(unknown.output()).contains("usage:", "unknown command: begin");
        unknown = node.run("start", "--port", "1");
        assertThat(unknown.code()).isEqualTo(2);
        assertThat(unknown.output()).contains("usage:", "unknown option: --port");
        for (String seconds : List.of("x", "-1", "", "3601", "1.5", "99999999999999999999")) {
            Result wrong = node.run("stop", "--drain", seconds);
            assertThat(wrong.code()).as(seconds).isEqualTo(2);
            assertThat(wrong.output()).contains("usage:", "--drain needs a number of seconds from 0 to 3600");
        }
        Result start = node.run("start", "--drain", "5");
        assertThat(start.code()).isEqualTo(2);
        assertThat(start.output()).contains("--drain goes with stop only");
        assertThat(node.run("version").output()).containsPattern("^Godwit [0-9][^ ]*, Java [1-9][0-9] \\(");
    }

    private static String listenerAt(String host, int port) {
        return "apiServerConfig: {enable: false}\nmqttServerConfig:\n  tcpListener:\n    host: " + host + "\n    port: "
                + port + "\n";
    }

    private static int portIn(Result started) {
        assertThat(started.code()).as(started.output()).isZero();
        Matcher matcher = LISTENING.matcher(started.output());
        assertThat(matcher.find()).as(started.output()).isTrue();
        return Integer.parseInt(matcher.group(1));
    }

    /** Returns when none of its threads runs. */
    private static void freeze(String pid) throws Exception {
        signal("STOP", pid);
        Await.until("all threads of " + pid + " to stand still", () -> {
            try (Stream<Path> threads = Files.list(Path.of("/proc", pid, "task"))) {
                return threads.allMatch(StandaloneScriptTest::isStopped);
            }
        });
    }

    private static boolean isStopped(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            return stat.startsWith("T", stat.lastIndexOf(')') + 2);
        } catch (IOException e) { // ended meanwhile: look again
            return false;
        }
    }

    private static void signal(String name, String pid) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, pid).start().waitFor())
                .isZero();
    }

    private static void accepts(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            assertThat(socket.isConnected()).isTrue();
        }
    }

    /** One data directory with its configuration. */
    private final class Node {
        private final Path directory;
        private String jvmOptions = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

        Node(String name, String configuration) throws IOException {
            directory = Files.createDirectory(home.resolve(name));
            configure(configuration);
            nodes.add(this);
        }

        /** For the next start. */
        void configure(String configuration) throws IOException {
            Files.writeString(directory.resolve("standalone.yml"), configuration);
        }

        Path file(String name) {
            return directory.resolve("data").resolve(name).normalize();
        }

        Optional<String> pid() throws IOException {
            Path file = file("godwit.pid");
            return Files.exists(file) ? Optional.of(Files.readString(file).strip()) : Optional.empty();
        }

        /** What the process that was begun has said so far. */
        String said() throws IOException {
            return Files.readString(directory.resolve("begun.out"));
        }

        Result run(String command, String... more) throws IOException, InterruptedException {
            Path output = directory.resolve("script.out");
            return end(begin(output, command, more), output);
        }

        /** As a user calls it whose files are for everybody to read. */
        Result runWithUmask(String umask, String command) throws IOException, InterruptedException {
            Path output = directory.resolve("script.out");
            ProcessBuilder builder = script(words(command));
            builder.command().addAll(0, List.of("bash", "-c", "umask " + umask + "; exec \"$@\"", "bash"));
            return end(builder.redirectOutput(output.toFile()).start(), output);
        }

        /** Returns the exit code of a script that was begun. */
        int end(Process process) throws IOException, InterruptedException {
            return end(process, directory.resolve("begun.out")).code();
        }

        private Result end(Process process, Path output) throws IOException, InterruptedException {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("the script has not ended: " + Files.readString(output));
            }
            return new Result(process.exitValue(), Files.readString(output));
        }

        /** Tells the script where the data is, and nothing else. */
        Result runOnData(String command) throws IOException, InterruptedException {
            ProcessBuilder builder =
                    script(List.of(command, "--data", directory.resolve("data").toString()));
            builder.environment().keySet().removeAll(List.of("JVM_HEAP_OPTS", "JVM_OPTS"));
            Path output = directory.resolve("script.out");
            return end(builder.redirectOutput(output.toFile()).start(), output);
        }

        Process begin(String command, String... more) throws IOException {
            return begin(directory.resolve("begun.out"), command, more);
        }

        private Process begin(Path output, String command, String... more) throws IOException {
            return script(words(command, more)).redirectOutput(output.toFile()).start();
        }

        private List<String> words(String command, String... more) {
            List<String> words = new ArrayList<>();
            words.add(command);
            words.addAll(List.of("--config", directory.resolve("standalone.yml").toString()));
            words.addAll(List.of("--data", directory.resolve("data").toString()));
            words.addAll(List.of("--log", directory.resolve("log").toString()));
            words.addAll(List.of(more));
            return words;
        }

        private ProcessBuilder script(List<String> words) {
            List<String> command = new ArrayList<>(words);
            command.add(
                    0, BrokerProcess.distribution().resolve("bin/standalone.sh").toString());
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
            builder.environment().put("JVM_HEAP_OPTS", "-Xms64m -Xmx256m");
            builder.environment().put("JVM_OPTS", jvmOptions);
            builder.environment().putAll(ClassArchive.environment());
            return builder;
        }
    }
}
