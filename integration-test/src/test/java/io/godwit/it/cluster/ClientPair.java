package io.godwit.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * A publisher that publishes numbers all the time, at QoS 1, and a subscriber with a stored session. Used by one
 * thread.
 */
public final class ClientPair implements AutoCloseable {
    /** Until the other nodes go on without one that has ended. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final int MORE = 5;

    private final Numbers numbers = new Numbers();
    private final NumberedPublisher publisher;
    private final TestClient subscriber;
    private final String topic;

    /** @param addresses where the publisher goes in turn, its own first, when it is not served where it is */
    public ClientPair(ClientConfig publishing, ClientConfig subscribing, List<InetSocketAddress> addresses) {
        topic = "pair/" + publishing.clientId();
        publisher = new NumberedPublisher(publishing, topic, 1, addresses);
        subscriber = new TestClient(
                subscribing, message -> numbers.add(message.topic(), Integer.parseInt(NodeClients.text(message))));
    }

    /** Returns when the first numbers have arrived. */
    public void start() throws IOException {
        assertThat(subscriber.connect().code()).as("CONNACK of the subscriber").isZero();
        assertThat(subscriber.subscribe(topic, 1)).isEqualTo(1);
        publisher.connect();
        Thread thread = new Thread(publisher, topic);
        thread.setDaemon(true);
        thread.start();
        awaitServed("at the beginning");
    }

    /** Until some more numbers are acknowledged, and all that are acknowledged by then have arrived. */
    public void awaitServed(String when) {
        long begin = System.nanoTime();
        Await.until(
                () -> topic + " to be acknowledged " + when + "; refused with " + publisher.refusals(),
                PATIENCE,
                () -> publisher.successes().countSince(begin) >= MORE);
        Set<Integer> acknowledged = publisher.acknowledged();
        Await.until(
                () -> "what is acknowledged to arrive " + when + ": " + numbers.wrong(topic, 1, acknowledged),
                PATIENCE,
                () -> numbers.hasAll(topic, acknowledged));
    }

    public boolean isSubscriberConnected() {
        return subscriber.isOpen();
    }

    /** The subscriber connects to another node, which must have its session. */
    public void moveSubscriber(InetSocketAddress address) throws IOException {
        subscriber.abort();
        subscriber.moveTo(address);
        Await looks = Await.atMost(PATIENCE);
        Packet.Connack reply = subscriber.connect();
        while (reply.code() != 0) {
            subscriber.abort();
            int code = reply.code();
            looks.again(() -> subscriber.clientId() + " is refused with " + code);
            reply = subscriber.connect();
        }
        assertThat(reply.sessionPresent()).as("session of the subscriber").isTrue();
    }

    /** Publishes no more, waits until all has arrived, and returns what is wrong. */
    public List<String> finish() {
        publisher.finish();
        Await.until(topic + " to be acknowledged", PATIENCE, publisher::isFinished);
        Set<Integer> acknowledged = publisher.acknowledged();
        Await.comesToHold(PATIENCE, () -> numbers.hasAll(topic, acknowledged)); // what does not come is returned
        return numbers.wrong(topic, 1, acknowledged);
    }

    @Override
    public void close() {
        publisher.stop();
        subscriber.close();
    }
}
