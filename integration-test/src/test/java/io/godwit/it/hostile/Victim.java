package io.godwit.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.auth.TokenText;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.broker.SharedByPackage;
import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.testing.Await;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The broker that hostile clients are let loose on, one for all test classes, as a broker runs that stays: with the
 * start script's own heap. Beside it stands another one, the control, that nobody attacks.
 */
final class Victim implements BeforeAllCallback {
    /** Opens the API to honest programs. */
    static final String TOKEN = TokenText.make(new SecureRandom());
    /** The same to hostile ones. */
    static final String STOLEN = TokenText.make(new SecureRandom());

    private @Nullable Running running;

    /** What honest clients may notice of an assault; they never lose anything. */
    enum Limit {
        /**
         * On a machine that may be slow and busy with other things: far more than clients of the control have to wait
         * at the same time, and yet less than they would by any fault of the broker's.
         */
        BESIDE_CONTROL {
            @Override
            Duration of(Duration controlP99) {
                return Duration.ofSeconds(3).plus(controlP99.multipliedBy(10));
            }
        },
        /**
         * Nothing, for it is not MQTT that is attacked: but for what two programs more on the same processors take
         * from all, clients of the control included.
         */
        UNNOTICED {
            @Override
            Duration of(Duration controlP99) {
                return Duration.ofMillis(100).plus(controlP99.multipliedBy(3));
            }
        },
        /**
         * What nobody would call a stall, on a machine of two cores that has nothing to do but this, hostile clients
         * included.
         */
        STRICT {
            @Override
            Duration of(Duration controlP99) {
                return Duration.ofSeconds(1);
            }
        };

        /** The limit of the 99th percentile, from publish to arrival. */
        abstract Duration of(Duration controlP99);
    }

    /** What is done to it. */
    interface Assault {
        void commit() throws Exception;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        running = SharedByPackage.get(context, Running.class, Running::new);
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

    /** A listener that takes the largest packets there are. */
    InetSocketAddress generous() {
        return running().generous;
    }

    /** The port of its API, which has its usual bounds but waits less long. */
    InetSocketAddress api() {
        return running().api;
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

    /**
     * What the broker has counted since its start of the kinds that begin so; it tells every ten seconds, if there is
     * anything new.
     */
    long events(String kind) {
        return told().stream()
                .filter(line -> line.startsWith("events=" + kind))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
                .sum();
    }

    /** Returns when {@link #events} has all that happened before the call: there is something new by then. */
    void tellsAll() throws IOException {
        List<String> before = told();
        try (Socket socket = new Socket(address().getAddress(), address().getPort())) {
            socket.getOutputStream().write(new byte[] {0, 0}); // no packet is of type 0
            socket.getInputStream().readAllBytes();
        }
        Await.until("told of a protocol violation", () -> !told().equals(before));
    }

    private List<String> told() {
        try {
            return Files.readAllLines(running().broker.data().resolve("godwit.status"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Commits it while honest clients go about their business; fails when they notice, or when what it took does not
     * come back.
     */
    void withstands(String name, Limit limit, Assault assault) throws Exception {
        Vitals before = probe().vitals();
        long begin = System.nanoTime();
        Canary.Song song;
        Canary.Song control;
        try (Canary canary = Canary.singing(address());
                Canary unharmed = Canary.singing(running().control.address())) {
            assault.commit();
            song = canary.end();
            control = unharmed.end();
        }
        long millis = (System.nanoTime() - begin) / 1_000_000;
        Vitals after = probe().returnedTo(before);
        System.out.printf(
                "%s: %d ms; %s%n  control %s%n  before %s%n  after  %s%n", name, millis, song, control, before, after);
        song.within(limit.of(control.p99()));
        assertThat(running().complaints())
                .as("errors that the broker has logged")
                .isEmpty();
    }

    /** Made by the first class that needs it. */
    static final class Running implements Closeable {
        private final Path home;
        private final BrokerProcess broker;
        private final Probe probe;
        private final BrokerProcess control;
        private final InetSocketAddress hasty;
        private final InetSocketAddress generous;
        private final InetSocketAddress api;
        private final InetSocketAddress tls;
        private final InetSocketAddress webSocket;

        Running() {
            try {
                home = Files.createTempDirectory("hostile");
                Files.writeString(
                        home.resolve("tokens"),
                        TokenFile.parse("")
                                .with(TokenFile.Entry.ofToken("ada", Role.ADMIN, "", TOKEN))
                                .with(TokenFile.Entry.ofToken("eve", Role.ADMIN, "", STOLEN))
                                .text());
                TestAuthority.write(home, "server", new TestAuthority("root").issue("CN=server"));
                hasty = Ports.free();
                generous = Ports.free();
                api = Ports.free();
                tls = Ports.free();
                webSocket = Ports.free();
                broker = new BrokerProcess(home)
                        .longLived()
                        .environment("JVM_HEAP_OPTS", "")
                        .jvmOption("-XX:NativeMemoryTracking=summary")
                        // the probe looks by JMX, whose calls are Java objects
                        .jvmOption("-Djdk.serialFilter=*")
                        .listener("{host: 127.0.0.1, port: " + hasty.getPort() + ", connectTimeoutSeconds: 3}")
                        .listener("{host: 127.0.0.1, port: " + generous.getPort() + ", maxPacketBytes: 268435455}")
                        .setting(
                                "apiServerConfig",
                                "{port: " + api.getPort()
                                        + ", tokensFile: tokens, headTimeoutSeconds: 2, idleTimeoutSeconds: 4}")
                        .mqttSetting(
                                "tlsListener",
                                "{port: " + tls.getPort()
                                        + ", connectTimeoutSeconds: 3, sslConfig: {certFile: server.crt, "
                                        + "keyFile: server.key}}")
                        .mqttSetting("wsListener", "{port: " + webSocket.getPort() + ", connectTimeoutSeconds: 3}");
                control = new BrokerProcess(home.resolve("control")).longLived();
                control.launch();
                broker.start();
                control.awaitReady(Await.PATIENCE);
                probe = new Probe(broker.handle());
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        /** What nobody may bring about from outside. */
        List<String> complaints() throws IOException {
            List<String> lines = new ArrayList<>();
            try (DirectoryStream<Path> files = Files.newDirectoryStream(broker.log(), "*.log")) {
                for (Path file : files) {
                    lines.addAll(Files.readAllLines(file));
                }
            }
            lines.removeIf(line -> !line.contains(" ERROR "));
            return lines;
        }

        @Override
        public void close() throws IOException {
            probe.close();
            broker.close();
            control.close();
            try (Stream<Path> files = Files.walk(home)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
