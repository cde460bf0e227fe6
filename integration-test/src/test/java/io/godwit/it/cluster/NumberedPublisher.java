package io.godwit.it.cluster;

import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Publishes numbers to one topic on a thread of its own, with a stored session, and goes to the next node when it is
 * not served where it is.
 */
final class NumberedPublisher implements Runnable {
    private static final long PERIOD_MILLIS = 40;

    private final TestClient client;
    private final String topic;
    private final int qos;
    /** Its own node comes first. */
    private final List<InetSocketAddress> addresses;

    private final Successes successes = new Successes();
    private final Set<Integer> acknowledged = new TreeSet<>();
    private final Set<String> refusals = new TreeSet<>();
    private volatile boolean publishes = true;
    private volatile boolean stopped;
    private int moves;
    private int number;

    NumberedPublisher(ClientConfig config, String topic, int qos, List<InetSocketAddress> addresses) {
        this.client = new TestClient(config, message -> {});
        this.topic = topic;
        this.qos = qos;
        this.addresses = List.copyOf(addresses);
    }

    String topic() {
        return topic;
    }

    int qos() {
        return qos;
    }

    Successes successes() {
        return successes;
    }

    /** The numbers of what was acknowledged, so far. */
    synchronized Set<Integer> acknowledged() {
        return new TreeSet<>(acknowledged);
    }

    /** The codes with which it was refused. */
    synchronized Set<String> refusals() {
        return new TreeSet<>(refusals);
    }

    void connect() throws IOException {
        int code = client.connect().code();
        if (code != 0) {
            client.abort();
            throw new IOException(client.clientId() + " is refused with " + code);
        }
    }

    /** No more is published; what is not acknowledged is still sent again. */
    void finish() {
        publishes = false;
    }

    boolean isFinished() {
        return client.unacknowledged() == 0;
    }

    void stop() {
        stopped = true;
    }

    @Override
    public void run() {
        while (!stopped) {
            try {
                if (!client.isOpen()) {
                    connect();
                }
                if (publishes && client.canPublish()) {
                    publishOne();
                }
            } catch (IOException e) {
                client.moveTo(addresses.get(++moves % addresses.size()));
            }
            Pace.passMillis(PERIOD_MILLIS);
        }
        client.close();
    }

    private void publishOne() throws IOException {
        int sent = number++;
        client.publish(topic, Integer.toString(sent), qos).thenAccept(ack -> answered(sent, ack));
    }

    private synchronized void answered(int sent, Packet.@Nullable Ack ack) {
        if (ack == null || ack.code() < 0x80) {
            acknowledged.add(sent);
            successes.add();
        } else {
            refusals.add(Integer.toHexString(ack.code()));
        }
    }
}
