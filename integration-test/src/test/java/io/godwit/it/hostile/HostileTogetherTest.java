package io.godwit.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.PacketWriter;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * All attacks at once on a broker with a heap of 512 MB: by clients that never log in, and by clients that do. The
 * broker lives, honest clients lose nothing and do not wait, and no error is logged.
 */
class HostileTogetherTest {
    private static final Packet.Login ANN = new Packet.Login("ann", "grutto");
    /** Pause before a hostile client that was thrown out comes again. */
    private static final long RETURN_MILLIS = 100;

    @TempDir
    private static Path directory;

    private static BrokerProcess victim;
    private static BrokerProcess control;

    @BeforeAll
    static void start() throws Exception {
        Path passwords = directory.resolve("passwd");
        passwd(passwords, "grutto\n", "add", "ann");
        passwd(passwords, "wulp\n", "add", "--scram", "gate");
        victim = broker("victim", passwords);
        control = broker("control", passwords);
        control.launch();
        victim.start();
        control.awaitReady(Await.PATIENCE);
    }

    /** Bans are off: honest and hostile clients have one address here. */
    private static BrokerProcess broker(String name, Path passwords) throws IOException {
        return new BrokerProcess(directory.resolve(name))
                .longLived()
                .environment("JVM_HEAP_OPTS", "-Xms512m -Xmx512m")
                .setting("banConfig", "{maxFailedLoginsPerSource: 0}")
                .setting("authConfig", "{provider: file, file: " + passwords + "}");
    }

    @AfterAll
    static void stop() throws IOException {
        victim.close();
        control.close();
    }

    private static void passwd(Path file, String input, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(BrokerProcess.distribution().resolve("bin/godwit-passwd").toString());
        command.addAll(List.of("--file", file.toString()));
        command.addAll(List.of(words));
        Path said = directory.resolve("passwd.out");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(said)).isZero();
    }

    @Test
    @Tag("full")
    @Tag("alone")
    void clientsThatNeverLogInStopNobody() throws Exception {
        withstand("without credentials", Size.SMALL, swarm -> withoutCredentials(swarm, Size.SMALL));
    }

    @Test
    @Tag("long")
    void manyClientsThatNeverLogInStopNobody() throws Exception {
        withstand("without credentials", Size.FULL, swarm -> withoutCredentials(swarm, Size.FULL));
    }

    @Test
    void clientsThatLogInStopNobody() throws Exception {
        withstand("with credentials", Size.SMALL, swarm -> {
            withCredentials(swarm, Size.SMALL);
            unsubscribers(swarm, Size.SMALL);
        });
    }

    @Test
    @Tag("long")
    void manyClientsOfBothKindsStopNobody() throws Exception {
        withstand("of both kinds", Size.FULL, swarm -> {
            withoutCredentials(swarm, Size.FULL);
            withCredentials(swarm, Size.FULL);
        });
    }

    /** Publishers that send as fast as they can what many sessions get. */
    @Test
    @Tag("full")
    @Tag("alone")
    void floodsStopNobody() throws Exception {
        withstand("by floods", Size.SMALL, swarm -> floods(swarm, Size.SMALL));
    }

    @Test
    @Tag("long")
    void manyFloodsStopNobody() throws Exception {
        withstand("by floods", Size.FLOODS, swarm -> floods(swarm, Size.FLOODS));
    }

    /**
     * @param clients of each attack
     * @param p99 what honest clients may wait on a quiet machine; zero where the machine may be busy, and the control
     *     says what is usual
     */
    private record Size(int clients, Duration lasts, int idle, Duration p99) {
        static final Size SMALL = new Size(4, Duration.ofSeconds(8), 300, Duration.ZERO);
        static final Size FULL = new Size(16, Duration.ofSeconds(60), 5_000, Duration.ofMillis(100));
        /** Takes all of the processors, so that an honest message waits for its turn. */
        static final Size FLOODS = new Size(16, Duration.ofSeconds(20), 0, Duration.ofSeconds(1));
    }

    private static void withoutCredentials(Swarm swarm, Size size) {
        InetSocketAddress address = victim.address();
        byte[] scramProperties = Attacks.scramWithProperties(2_000_000);
        byte[] scramPropertiesBelowCap = Attacks.scramWithProperties(60_000);
        byte[] longName = Attacks.scramLongName(60_000);
        byte[] password = Attacks.passwordWithProperties("ann", "not this", 60_000);
        byte[] endless = Attacks.endlessConnect();
        swarm.keep(address, size.clients, RETURN_MILLIS, number -> Swarm.Manner.saying(scramProperties));
        swarm.keep(address, 8 * size.clients, RETURN_MILLIS, number -> Swarm.Manner.saying(scramPropertiesBelowCap));
        swarm.keep(address, size.clients, RETURN_MILLIS, number -> Swarm.Manner.saying(longName));
        swarm.keep(address, 8 * size.clients, RETURN_MILLIS, number -> Swarm.Manner.saying(password));
        swarm.keep(address, size.clients, RETURN_MILLIS, number -> Swarm.Manner.saying(endless));
        swarm.keep(address, size.idle, RETURN_MILLIS, number -> peer -> {});
    }

    private static void withCredentials(Swarm swarm, Size size) {
        InetSocketAddress address = victim.address();
        swarm.keep(address, size.clients, RETURN_MILLIS, HostileTogetherTest::heavyReader);
        swarm.keep(address, size.clients, RETURN_MILLIS, HostileTogetherTest::heavyPublisher);
        List<byte[]> colliding = Attacks.subscribes(Attacks.colliding(1 << 14), 1);
        swarm.keep(address, size.clients, RETURN_MILLIS, number -> subscriber("colliding-" + number, colliding));
        List<byte[]> overlapping = Attacks.subscribes(Attacks.overlapping("pub", 13), 0);
        byte[] matched = burst("pub" + "/a".repeat(13), 500);
        swarm.keep(address, size.clients, RETURN_MILLIS, number -> subscriber("overlapping-" + number, overlapping));
        swarm.keep(address, size.clients, RETURN_MILLIS, number -> publisher("matched-" + number, matched));
        byte[] fight = Attacks.login("fought-for", false, ANN, none -> none.with(Properties.SESSION_EXPIRY, 60));
        swarm.keep(address, 2 * size.clients, 0, number -> Swarm.Manner.saying(fight));
    }

    private static void floods(Swarm swarm, Size size) {
        InetSocketAddress address = victim.address();
        List<byte[]> overlapping = Attacks.subscribes(Attacks.overlapping("flood", 13), 0);
        byte[] matched = burst("flood" + "/a".repeat(13), 2_000);
        swarm.keep(address, size.clients, RETURN_MILLIS, number -> subscriber("floods-" + number, overlapping));
        swarm.keep(address, 15 * size.clients, RETURN_MILLIS, number -> publisher("flooder-" + number, matched));
    }

    /** Not among those of full size: they take so much of the processor that other clients wait for seconds. */
    private static void unsubscribers(Swarm swarm, Size size) {
        InetSocketAddress address = victim.address();
        swarm.keep(address, size.clients, RETURN_MILLIS, number -> unsubscriber("unsubscribing-" + number, 690_000));
        swarm.keep(
                address,
                8 * size.clients,
                RETURN_MILLIS,
                number -> unsubscriber("unsubscribing-less-" + number, Attacks.MOST_FILTERS));
    }

    /** Wants messages one by one and acknowledges none. */
    private static Swarm.Manner heavyReader(int number) {
        byte[] connect =
                Attacks.login("heavy-reader-" + number, true, ANN, none -> none.with(Properties.RECEIVE_MAXIMUM, 1));
        byte[] subscribe = Attacks.subscribes(List.of("heavy/" + number), 1).get(0);
        return Attacks.letIn(connect, peer -> peer.send(subscribe));
    }

    /** Sends 48 messages, each of nothing but half a megabyte of properties. */
    private static Swarm.Manner heavyPublisher(int number) {
        byte[] connect = Attacks.login("heavy-publisher-" + number, true, ANN, none -> none);
        byte[] publish = Attacks.publishWithProperties("heavy/" + number, 1, 500_000);
        return Attacks.letIn(connect, peer -> {
            for (int i = 0; i < 48; i++) {
                byte[] copy = publish.clone();
                int id = 4 + ("heavy/" + number).length() + 2;
                copy[id] = 0;
                copy[id + 1] = (byte) (i + 1);
                peer.send(copy);
            }
        });
    }

    /** Subscribes to all of these again and again. */
    private static Swarm.Manner subscriber(String clientId, List<byte[]> subscribes) {
        byte[] connect = Attacks.login(clientId, true, ANN, none -> none);
        return Attacks.letIn(connect, peer -> subscribeAgain(peer, subscribes));
    }

    private static void subscribeAgain(Swarm.Peer peer, List<byte[]> subscribes) {
        if (!peer.isFull()) {
            subscribes.forEach(peer::send);
        }
        peer.later(1_000, () -> subscribeAgain(peer, subscribes));
    }

    /** Has a stored session with one filter and gives up others, which it never had, again and again. */
    private static Swarm.Manner unsubscriber(String clientId, int filters) {
        byte[] connect = Attacks.login(clientId, false, ANN, none -> none.with(Properties.SESSION_EXPIRY, 60));
        List<byte[]> packets = new ArrayList<>(Attacks.subscribes(List.of(clientId), 1));
        packets.add(Attacks.unsubscribe(filters));
        return Attacks.letIn(connect, peer -> subscribeAgain(peer, packets));
    }

    private static Swarm.Manner publisher(String clientId, byte[] burst) {
        byte[] connect = Attacks.login(clientId, true, ANN, none -> none);
        return Attacks.letIn(connect, peer -> publishAgain(peer, burst));
    }

    private static void publishAgain(Swarm.Peer peer, byte[] burst) {
        if (!peer.isFull()) {
            peer.send(burst);
        }
        peer.later(100, () -> publishAgain(peer, burst));
    }

    /** So many QoS 0 messages without payload. */
    private static byte[] burst(String topic, int messages) {
        byte[] one = PacketWriter.bytes(new Packet.Publish(topic, new byte[0], 0, false, false, 0, Properties.NONE), 5);
        byte[] all = new byte[one.length * messages];
        for (int i = 0; i < messages; i++) {
            System.arraycopy(one, 0, all, i * one.length, one.length);
        }
        return all;
    }

    private static void withstand(String name, Size size, Consumer<Swarm> attack) throws Exception {
        ProcessHandle before = victim.handle();
        if (!size.p99.isZero()) {
            // how long honest clients wait is of interest in a broker that has run for more than a moment: one that has
            // just been started interprets its code, on the processors that the attack takes
            Duration first = Duration.ofSeconds(15);
            System.out.printf(
                    "all attacks %s, at first: %s%n", name, songs(first, attack).victim());
        }
        Songs songs = songs(size.lasts, attack);
        System.out.printf(
                "all attacks %s: %d connections; %s%n  control %s%n",
                name, songs.opened(), songs.victim(), songs.control());
        assertThat(victim.handle())
                .as("the broker runs in the same process as before")
                .isEqualTo(before);
        assertThat(songs.opened()).as("hostile connections").isGreaterThanOrEqualTo(6 * size.clients);
        assertThat(errors()).as("errors that the broker has logged").isEmpty();
        Duration usual = songs.control().p99();
        Duration limit = size.p99.isZero() ? Duration.ofSeconds(3).plus(usual.multipliedBy(10)) : size.p99.plus(usual);
        songs.victim().within(limit);
    }

    /** What canaries sang meanwhile: of both brokers, having lost nothing. */
    private record Songs(Canary.Song victim, Canary.Song control, int opened) {}

    private static Songs songs(Duration lasts, Consumer<Swarm> attack) throws Exception {
        UnaryOperator<ClientConfig> login = config -> config.withLogin(ANN.user(), ANN.password());
        try (Canary canary = Canary.singing(victim.address(), login);
                Canary unharmed = Canary.singing(control.address(), login)) {
            int opened;
            try (Swarm swarm = new Swarm()) {
                attack.accept(swarm);
                Pace.pass(lasts);
                opened = swarm.opened();
            }
            return new Songs(canary.end(), unharmed.end(), opened);
        }
    }

    private static List<String> errors() throws IOException {
        List<String> lines = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(victim.log())) {
            for (Path file : files) {
                lines.addAll(Files.readAllLines(file));
            }
        }
        lines.removeIf(line -> !line.contains(" ERROR ") && !line.contains("OutOfMemoryError"));
        return lines;
    }
}
