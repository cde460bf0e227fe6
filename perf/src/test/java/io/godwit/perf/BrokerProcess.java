package io.godwit.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.perf.load.Endpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** A broker, a process on this test's class path. Whoever has started it closes it. */
final class BrokerProcess {
    private final Process process;

    private BrokerProcess(Process process) {
        this.process = process;
    }

    /**
     * Returns when it listens.
     *
     * @param home where its files go; it is there, and empty of those of another broker
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

    /**
     * Ports of 127.0.0.1 that nobody listens on, below the range that the system takes for outgoing connections: tests
     * that run at the same time open many of those.
     */
    static List<Integer> freePorts(int count) throws IOException {
        List<Integer> ports = new ArrayList<>();
        for (int attempt = 0; attempt < 100; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
            try (ServerSocket probe = new ServerSocket()) {
                probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                if (!ports.contains(port)) {
                    ports.add(port);
                }
            } catch (IOException e) {
                // taken: try another
            }
            if (ports.size() == count) {
                return ports;
            }
        }
        throw new IOException("no " + count + " free ports between 20000 and 32000");
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
