package io.godwit.broker.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet.Publish;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The first of two messages that are under way together can not be stored for one session, and the second one could.
 */
class PartialFailureTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /** Done by no leader. */
    private static final LeaderRequest NOTHING = cause -> {};

    private final InMemoryBroker broker;
    private final List<TestClient> clients = new ArrayList<>();

    PartialFailureTest() throws Exception {
        broker = new InMemoryBroker();
    }

    @AfterEach
    void close() {
        clients.forEach(TestClient::close);
        broker.close();
    }

    @ParameterizedTest
    @CsvSource({"4, true", "4, false", "5, true", "5, false"})
    @Clause("MQTT5-4.6.0-5")
    void qos2StaysInOrder(int version, boolean publisherComesBack) throws Exception {
        TestClient subscriber = connected("subscriber", 5);
        assertThat(subscriber.subscribe("t", 2)).isEqualTo(2);
        TestClient publisher = connected("publisher", version);
        FailFirst failing = new FailFirst();
        broker.changeInboxRequests(failing::change);

        publisher.publish("t", "one", 2);
        publisher.publish("t", "two", 2);
        assertThat(failing.isOver.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                .isTrue();
        await("the connection is closed", client -> !client.isOpen(), publisher);
        if (publisherComesBack) {
            assertThat(publisher.connect().sessionPresent()).isTrue();
            await("both are acknowledged", client -> client.unacknowledged() == 0, publisher);
        } // else the store distributes them a second after the end of the connection

        assertThat(payload(subscriber.next(PATIENCE))).isEqualTo("one");
        assertThat(payload(subscriber.next(PATIENCE))).isEqualTo("two");
        TestClient last = connected("last", 5);
        last.publish("t", "three", 2);
        assertThat(payload(subscriber.next(PATIENCE)))
                .as("no message is delivered twice")
                .isEqualTo("three");
    }

    private static String payload(Publish publish) {
        assertThat(publish).isNotNull();
        return new String(publish.payload(), UTF_8);
    }

    private TestClient connected(String clientId, int version) throws Exception {
        TestClient client = new TestClient(ClientConfig.of(broker.address(), clientId, version));
        clients.add(client);
        assertThat(client.connect().code()).isZero();
        return client;
    }

    private static void await(String what, Predicate<TestClient> condition, TestClient client) throws Exception {
        Await.until(what, PATIENCE, () -> condition.test(client));
    }

    /**
     * Holds the first insert until the second comes, then has it fail as one that no leader took, and the second go on:
     * as when a range gets its leader in between.
     */
    private static final class FailFirst {
        final CountDownLatch isOver = new CountDownLatch(1);
        private final AtomicInteger inserts = new AtomicInteger();
        private LeaderRequest first;

        LeaderRequest change(LeaderRequest request) {
            if (!request.getClass().getSimpleName().equals("InsertCall")) {
                return request;
            }
            int number = inserts.incrementAndGet();
            if (number == 1) {
                first = request;
                return NOTHING;
            }
            if (number == 2) {
                first.fail(new RangeException(RangeException.Cause.TIMEOUT, "no leader took the request"));
                isOver.countDown();
            }
            return request;
        }
    }
}
