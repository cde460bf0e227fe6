package io.godwit.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.PacketWriter;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A tenant at its limits beside one whose clients go about their business. The loud tenant has as many connections as
 * it may and wants more; its clients publish more than they may, messages that are too large, and to receivers that
 * acknowledge nothing. The clients of the quiet one lose nothing, and wait about as long as without such a neighbour.
 */
class NoisyNeighbourTest {
    private static final int CONNECTIONS = 60;
    private static final int SUBSCRIBERS = 10;
    /** More than its tenant may have. */
    private static final int PUBLISHERS = 100;

    private static final Packet.Login LOUD = new Packet.Login("loud/user", "any");
    private static final String TENANTS = """
            tenants:
              quiet: {}
              loud:
                maxConnections: %d
                maxPublishRate: 20
                maxBandwidthIn: 100000
                maxBandwidthOut: 100000
                maxPayloadBytes: 1000
                maxQueuedMessages: 100
                sendMaximum: 10
            """.formatted(CONNECTIONS);

    @TempDir
    private Path directory;

    private BrokerProcess broker;

    @BeforeEach
    void start() throws Exception {
        broker = TenantBroker.with(directory, TENANTS).setting("banConfig", "{maxFailedLoginsPerSource: 0}");
        TenantBroker.start(broker);
    }

    @AfterEach
    void stop() throws IOException {
        broker.close();
    }

    /** The clients of the loud tenant, and what they were answered. */
    private static final class Noise {
        private final AtomicInteger letIn = new AtomicInteger();
        private final AtomicInteger refused = new AtomicInteger();
        private final AtomicInteger tooLarge = new AtomicInteger();
        private final AtomicInteger acknowledged = new AtomicInteger();

        void begin(Swarm swarm, BrokerProcess broker) {
            swarm.keep(
                    broker.address(),
                    SUBSCRIBERS,
                    100,
                    number -> new Client(
                            "subscriber-" + number,
                            peer -> Attacks.subscribes(List.of("noise/#"), 1).forEach(peer::send)));
            byte[] some = publish(500, 0, 0);
            byte[] acknowledgedOne = publish(500, 1, 1);
            byte[] large = publish(2_000, 1, 2);
            swarm.keep(
                    broker.address(),
                    PUBLISHERS,
                    100,
                    number -> new Client("publisher-" + number, peer -> flood(peer, some, acknowledgedOne, large)));
        }

        private static byte[] publish(int bytes, int qos, int packetId) {
            return PacketWriter.bytes(
                    new Packet.Publish("noise/t", new byte[bytes], qos, false, false, packetId, Properties.NONE), 5);
        }

        /** Hands over as much as the socket takes, ten times a second. */
        private static void flood(Swarm.Peer peer, byte[] some, byte[] acknowledgedOne, byte[] large) {
            for (int i = 0; i < 50 && !peer.isFull(); i++) {
                peer.send(some);
            }
            if (!peer.isFull()) {
                peer.send(acknowledgedOne);
                peer.send(large);
            }
            peer.later(100, () -> flood(peer, some, acknowledgedOne, large));
        }

        @Override
        public String toString() {
            return "%s let in, %s refused, %s acknowledged, %s too large"
                    .formatted(letIn, refused, acknowledged, tooLarge);
        }

        private final class Client extends ScannedClient {
            private final Consumer<Swarm.Peer> then;

            Client(String clientId, Consumer<Swarm.Peer> then) {
                super(Attacks.login(clientId, true, LOUD, none -> none));
                this.then = then;
            }

            @Override
            void packet(Swarm.Peer peer, int first, byte[] head) {
                if (first == 0x20 && head[1] != 0) {
                    refused.incrementAndGet();
                } else if (first == 0x20) {
                    letIn.incrementAndGet();
                    then.accept(peer);
                } else if (first == 0x40) {
                    ((head[2] & 0xFF) == 0x97 ? tooLarge : acknowledged).incrementAndGet();
                }
                head[2] = 0; // a PUBACK without a reason has two bytes: the third would be that of an earlier packet
            }
        }
    }

    private Canary.Song quiet(Duration lasts) throws Exception {
        try (Canary canary = Canary.singing(broker.address(), config -> config.withLogin("quiet/user", "any"))) {
            Pace.pass(lasts);
            return canary.end();
        }
    }

    private Canary.Song besideNoise(Duration lasts) throws Exception {
        Noise noise = new Noise();
        try (Swarm swarm = new Swarm()) {
            noise.begin(swarm, broker);
            Await.until(
                    () -> "at its limits: " + noise,
                    Await.PATIENCE,
                    () -> noise.letIn.get() >= CONNECTIONS
                            && noise.refused.get() > 0
                            && noise.tooLarge.get() > 0
                            && noise.acknowledged.get() > 0);
            Canary.Song song = quiet(lasts);
            System.out.printf("  beside a loud neighbour: %s%n    the neighbour: %s%n", song, noise);
            return song;
        }
    }

    /**
     * On a machine that may be busy: far more than there is to wait without the neighbour, and yet less than there
     * would be if the quiet tenant stood in a queue behind the loud one.
     */
    @Test
    @Tag("full")
    @Tag("alone")
    void aTenantAtItsLimitsDoesNotStopAnother() throws Exception {
        Canary.Song alone = quiet(Duration.ofSeconds(5));
        System.out.printf("  alone: %s%n", alone);
        besideNoise(Duration.ofSeconds(5))
                .within(Duration.ofSeconds(3).plus(alone.p99().multipliedBy(10)));
    }

    /**
     * At most twice as long, on a machine that has nothing to do but this. What is compared is the middle one of five
     * turns of each kind, by turns, so that what happens once decides nothing. Below two milliseconds it is the clock
     * of the operating system that is measured.
     */
    @Test
    @Tag("long")
    void aTenantAtItsLimitsDoesNotSlowAnother() throws Exception {
        Duration lasts = Duration.ofSeconds(20);
        quiet(lasts); // a broker that has just been started interprets its code
        besideNoise(lasts);
        List<Duration> alone = new ArrayList<>();
        List<Duration> beside = new ArrayList<>();
        for (int turn = 0; turn < 5; turn++) {
            Canary.Song song = quiet(lasts);
            System.out.printf("  alone: %s%n", song);
            alone.add(song.p99());
            beside.add(besideNoise(lasts).p99());
        }
        Duration usual = middle(alone);
        Duration least = Duration.ofMillis(2);
        Duration limit = (usual.compareTo(least) < 0 ? least : usual).multipliedBy(2);
        assertThat(middle(beside)).as("of %s, alone %s", beside, alone).isLessThanOrEqualTo(limit);
    }

    private static Duration middle(List<Duration> of) {
        return of.stream().sorted(Comparator.naturalOrder()).toList().get(of.size() / 2);
    }
}
