package io.godwit.it.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.testing.Await;
import io.godwit.testing.Needs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code mosquitto_pub}, {@code mosquitto_sub} and Python's {@code paho-mqtt}, which {@link Needs need} to be
 * installed.
 */
class CommandLineClientsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @TempDir
    private static Path directory;

    private static BrokerProcess broker;

    @BeforeAll
    static void startBroker() throws Exception {
        broker = new BrokerProcess(directory);
        broker.start();
    }

    @AfterAll
    static void stopBroker() throws Exception {
        broker.close();
    }

    @ParameterizedTest
    @CsvSource({"mqttv311,0", "mqttv311,1", "mqttv311,2", "mqttv5,0", "mqttv5,1", "mqttv5,2"})
    void mosquittoSubGetsWhatMosquittoPubRetained(String version, String qos) throws Exception {
        mosquittoIsInstalled();
        String topic = "retained/" + version + '/' + qos;
        run(pub(version, "-t", topic, "-q", qos, "-r", "-m", "kept " + qos));
        if (qos.equals("0")) { // nobody answers its publisher: who subscribes next may be early, and get it as it comes
            run(sub(version, "-t", topic, "-C", "1"));
        }
        assertThat(run(sub(version, "-t", topic, "-q", qos, "-C", "1", "-F", "%p %q %r")))
                .isEqualTo("kept " + qos + ' ' + qos + " 1\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mqttv311", "mqttv5"})
    void mosquittoSubFindsItsQueueAndResumes(String version) throws Exception {
        mosquittoIsInstalled();
        String topic = "queue/" + version;
        List<String> session = new ArrayList<>(List.of("-i", "mosquitto-" + version, "-c", "-q", "2", "-t", topic));
        if (version.equals("mqttv5")) {
            session.addAll(List.of("-x", "3600"));
        }
        run(sub(version, with(session, "-E")));
        for (int qos = 1; qos <= 2; qos++) {
            run(pub(version, "-t", topic, "-q", Integer.toString(qos), "-m", "away " + qos));
        }
        assertThat(run(sub(version, with(session, "-C", "2", "-F", "%p %q")))).isEqualTo("away 1 1\naway 2 2\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mqttv311", "mqttv5"})
    void theWillOfAKilledMosquittoSubIsPublished(String version) throws Exception {
        mosquittoIsInstalled();
        String topic = "will/" + version;
        try (Running watcher = new Running(sub(version, "-t", topic, "-q", "1", "-d"));
                Running dying = new Running(sub(
                        version,
                        "-t",
                        "x",
                        "--will-topic",
                        topic,
                        "--will-payload",
                        "gone",
                        "--will-qos",
                        "1",
                        "-d"))) {
            watcher.awaitLine("Subscribed");
            dying.awaitLine("Subscribed");
            dying.process.destroyForcibly();
            watcher.awaitLine("gone");
        }
    }

    @Test
    void twoMosquittoSubsShare() throws Exception {
        mosquittoIsInstalled();
        try (Running one = new Running(sub("mqttv5", "-t", "$share/g/shared", "-q", "1", "-d"));
                Running two = new Running(sub("mqttv5", "-t", "$share/g/shared", "-q", "1", "-d"))) {
            one.awaitLine("Subscribed");
            two.awaitLine("Subscribed");
            for (int i = 0; i < 20; i++) {
                run(pub("mqttv5", "-t", "shared", "-q", "1", "-m", "number " + i));
            }
            List<String> got = new ArrayList<>();
            Await looks = Await.atMost(PATIENCE);
            do {
                got.clear();
                for (Running each : List.of(one, two)) {
                    got.addAll(each.lines("number"));
                }
            } while (got.size() < 20 && looks.again());
            assertThat(got).hasSize(20).doesNotHaveDuplicates();
            assertThat(one.lines("number").size()).isBetween(1, 19);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"4", "5"})
    void pythonsPahoDoesItAll(String version) throws Exception {
        Needs.need(
                exitCode(List.of("python3", "-c", "import paho.mqtt.client")) == 0,
                "paho-mqtt",
                ".ci/install-test-clients does it for python3");
        Path script = directory.resolve("paho_check.py");
        try (var in = getClass().getResourceAsStream("/paho_check.py")) {
            Files.write(script, in.readAllBytes());
        }
        assertThat(run(List.of(
                        "python3",
                        script.toString(),
                        Integer.toString(broker.address().getPort()),
                        version)))
                .isEqualTo("ok\n");
    }

    private static void mosquittoIsInstalled() throws Exception {
        Needs.need(
                exitCode(List.of("sh", "-c", "command -v mosquitto_pub && command -v mosquitto_sub")) == 0,
                "mosquitto-clients",
                ".ci/install-test-clients does it");
    }

    private static List<String> pub(String version, String... more) {
        return command("mosquitto_pub", version, List.of(more));
    }

    private static List<String> sub(String version, String... more) {
        return command("mosquitto_sub", version, List.of(more));
    }

    private static List<String> sub(String version, List<String> more) {
        return command("mosquitto_sub", version, more);
    }

    private static List<String> command(String program, String version, List<String> more) {
        List<String> words = new ArrayList<>(List.of(
                program,
                "-h",
                "127.0.0.1",
                "-p",
                Integer.toString(broker.address().getPort()),
                "-V",
                version));
        words.addAll(more);
        return words;
    }

    private static List<String> with(List<String> words, String... more) {
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of(more));
        return all;
    }

    /** A program that prints into a file while it runs. */
    private static final class Running implements AutoCloseable {
        private final Process process;
        private final Path output;

        Running(List<String> words) throws IOException {
            output = Files.createTempFile(directory, "out", null);
            List<String> unbuffered = new ArrayList<>(List.of("stdbuf", "-oL"));
            unbuffered.addAll(words);
            process = new ProcessBuilder(unbuffered)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
        }

        /** Lines that begin so. */
        List<String> lines(String beginning) throws IOException {
            return Files.readAllLines(output).stream()
                    .filter(line -> line.startsWith(beginning))
                    .toList();
        }

        void awaitLine(String beginning) throws IOException {
            Await looks = Await.atMost(PATIENCE);
            while (lines(beginning).isEmpty()) {
                if (!looks.again()) {
                    throw new IOException("no line with " + beginning + " in: " + Files.readString(output));
                }
            }
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    /** Returns what it prints. */
    private static String run(List<String> words) throws Exception {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException(words + " has not ended in 20 s");
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as("%s: %s", words, output).isZero();
        return output;
    }

    private static int exitCode(List<String> words) throws Exception {
        Process process;
        try {
            process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            return -1; // no such program
        }
        return process.waitFor();
    }
}
