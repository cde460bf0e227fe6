package io.godwit.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.PacketWriter;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import io.netty.buffer.ByteBuf;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients with one client id, each of which connects again as soon as it is driven out. */
@Tag("full")
@Tag("alone")
class FightingClientsTest {
    @TempDir
    private static Path directory;

    private static BrokerProcess broker;

    @BeforeAll
    static void start() throws Exception {
        broker = new BrokerProcess(directory.resolve("broker")).longLived();
        broker.start();
    }

    @AfterAll
    static void stop() throws Exception {
        broker.close();
    }

    @ParameterizedTest(name = "{0} clients, MQTT {1}, clean {2}")
    @CsvSource({"2,5,true", "50,5,true", "2,5,false", "2,4,false", "50,5,false"})
    void everyConnectGetsItsConnackAndTheLatestWins(int clients, int level, boolean clean) throws Exception {
        int connects = 3000;
        String clientId = "fought-for-" + clients + "-" + level + "-" + clean;
        try (Swarm swarm = new Swarm()) {
            Fight fight = new Fight(swarm, clientId, level, clean, connects);
            long begin = System.nanoTime();
            for (int i = 0; i < clients; i++) {
                fight.next();
            }
            Await.until("all are answered: " + fight, () -> fight.over() == connects);
            System.out.printf(
                    "%d clients, MQTT %d, clean %s: %s, %d accepted a second%n",
                    clients, level, clean, fight, fight.accepted.get() * 1_000_000_000L / (System.nanoTime() - begin));
            assertThat(fight.accepted).as("%s", fight).hasValue(connects);
            ClientConfig config = ClientConfig.of(broker.address(), clientId, level);
            try (TestClient last = new TestClient(clean ? config.withCleanSession() : config)) {
                Packet.Connack answer = last.connect();
                assertThat(answer.code()).isZero();
                assertThat(answer.sessionPresent()).isEqualTo(!clean);
                Await.until("the others are closed", () -> swarm.closed() == swarm.opened());
                assertThat(last.subscribe("fought/for", 1)).isEqualTo(1);
                last.publish("fought/for", "still here", 1);
                assertThat(last.next(Await.PATIENCE)).isNotNull();
                last.disconnect();
            }
        }
    }

    /** Counts what becomes of each CONNECT. */
    private static final class Fight {
        private final Swarm swarm;
        private final byte[] connect;
        private final AtomicInteger left;
        private final AtomicInteger accepted = new AtomicInteger();
        private final AtomicInteger refused = new AtomicInteger();
        private final AtomicInteger unanswered = new AtomicInteger();

        Fight(Swarm swarm, String clientId, int level, boolean clean, int connects) {
            this.swarm = swarm;
            this.left = new AtomicInteger(connects);
            Properties properties =
                    clean || level < 5 ? Properties.NONE : Properties.NONE.with(Properties.SESSION_EXPIRY, 60);
            connect = PacketWriter.bytes(new Packet.Connect(level, clientId, clean, 0, properties, null), level);
        }

        int over() {
            return accepted.get() + refused.get() + unanswered.get();
        }

        void next() {
            if (left.getAndDecrement() > 0) {
                swarm.open(broker.address(), new Fighter());
            }
        }

        @Override
        public String toString() {
            return accepted + " accepted, " + refused + " refused, " + unanswered + " closed without CONNACK";
        }

        /** One connection, which is followed by the next when it ends. */
        private final class Fighter implements Swarm.Manner {
            private final PacketScanner scanner = new PacketScanner(this::packet);
            private boolean isAnswered;

            @Override
            public void opened(Swarm.Peer peer) {
                peer.send(connect);
            }

            @Override
            public void received(Swarm.Peer peer, ByteBuf bytes) {
                scanner.add(bytes);
            }

            private void packet(int first, byte[] head) {
                if (first == 0x20 && !isAnswered) {
                    isAnswered = true;
                    (head[1] == 0 ? accepted : refused).incrementAndGet();
                }
            }

            @Override
            public void closed() {
                if (!isAnswered) {
                    unanswered.incrementAndGet();
                }
                next();
            }
        }
    }
}
