package io.godwit.it.hostile;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.mqtt.certificates.TestAuthority;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The broker that hostile clients are let loose on, one for all test classes, as a broker runs that stays: with the start script's own heap. */
final class Victim implements BeforeAllCallback {
    private @Nullable Running running;

    /** What is done to it. */
    interface Assault {
        void commit() throws Exception;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        running = context.getRoot()
                .getStore(ExtensionContext.Namespace.create(Victim.class))
                .getOrComputeIfAbsent(Running.class);
    }

    private Running running() {
        if (running == null) {
            throw new IllegalStateException("not started");
        }
        return running;
    }

    InetSocketAddress address() {
        return running().broker.address();
    }

    /** A listener that does not wait long for a CONNECT. */
    InetSocketAddress hasty() {
        return running().hasty;
    }

    /** As hasty. */
    InetSocketAddress tls() {
        return running().tls;
    }

    /** As hasty. */
    InetSocketAddress webSocket() {
        return running().webSocket;
    }

    Probe probe() {
        return running().probe;
    }

    /** What the broker has counted since its start of the kinds that begin so; it tells every ten seconds. */
    long events(String kind) {
        try {
            return Files.readAllLines(running().broker.data().resolve("godwit.status")).stream()
                    .filter(line -> line.startsWith("events=" + kind))
                    .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Commits it while honest clients go about their business; fails when they notice, or when what it took does not come back. */
    void withstands(String name, Assault assault) throws Exception {
        Vitals before = probe().vitals();
        long begin = System.nanoTime();
        String times;
        try (Canary canary = Canary.singing(address())) {
            assault.commit();
            times = canary.wellUntilNow(Canary.P99_LIMIT);
        }
        long millis = (System.nanoTime() - begin) / 1_000_000;
        Vitals after = probe().returnedTo(before);
        System.out.printf("%s: %d ms; %s%n  before %s%n  after  %s%n", name, millis, times, before, after);
    }

    /** Made by the store of the whole test run. */
    static final class Running implements AutoCloseable {
        private final Path home;
        private final BrokerProcess broker;
        private final Probe probe;
        private final InetSocketAddress hasty;
        private final InetSocketAddress tls;
        private final InetSocketAddress webSocket;

        Running() {
            try {
                home = Files.createTempDirectory("hostile");
                TestAuthority.write(home, "server", new TestAuthority("root").issue("CN=server"));
                hasty = Ports.free();
                tls = Ports.free();
                webSocket = Ports.free();
                broker = new BrokerProcess(home)
                        .longLived()
                        .environment("JVM_HEAP_OPTS", "")
                        .jvmOption("-XX:NativeMemoryTracking=summary")
                        .listener("{host: 127.0.0.1, port: " + hasty.getPort() + ", connectTimeoutSeconds: 3}")
                        .mqttSetting(
                                "tlsListener",
                                "{port: " + tls.getPort()
                                        + ", connectTimeoutSeconds: 3, sslConfig: {certFile: server.crt, keyFile: server.key}}")
                        .mqttSetting("wsListener", "{port: " + webSocket.getPort() + ", connectTimeoutSeconds: 3}");
                broker.start();
                probe = new Probe(broker.handle());
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() throws IOException {
            probe.close();
            broker.close();
            try (Stream<Path> files = Files.walk(home)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
