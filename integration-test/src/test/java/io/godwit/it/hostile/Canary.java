package io.godwit.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/**
 * Honest clients that must not notice what others do: one publishes at QoS 1 at a steady rate; of two subscribers, one
 * has a stored session. Every message is timed from the moment it was due, so that a stall counts for all that were due
 * meanwhile. Nothing may be lost, repeated or out of order, and no connection may end.
 */
public final class Canary implements AutoCloseable {
    private static final int PER_SECOND = 50;
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1) / PER_SECOND;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final AtomicInteger NAMES = new AtomicInteger();

    private final TestClient publisher;
    private final List<Watcher> watchers;
    private final List<CompletableFuture<?>> acknowledged = new ArrayList<>();
    private final Times acknowledgements = new Times("acknowledged");
    private final Thread publishing;
    private final String topic;
    private volatile boolean isEnding;
    private volatile long beginNanos;
    private volatile int published;
    private volatile IOException failure;

    private Canary(InetSocketAddress address, UnaryOperator<ClientConfig> login) {
        String name = "canary-" + NAMES.incrementAndGet();
        topic = name;
        publisher = new TestClient(
                login.apply(ClientConfig.of(address, name + "-publisher", 5).withCleanSession()));
        watchers = List.of(
                new Watcher(
                        login.apply(ClientConfig.of(address, name + "-live", 4).withCleanSession())),
                new Watcher(login.apply(ClientConfig.of(address, name + "-stored", 5))));
        publishing = new Thread(this::publish, name);
        publishing.setDaemon(true);
    }

    /** Connected and publishing. */
    public static Canary singing(InetSocketAddress address) throws IOException {
        return singing(address, UnaryOperator.identity());
    }

    /** The same, of clients that log in. */
    static Canary singing(InetSocketAddress address, UnaryOperator<ClientConfig> login) throws IOException {
        Canary canary = new Canary(address, login);
        canary.publisher.connect();
        for (Watcher watcher : canary.watchers) {
            watcher.client.connect();
            assertThat(watcher.client.subscribe(canary.topic, 1)).isEqualTo(1);
        }
        canary.beginNanos = System.nanoTime();
        canary.publishing.start();
        return canary;
    }

    /** One subscriber; {@code next} and the times belong to its client's reading thread until that has seen all. */
    private final class Watcher {
        final TestClient client;
        final Times times;
        volatile int next;
        volatile String fault = "";

        Watcher(ClientConfig config) {
            times = new Times(config.clientId());
            client = new TestClient(config, this::received);
        }

        private void received(Packet.Publish publish) {
            int number = ByteBuffer.wrap(publish.payload()).getInt();
            if (number != next && fault.isEmpty()) {
                fault = "message " + number + " instead of " + next;
            }
            times.add(System.nanoTime() - due(number));
            next = number + 1;
        }
    }

    private long due(int number) {
        return beginNanos + number * INTERVAL_NANOS;
    }

    private void publish() {
        try {
            for (int number = 0; !isEnding; number++) {
                long wait;
                while ((wait = due(number) - System.nanoTime()) > 0 || !publisher.canPublish()) {
                    if (!publisher.isOpen()) {
                        throw new IOException("the publisher's connection is gone");
                    }
                    Pace.passNanos(Math.max(wait, 1_000_000));
                }
                long due = due(number);
                byte[] payload = ByteBuffer.allocate(100).putInt(number).array();
                acknowledged.add(publisher
                        .publish(topic, payload, 1, false, Properties.NONE)
                        .thenRun(() -> acknowledgements.add(System.nanoTime() - due)));
                publisher.flush();
                published = number + 1;
            }
        } catch (IOException e) {
            failure = e;
        }
    }

    /**
     * What it was like, when nothing was lost: the time that one in a hundred exceeded, of the slowest of the three,
     * the longest time of all, and all times for people.
     */
    public record Song(Duration p99, Duration longest, String times) {
        Song within(Duration limit) {
            assertThat(p99).as("99th percentile of %s", times).isLessThan(limit);
            return this;
        }

        @Override
        public String toString() {
            return times;
        }
    }

    /** Ends the singing; fails unless each message came, once and in order, and no connection has ended. */
    public Song end() throws IOException, InterruptedException, ExecutionException, TimeoutException {
        isEnding = true;
        publishing.join(PATIENCE.toMillis());
        if (failure != null) {
            throw failure;
        }
        CompletableFuture.allOf(acknowledged.toArray(new CompletableFuture<?>[0]))
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        for (Watcher watcher : watchers) {
            Await.comesToHold( // what is missing the next lines say
                    PATIENCE, () -> watcher.next == published || !watcher.fault.isEmpty() || !watcher.client.isOpen());
            assertThat(watcher.fault).as(watcher.times.name).isEmpty();
            assertThat(watcher.next).as("received by %s", watcher.times.name).isEqualTo(published);
            assertThat(watcher.client.isOpen())
                    .as("connection of %s", watcher.times.name)
                    .isTrue();
            watcher.client.disconnect();
        }
        publisher.disconnect();
        StringBuilder all = new StringBuilder(published + " messages");
        long p99 = 0;
        long longest = 0;
        for (Times times : List.of(acknowledgements, watchers.get(0).times, watchers.get(1).times)) {
            all.append(", ").append(times);
            p99 = Math.max(p99, times.percentile(99));
            longest = Math.max(longest, times.percentile(100));
        }
        return new Song(Duration.ofNanos(p99), Duration.ofNanos(longest), all.toString());
    }

    @Override
    public void close() {
        isEnding = true;
        publisher.close();
        watchers.forEach(watcher -> watcher.client.close());
    }

    /** Written by one thread at a time, read at the end. */
    private static final class Times {
        private final String name;
        private final List<Long> nanos = new ArrayList<>();

        Times(String name) {
            this.name = name;
        }

        synchronized void add(long each) {
            nanos.add(each);
        }

        synchronized long percentile(int percent) {
            long[] sorted = nanos.stream().mapToLong(Long::longValue).toArray();
            Arrays.sort(sorted);
            return sorted.length == 0 ? 0 : sorted[Math.min(sorted.length - 1, sorted.length * percent / 100)];
        }

        @Override
        public String toString() {
            return "%s p50 %d ms p99 %d ms max %d ms"
                    .formatted(
                            name, percentile(50) / 1_000_000, percentile(99) / 1_000_000, percentile(100) / 1_000_000);
        }
    }
}
