package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.powerloss.UnpluggedBroker;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.Properties;
import io.godwit.it.wire.RawConnection;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Has an fsync fail before the broker is killed, and then tries whatever needs one: nothing of it may be acknowledged,
 * on connections that stood before (in the midst of a QoS 2 exchange, too) or on new ones.
 */
final class FailedSync implements UnpluggedBroker.Watch {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int[] VERSIONS = {4, 5};

    private final UnpluggedBroker unplugged;
    private final BlockingQueue<Runnable> withheld = new LinkedBlockingQueue<>();
    private @Nullable RawConnection unreleased;
    private @Nullable TestClient unanswered;
    private final List<TestClient> standing = new ArrayList<>();
    private boolean hasBegun;

    FailedSync(UnpluggedBroker unplugged) {
        this.unplugged = unplugged;
    }

    @Override
    public void ready(BrokerProcess broker) throws IOException {
        if (hasBegun) {
            return;
        }
        hasBegun = true;
        InetSocketAddress address = broker.address();
        try (TestClient owed = new TestClient(ClientConfig.of(address, "owed", 5))) {
            owed.connect();
            owed.subscribe("probe", 2);
            owed.disconnect();
        }
        for (int version : VERSIONS) {
            TestClient client = new TestClient(
                    ClientConfig.of(address, "standing-" + version, version).withCleanSession());
            client.connect();
            standing.add(client);
        }
        unanswered = new TestClient(ClientConfig.of(address, "unanswered", 5).withAcks(withheld::add));
        unanswered.connect();
        unanswered.subscribe("exact", 2);
        unreleased = new RawConnection(address, 5);
        Properties kept = Properties.NONE.with(Properties.SESSION_EXPIRY, 86_400);
        unreleased.send(new Packet.Connect(5, "unreleased", false, 0, kept, null));
        assertThat(unreleased.read()).isInstanceOf(Packet.Connack.class);
        unreleased.send(new Packet.Publish("exact", new byte[8], 2, false, false, 7, Properties.NONE));
        assertThat(unreleased.read()).isEqualTo(new Ack(Ack.Kind.PUBREC, 7, 0));
        assertThat(next(unanswered)).isNotNull();
    }

    @Override
    public void dying(BrokerProcess broker) throws IOException {
        if (!unansweredIsThere()) {
            return; // tried in an earlier life
        }
        unplugged.failNextSync();
        Await.until("the failure", PATIENCE, () -> broker.status().contains("store inbox FAILED raft log"));
        assertThat(broker.status()).contains("appending entry").contains("degraded");
        for (TestClient client : standing) {
            assertThat(publishAll(client)).isEmpty();
            client.close();
        }
        finishExchanges();
        for (int version : VERSIONS) {
            assertThat(acceptedAnew(broker.address(), version)).isEmpty();
        }
    }

    private boolean unansweredIsThere() {
        return unanswered != null && unreleased != null;
    }

    /** What is acknowledged of QoS 1, QoS 2 and a retained message. */
    private static List<String> publishAll(TestClient client) throws IOException {
        List<String> acknowledged = new ArrayList<>();
        for (String kind : List.of("QoS 1", "QoS 2", "retained")) {
            if (client.isOpen() && isAcknowledged(client, kind)) {
                acknowledged.add(kind);
            }
        }
        return acknowledged;
    }

    /** False when the message is refused or the connection closed instead; one of the three has to come. */
    private static boolean isAcknowledged(TestClient client, String kind) throws IOException {
        boolean retain = kind.equals("retained");
        CompletableFuture<@Nullable Ack> answer;
        try {
            answer = client.publish(
                    retain ? "nobody" : "probe", new byte[8], kind.equals("QoS 2") ? 2 : 1, retain, Properties.NONE);
            client.flush();
        } catch (IOException e) {
            return false;
        }
        Await.until("an answer to " + kind, PATIENCE, () -> answer.isDone() || !client.isOpen());
        try {
            Ack ack = answer.getNow(null);
            return ack != null && ack.code() < 0x80;
        } catch (java.util.concurrent.CompletionException e) {
            return false;
        }
    }

    private void finishExchanges() throws IOException {
        RawConnection publisher = unreleased;
        TestClient subscriber = unanswered;
        unreleased = null;
        unanswered = null;
        if (publisher == null || subscriber == null) {
            return;
        }
        try (publisher;
                subscriber) {
            try {
                publisher.send(new Ack(Ack.Kind.PUBREL, 7, 0));
            } catch (IOException e) {
                // closed: no answer either
            }
            Packet answer;
            while ((answer = publisher.read()) != null) {
                assertThat(answer).as("answer to PUBREL").isInstanceOf(Packet.Disconnect.class);
            }
            Runnable pubrec = withheld.poll();
            assertThat(pubrec).isNotNull();
            pubrec.run();
            Await.until("the end of the subscriber's connection", PATIENCE, () -> !subscriber.isOpen());
            assertThat(withheld).as("PUBRELs that were held back").isEmpty();
        }
    }

    /** What a new connection is granted, in a session that is kept. */
    private static List<String> acceptedAnew(InetSocketAddress address, int version) throws IOException {
        try (TestClient client = new TestClient(ClientConfig.of(address, "late-" + version, version))) {
            if (client.connect().code() != 0) {
                return List.of();
            }
            List<String> accepted = publishAll(client);
            if (client.isOpen() && client.subscribe("late", 1) < 0x80) {
                accepted.add("SUBSCRIBE");
            }
            return accepted;
        } catch (IOException e) {
            return List.of(); // closed instead
        }
    }

    private static Packet.@Nullable Publish next(TestClient client) throws IOException {
        try {
            return client.next(PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
