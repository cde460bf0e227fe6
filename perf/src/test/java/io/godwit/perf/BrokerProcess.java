package io.godwit.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.perf.load.client.Endpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A broker in a process with this test's class path. The test that has started it closes it. */
final class BrokerProcess {
    private final Process process;

    private BrokerProcess(Process process) {
        this.process = process;
    }

    /**
     * Starts a broker; returns when it listens.
     *
     * @param home directory of its files; exists, and contains no files of another broker
     * @param port of 127.0.0.1, one of those in {@code yaml}
     */
    static BrokerProcess start(Path home, String yaml, int port) throws IOException, InterruptedException {
        Path config = Files.writeString(home.resolve("standalone.yml"), yaml);
        Path output = home.resolve("output");
        BrokerProcess broker = new BrokerProcess(new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Dcom.google.protobuf.use_unsafe_pre22_gencode=true",
                        "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile"),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        "io.godwit.broker.Main",
                        "--config",
                        config.toString(),
                        "--data",
                        home.resolve("data").toString(),
                        "--plugins",
                        home.resolve("plugins").toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start());
        boolean isThere = Shell.awaitPorts(List.of(new Endpoint("127.0.0.1", port)), Shell.PORT_TIME);
        if (!isThere) {
            broker.close();
        }
        assertThat(isThere).withFailMessage(() -> read(output)).isTrue();
        return broker;
    }

    private static String read(Path output) {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }
}
