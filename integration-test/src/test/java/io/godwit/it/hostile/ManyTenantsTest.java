package io.godwit.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.PacketWriter;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many tenants on one node, all with the same client ids, filters and topics: each with clients that are connected and
 * with sessions of clients that are not. What is published in a tenant reaches all of its own and nobody else.
 */
@Tag("long")
class ManyTenantsTest {
    private static final int TENANTS = 100;
    private static final int CONNECTED = 150;
    private static final int STORED = 1_000;
    /** Each address of this machine has some 28,000 ports for connections. */
    private static final int SOURCES = 8;

    private static final Duration PATIENCE = Duration.ofMinutes(30);

    @TempDir
    private Path directory;

    private BrokerProcess broker;

    /** Messages that connected clients of each tenant got: of their own tenant, and others. */
    private final AtomicIntegerArray own = new AtomicIntegerArray(TENANTS);

    private final AtomicInteger foreign = new AtomicInteger();

    @BeforeEach
    void start() throws Exception {
        StringBuilder tenants = new StringBuilder("defaults: {maxConnections: 400}\ntenants:\n");
        for (int i = 0; i < TENANTS; i++) {
            tenants.append("  ").append(name(i)).append(": {}\n");
        }
        broker = TenantBroker.with(directory, tenants.toString()).environment("JVM_HEAP_OPTS", "-Xms1g -Xmx2g");
        TenantBroker.start(broker);
    }

    @AfterEach
    void stop() throws IOException {
        broker.close();
    }

    private static String name(int tenant) {
        return "tenant-" + tenant;
    }

    private static Packet.Login login(int tenant) {
        return new Packet.Login(name(tenant) + "/user", "any");
    }

    /** Connects and subscribes; then it leaves its session behind, or stays and counts what it gets. */
    private final class Client extends ScannedClient {
        private final int tenant;
        private final boolean stays;
        private final AtomicInteger subscribed;
        private final AtomicInteger refused;

        Client(int tenant, String clientId, boolean stays, AtomicInteger subscribed, AtomicInteger refused) {
            super(connect(tenant, clientId, stays));
            this.tenant = tenant;
            this.stays = stays;
            this.subscribed = subscribed;
            this.refused = refused;
        }

        private static byte[] connect(int tenant, String clientId, boolean stays) {
            Properties properties = stays ? Properties.NONE : Properties.NONE.with(Properties.SESSION_EXPIRY, 86_400);
            return PacketWriter.bytes(new Packet.Connect(5, clientId, true, 0, properties, null, login(tenant)), 5);
        }

        @Override
        void packet(Swarm.Peer peer, int first, byte[] head) {
            if (first == 0x20 && head[1] == 0) {
                Attacks.subscribes(List.of("news/#"), stays ? 0 : 1).forEach(peer::send);
            } else if (first == 0x20) {
                refused.incrementAndGet();
            } else if (first == 0x90) {
                subscribed.incrementAndGet();
                if (!stays) {
                    peer.send(PacketWriter.bytes(new Packet.Disconnect(0, Properties.NONE), 5));
                }
            } else if (first == 0x30) {
                received(head);
            }
        }

        /** The topic ends with the name of the tenant in which it was published. */
        private void received(byte[] head) {
            int length = (head[0] & 0xFF) << 8 | head[1] & 0xFF;
            if (new String(head, 2, length, StandardCharsets.UTF_8).equals("news/" + name(tenant))) {
                own.incrementAndGet(tenant);
            } else {
                foreign.incrementAndGet();
            }
        }
    }

    /** Returns when all have subscribed. */
    private void open(Swarm swarm, String kind, int each, boolean stays) {
        AtomicInteger subscribed = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        long begin = System.nanoTime();
        int all = TENANTS * each;
        swarm.open(
                broker.address(),
                all,
                number -> new Client(number % TENANTS, kind + "-" + number / TENANTS, stays, subscribed, refused));
        Await.until(
                () -> subscribed + " of " + all + " " + kind + " clients, " + refused + " refused; \"ulimit -n\" must "
                        + "be above " + 2 * TENANTS * CONNECTED,
                PATIENCE,
                () -> subscribed.get() >= all);
        assertThat(subscribed).hasValue(all);
        assertThat(refused).hasValue(0);
        System.out.printf("  %d %s clients in %d s%n", all, kind, (System.nanoTime() - begin) / 1_000_000_000);
    }

    @Test
    void aHundredTenantsShareNothing() throws Exception {
        List<InetAddress> sources = new ArrayList<>();
        for (int i = 0; i < SOURCES; i++) {
            sources.add(InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) (i + 2)}));
        }
        try (Swarm swarm = new Swarm(sources)) {
            open(swarm, "stored", STORED, false);
            open(swarm, "connected", CONNECTED, true);
            Canary.Song song;
            try (Canary canary = Canary.singing(broker.address(), config -> config.withLogin(login(0).user(), "any"))) {
                for (int tenant = 0; tenant < TENANTS; tenant++) {
                    publish(tenant);
                }
                Await.until(() -> "all connected clients: " + own, PATIENCE, () -> {
                    for (int tenant = 0; tenant < TENANTS; tenant++) {
                        if (own.get(tenant) < CONNECTED) {
                            return false;
                        }
                    }
                    return true;
                });
                song = canary.end();
            }
            System.out.printf("  clients of one tenant meanwhile: %s%n", song);
            for (int tenant = 0; tenant < TENANTS; tenant++) {
                resumes(tenant, tenant % STORED);
                resumes(tenant, STORED - 1 - tenant);
                assertThat(own.get(tenant)).as(name(tenant)).isEqualTo(CONNECTED);
            }
            assertThat(foreign).hasValue(0);
            assertThat(swarm.closed()).as("connections that have ended").isEqualTo(TENANTS * STORED);
        }
    }

    private void publish(int tenant) throws Exception {
        ClientConfig config = ClientConfig.of(broker.address(), "publisher", 5)
                .withLogin(login(tenant).user(), "any")
                .withCleanSession();
        try (TestClient client = new TestClient(config)) {
            assertThat(client.connect().code()).isZero();
            client.publish("news/" + name(tenant), "", 1).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** A stored session has the one message of its tenant. */
    private void resumes(int tenant, int number) throws Exception {
        ClientConfig config = ClientConfig.of(broker.address(), "stored-" + number, 5)
                .withLogin(login(tenant).user(), "any");
        try (TestClient client = new TestClient(config)) {
            assertThat(client.connect().sessionPresent()).as(name(tenant)).isTrue();
            Packet.Publish first = client.next(Await.PATIENCE);
            assertThat(first).as(name(tenant)).isNotNull();
            assertThat(first.topic()).isEqualTo("news/" + name(tenant));
            client.subscribe("last", 1);
            client.publish("last", "", 1).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            Packet.Publish last = client.next(Await.PATIENCE);
            assertThat(last).isNotNull();
            assertThat(last.topic()).as("no other message arrives before it").isEqualTo("last");
        }
    }
}
