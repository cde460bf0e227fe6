package io.godwit.perf.load;

import io.godwit.perf.load.check.MessageHeader;
import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.load.client.Endpoint;
import io.godwit.perf.load.measure.Histograms;
import io.godwit.perf.load.measure.Spread;
import io.godwit.perf.load.measure.Time;
import io.godwit.perf.load.measure.Timetable;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.mqtt.MqttClient;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/**
 * Two clients, one of which publishes small messages at QoS 1 to the other at a fixed rate while something happens to
 * the brokers. The intended time of sending and the time of arrival are kept for each message, so that latency can be
 * computed for any part of the time afterwards. As in all loads, latency counts from the intended time.
 *
 * <p>Its methods are called on one thread; the lock guards the state shared with the event loop of the clients.
 */
public final class Canary implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int PAYLOAD_BYTES = 32;
    private static final int PACKET_IDS = 65_535;
    /** Below the number of packet ids, so that no id is used twice at a time. */
    private static final int MOST_UNDER_WAY = 60_000;

    private static final long LOOK_MILLIS = 10;
    private static final int NEVER = 0;

    private final Vertx vertx =
            Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setPreferNativeTransport(true));
    private final MessageHeader header = MessageHeader.fitting(PAYLOAD_BYTES);
    private final String topic =
            "perf/canary/" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);
    private final ClientSettings publisherSettings;
    private final ClientSettings subscriberSettings;
    private final double rate;
    private final int most;
    /**
     * Times of arrival by sequence, as {@link Time#nowNanos}, or {@link #NEVER}. Guarded by this, as are the fields
     * below.
     */
    private final long[] arrivedNanos;

    private final BitSet acknowledged = new BitSet();
    private int underWay;
    private int sent;
    /** Set before the first message is sent. */
    private Timetable table;

    /** Messages that are due in total; reduced by {@link #stop} to those due until then. */
    private long planned;

    /**
     * The messages that were meant to be sent in a part of the time.
     *
     * @param due their number
     * @param lost those that were acknowledged and did not arrive
     * @param unserved those that were neither acknowledged, or not even sent, nor arrived
     * @param latency of those that arrived
     */
    public record Heard(int due, int lost, int unserved, Spread latency) {}

    /**
     * Does not connect yet.
     *
     * @param rate messages per second
     * @param longest the longest time that it can send for
     */
    public Canary(ClientSettings publisher, ClientSettings subscriber, double rate, Duration longest) {
        this.publisherSettings = publisher;
        this.subscriberSettings = subscriber;
        this.rate = rate;
        most = (int) Math.ceil(rate * longest.toMillis() / 1e3);
        arrivedNanos = new long[most];
        table = new Timetable(Time.nowNanos(), rate, 0, 0);
    }

    /**
     * Connects both clients and begins to send.
     *
     * @throws LoadFailedException if a client cannot connect
     */
    public void start() throws LoadFailedException, InterruptedException {
        MqttClient subscriber = client(subscriberSettings, topic + "-s");
        MqttClient publisher = client(publisherSettings, topic + "-p");
        io.vertx.core.Promise<Void> subscribed = io.vertx.core.Promise.promise();
        subscriber.publishHandler(message -> arrived(message.payload()));
        subscriber.subscribeCompletionHandler(suback -> subscribed.tryComplete());
        publisher.publishCompletionHandler(this::acknowledged);
        await(connect(subscriber, subscriberSettings)
                .compose(connack -> subscriber.subscribe(topic, MqttQoS.AT_LEAST_ONCE.value()))
                .compose(written -> subscribed.future())
                .compose(suback -> connect(publisher, publisherSettings)));
        synchronized (this) {
            table = new Timetable(Time.nowNanos(), rate, most, 0);
            planned = most;
        }
        vertx.setPeriodic(1, none -> sendDue(publisher));
    }

    private MqttClient client(ClientSettings settings, String clientId) {
        return MqttClient.create(vertx, settings.options(clientId, 0, true, PAYLOAD_BYTES, MOST_UNDER_WAY));
    }

    private static Future<?> connect(MqttClient client, ClientSettings settings) {
        Endpoint broker = settings.brokerOf(0);
        return client.connect(broker.port(), broker.host());
    }

    private static void await(Future<?> future) throws LoadFailedException, InterruptedException {
        try {
            future.toCompletionStage().toCompletableFuture().get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new LoadFailedException("the two clients that watch the broker could not connect: " + e);
        }
    }

    private synchronized void sendDue(MqttClient publisher) {
        long due = Math.min(planned, table.due(Time.nowNanos()));
        while (sent < due && underWay < MOST_UNDER_WAY && publisher.isConnected()) {
            Buffer payload = header.payload(PAYLOAD_BYTES, Time.toEpochNanos(table.intendedNanos(sent)), 0, sent);
            int packetId = sent % PACKET_IDS + 1;
            sent++;
            underWay++;
            publisher.publish(packetId, topic, payload, MqttQoS.AT_LEAST_ONCE, false, false);
        }
    }

    private synchronized void acknowledged(int packetId) {
        int sequence = (sent - 1) / PACKET_IDS * PACKET_IDS + packetId - 1;
        acknowledged.set(sequence < sent ? sequence : sequence - PACKET_IDS);
        underWay--;
    }

    private synchronized void arrived(Buffer payload) {
        int sequence = payload.length() == PAYLOAD_BYTES ? header.sequence(payload) : -1;
        if (sequence >= 0 && sequence < sent && arrivedNanos[sequence] == NEVER) {
            arrivedNanos[sequence] = Time.nowNanos();
        }
    }

    /** Stops sending, and waits until all messages that were due have arrived, but no longer than {@code limit}. */
    public void stop(Duration limit) throws InterruptedException {
        synchronized (this) {
            planned = Math.min(planned, table.due(Time.nowNanos()));
        }
        long endNanos = Time.nowNanos() + limit.toNanos();
        while (!isAllHere() && Time.nowNanos() < endNanos) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    private synchronized boolean isAllHere() {
        return Arrays.stream(arrivedNanos, 0, (int) planned).allMatch(nanos -> nanos != NEVER);
    }

    /** The messages that were meant to be sent at or after {@code from} and before {@code to}. */
    public synchronized Heard between(Instant from, Instant to) {
        Histogram latency = Histograms.histogram();
        int due = 0;
        int lost = 0;
        int unserved = 0;
        for (int i = 0; i < planned; i++) {
            long intendedNanos = table.intendedNanos(i);
            Instant intended = Instant.EPOCH.plusNanos(Time.toEpochNanos(intendedNanos));
            if (intended.isBefore(from) || !intended.isBefore(to)) {
                continue;
            }
            due++;
            if (arrivedNanos[i] != NEVER) {
                latency.recordValue(Histograms.micros(arrivedNanos[i] - intendedNanos));
            } else if (acknowledged.get(i)) {
                lost++;
            } else {
                unserved++;
            }
        }
        return new Heard(due, lost, unserved, Spread.of(latency));
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
