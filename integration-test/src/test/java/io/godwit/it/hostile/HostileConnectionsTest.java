package io.godwit.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.hostile.Victim.Limit;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.PacketWriter;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that come to nothing, come again and again, or bring what is no MQTT. */
class HostileConnectionsTest {
    @RegisterExtension
    static final Victim VICTIM = new Victim();

    private static final byte[] CONNECT = connect("half", true);

    private static byte[] connect(String clientId, boolean clean) {
        Properties properties = clean ? Properties.NONE : Properties.NONE.with(Properties.SESSION_EXPIRY, 60);
        return PacketWriter.bytes(new Packet.Connect(5, clientId, clean, 0, properties, null), 5);
    }

    private static byte[] subscribe(String filter) {
        return PacketWriter.bytes(new Packet.Subscribe(1, List.of(new Packet.Request(filter, 1)), Properties.NONE), 5);
    }

    // ---- half-open

    @Test
    @Tag("full")
    @Tag("alone")
    void connectionsWithoutConnectAreClosedInTime() throws Exception {
        halfOpen(Limit.BESIDE_CONTROL, 400);
    }

    @Test
    @Tag("long")
    void fiveThousandConnectionsWithoutConnectAreClosedInTime() throws Exception {
        halfOpen(Limit.STRICT, 5000);
    }

    /**
     * A quarter says nothing, a quarter half a CONNECT, a quarter a byte of one now and then; the last one begins TLS
     * or WebSocket.
     */
    private static void halfOpen(Limit limit, int connections) throws Exception {
        byte[] half = Arrays.copyOf(CONNECT, CONNECT.length / 2);
        byte[] hello = {0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, (byte) 0xFC, 0x03, 0x03};
        byte[] request = "GET /mqtt HTTP/1.1\r\nHost: here\r\n".getBytes(StandardCharsets.US_ASCII);
        VICTIM.withstands("half-open", limit, () -> {
            try (Swarm swarm = new Swarm()) {
                int quarter = connections / 4;
                swarm.open(VICTIM.hasty(), quarter, number -> Swarm.Manner.saying(new byte[0]));
                swarm.open(VICTIM.hasty(), quarter, number -> Swarm.Manner.saying(half));
                swarm.open(VICTIM.hasty(), quarter, number -> peer -> trickle(peer, 0));
                swarm.open(VICTIM.tls(), quarter / 2, number -> Swarm.Manner.saying(hello));
                swarm.open(VICTIM.webSocket(), quarter / 2, number -> Swarm.Manner.saying(request));
                Await.until("open and closed again", () -> swarm.closed() == connections);
                assertThat(swarm.opened()).isEqualTo(connections);
            }
        });
    }

    private static void trickle(Swarm.Peer peer, int sent) {
        if (sent < CONNECT.length - 1) {
            peer.send(new byte[] {CONNECT[sent]});
            peer.later(500, () -> trickle(peer, sent + 1));
        }
    }

    // ---- takeovers

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStormOfTakeoversEndsWithTheLastOne(boolean clean) throws Exception {
        takeOver(Limit.BESIDE_CONTROL, 400, clean);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("long")
    void twentyThousandTakeoversEndWithTheLastOne(boolean clean) throws Exception {
        takeOver(Limit.STRICT, 20_000, clean);
    }

    /** Several at once, each of which connects as soon as its last connection has been answered or closed. */
    private static void takeOver(Limit limit, int connects, boolean clean) throws Exception {
        String clientId = "taken-" + clean + '-' + connects;
        VICTIM.withstands("takeovers, clean " + clean, limit, () -> {
            AtomicInteger left = new AtomicInteger(connects);
            AtomicInteger over = new AtomicInteger();
            try (Swarm swarm = new Swarm()) {
                for (int i = 0; i < 16; i++) {
                    new Usurper(swarm, clientId, clean, left, over).next();
                }
                Await.until("all connects", () -> over.get() == connects);
                ClientConfig config = ClientConfig.of(VICTIM.address(), clientId, 5);
                try (TestClient last = new TestClient(clean ? config.withCleanSession() : config)) {
                    assertThat(last.connect().code()).isZero();
                    Await.until("the others are closed", () -> swarm.closed() == swarm.opened());
                    assertThat(swarm.opened()).isGreaterThanOrEqualTo(connects);
                    assertThat(last.subscribe("taken", 1)).isEqualTo(1);
                    last.publish("taken", "still here", 1);
                    assertThat(last.next(Await.PATIENCE)).isNotNull();
                    last.disconnect();
                }
            }
        });
    }

    /**
     * @param left connects to be begun
     * @param over those that have been answered, or closed before
     */
    private record Usurper(Swarm swarm, String clientId, boolean clean, AtomicInteger left, AtomicInteger over) {
        void next() {
            if (left.getAndDecrement() > 0) {
                swarm.open(VICTIM.address(), new Swarm.Manner() {
                    private boolean isDone;

                    @Override
                    public void opened(Swarm.Peer peer) {
                        peer.send(connect(clientId, clean));
                    }

                    @Override
                    public void received(Swarm.Peer peer, ByteBuf bytes) {
                        done();
                    }

                    @Override
                    public void closed() {
                        done();
                    }

                    private void done() {
                        if (!isDone) {
                            isDone = true;
                            over.incrementAndGet();
                            next();
                        }
                    }
                });
            }
        }
    }

    // ---- noise and churn

    @Test
    void noiseIsClosed() throws Exception {
        noise(Limit.BESIDE_CONTROL, 400);
    }

    @Test
    @Tag("long")
    void muchNoiseIsClosed() throws Exception {
        noise(Limit.STRICT, 10_000);
    }

    /** Random bytes, with and without a CONNECT before them, on every kind of listener. */
    private static void noise(Limit limit, int connections) throws Exception {
        InetSocketAddress[] addresses = {VICTIM.address(), VICTIM.hasty(), VICTIM.tls(), VICTIM.webSocket()};
        Random random = new Random(5);
        VICTIM.withstands("noise", limit, () -> {
            try (Swarm swarm = new Swarm()) {
                for (InetSocketAddress address : addresses) {
                    swarm.open(address, connections / addresses.length, number -> noisy(number, random));
                }
                Await.until("all closed", () -> swarm.closed() == connections);
                assertThat(swarm.opened()).isEqualTo(connections);
            }
        });
    }

    private static Swarm.Manner noisy(int number, Random random) {
        return peer -> {
            byte[] noise = new byte[1 + random.nextInt(20_000)];
            random.nextBytes(noise);
            if (number % 2 == 0) {
                peer.send(connect("noise-" + number, true));
            }
            peer.send(noise);
            peer.later(2000, peer::close); // if it happens to begin a long packet
        };
    }

    @Test
    @Tag("full")
    @Tag("alone")
    void comersAndGoersLeaveNothingBehind() throws Exception {
        churn(Limit.BESIDE_CONTROL, 400);
    }

    @Test
    @Tag("long")
    void fiveThousandComersAndGoersLeaveNothingBehind() throws Exception {
        churn(Limit.STRICT, 5000);
    }

    /** All stand at once with a subscription each; half of them leave without a word, and all come once more. */
    private static void churn(Limit limit, int connections) throws Exception {
        byte[] disconnect = PacketWriter.bytes(new Packet.Disconnect(0, Properties.NONE), 5);
        VICTIM.withstands("churn", limit, () -> {
            for (int round = 0; round < 2; round++) {
                try (Swarm swarm = new Swarm()) {
                    Swarm.Peer[] peers = new Swarm.Peer[connections];
                    AtomicInteger answered = new AtomicInteger();
                    swarm.open(VICTIM.address(), connections, number -> new Swarm.Manner() {
                        private int answers;

                        @Override
                        public void opened(Swarm.Peer peer) {
                            peers[number] = peer;
                            peer.send(connect("churn-" + number, number % 2 == 0));
                        }

                        @Override
                        public void received(Swarm.Peer peer, ByteBuf bytes) {
                            if (++answers == 1) {
                                peer.send(subscribe("churn/" + number));
                            } else {
                                answered.incrementAndGet();
                            }
                        }
                    });
                    Await.until("all have connected", () -> answered.get() == connections);
                    for (int i = 0; i < connections; i++) {
                        if (i % 2 == 0) {
                            peers[i].close();
                        } else {
                            peers[i].send(disconnect);
                        }
                    }
                    Await.until("all have gone", () -> swarm.closed() == connections);
                }
            }
        });
    }
}
