package io.godwit.perf.load.client;

import io.godwit.perf.load.measure.Histograms;
import io.godwit.perf.load.measure.Time;
import io.godwit.perf.load.measure.Timetable;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A client that publishes. In an open loop the timetable grants it messages one by one; those that it cannot send at
 * once, as too many are under way, are sent later, with the time at which they were due. In a closed loop it sends as
 * soon as the window permits. Confined to its event loop; other threads read it after the loop has handed it over.
 */
public final class PublishingClient extends Connection {
    /**
     * Bound of messages handed over and not yet written to the socket. When it is reached, the broker or the network is
     * slow, and more would fill the memory.
     */
    private static final int MOST_UNWRITTEN = 1_000;

    private static final long MOST_UNWRITTEN_BYTES = 4 << 20;
    /** Messages sent at a time, so that other clients of the event loop are served in between. */
    private static final int MOST_AT_ONCE = 64;

    private static final int MOST_PACKET_IDS = 65_535;

    private final RunContext run;
    private final Context context;
    public final int index;
    private final int firstTopic;
    private final @Nullable String onlyTopic;
    private final int[] sequences;
    private final SplittableRandom random;
    private final MqttQoS qos;
    private final int payloadBytes;
    private final Map<Integer, Outstanding> outstanding = new HashMap<>();
    private int lastPacketId;
    private int unwritten;
    private boolean isPumping;
    private boolean isResuming;
    private boolean isClosedLoop;
    private @Nullable Timetable timetable;
    private int position;
    private int step;
    private long granted;
    private long sent;
    /**
     * Whether messages that are due wait for the window or behind others; the pacer is then not the reason for
     * lateness.
     */
    private boolean isHeldUp;

    /** A message that waits for its acknowledgement. */
    public record Outstanding(long intendedNanos, int topic, int sequence) {}

    /**
     * @param firstTopic the number of the first topic of the random choice
     * @param topics how many topics there are to choose from
     */
    PublishingClient(Vertx vertx, RunContext run, LoopCounters counters, int index, int firstTopic, int topics) {
        super(vertx, run, counters, run.clientId("p", index), ClientRole.PUBLISHER, index, true);
        this.run = run;
        this.index = index;
        this.firstTopic = firstTopic;
        onlyTopic = topics == 1 ? run.topic(firstTopic) : null;
        sequences = new int[topics];
        context = vertx.getOrCreateContext();
        random = new SplittableRandom(index); // the same choices in every run
        qos = MqttQoS.valueOf(run.scenario().qos());
        payloadBytes = run.scenario().payloadBytes();
    }

    @Override
    void prepare() {
        client.publishCompletionHandler(this::onAcknowledged);
    }

    /**
     * Makes it send the messages of {@code timetable} at {@code position} and at every {@code step}th place after it.
     */
    void follow(Timetable timetable, int position, int step) {
        this.timetable = timetable;
        this.position = position;
        this.step = step;
    }

    /** Allows it to send the next message of the timetable. */
    void grant() {
        granted++;
        pump();
    }

    void startClosedLoop() {
        isClosedLoop = true;
        pump();
    }

    /** Stops sending, even of messages that are due. */
    void stop() {
        isClosedLoop = false;
        timetable = null;
    }

    private void pump() {
        if (isPumping) {
            return; // called from within a send: the loop below continues
        }
        isPumping = true;
        int turn = MOST_AT_ONCE;
        try {
            Timetable table = timetable;
            while (table != null && sent < granted && turn > 0 && hasRoom()) {
                send(table.intendedNanos(position + sent * step));
                sent++;
                turn--;
            }
            isHeldUp = table != null && sent < granted;
            while (isClosedLoop && turn > 0 && hasRoom()) {
                send(Time.nowNanos());
                turn--;
            }
        } finally {
            isPumping = false;
        }
        if (turn == 0 && !isResuming) {
            isResuming = true;
            context.runOnContext(none -> {
                isResuming = false;
                pump();
            });
        }
    }

    private boolean hasRoom() {
        return isOpen()
                && outstanding.size() < run.settings().window()
                && unwritten < Math.min(MOST_UNWRITTEN, run.settings().window())
                && (unwritten == 0 || (long) unwritten * payloadBytes < MOST_UNWRITTEN_BYTES);
    }

    private void send(long intendedNanos) {
        int topic = sequences.length == 1 ? 0 : random.nextInt(sequences.length);
        int sequence = sequences[topic]++;
        Buffer payload = run.header().payload(payloadBytes, Time.toEpochNanos(intendedNanos), index, sequence);
        if (!isHeldUp) {
            long micros = Histograms.micros(Time.nowNanos() - intendedNanos);
            counters.latenessNow.recordValue(micros);
            if (run.measured().has(intendedNanos)) {
                counters.lateness.recordValue(micros);
            }
        }
        counters.sent.increment();
        if (qos == MqttQoS.AT_MOST_ONCE && run.measured().has(intendedNanos)) {
            counters.measuredIn.increment();
        }
        unwritten++;
        Future<Integer> written;
        try {
            String name = onlyTopic != null ? onlyTopic : run.topic(firstTopic + topic);
            if (qos == MqttQoS.AT_MOST_ONCE) {
                written = client.publish(name, payload, qos, false, false);
            } else {
                int packetId = freePacketId();
                outstanding.put(packetId, new Outstanding(intendedNanos, topic, sequence));
                written = client.publish(packetId, name, payload, qos, false, false);
            }
        } catch (RuntimeException e) { // thrown if the connection has just been lost
            written = Future.failedFuture(e);
        }
        written.onComplete(done -> {
            unwritten--;
            if (done.failed()) {
                counters.notWritten.increment();
                if (qos == MqttQoS.AT_MOST_ONCE && run.measured().has(intendedNanos)) {
                    counters.measuredIn.decrement();
                }
                counters.errors.add("publish", done.cause());
            }
            pump();
        });
    }

    private int freePacketId() {
        do {
            lastPacketId = lastPacketId % MOST_PACKET_IDS + 1;
        } while (outstanding.containsKey(lastPacketId)); // ends, as the window is smaller than the number of ids
        return lastPacketId;
    }

    private void onAcknowledged(int packetId) {
        Outstanding message = outstanding.remove(packetId);
        if (message == null) {
            counters.errors.add("an acknowledgement without a message");
            return;
        }
        counters.acknowledged.increment();
        if (run.measured().has(message.intendedNanos())) {
            counters.measuredIn.increment();
            counters.acknowledgement.recordValue(Histograms.micros(Time.nowNanos() - message.intendedNanos()));
        }
        pump();
    }

    /**
     * Completes when the broker has read all published messages, which the answer to a ping shows, as packets are read
     * in order.
     */
    Future<Void> fence() {
        if (!isOpen()) {
            return Future.failedFuture("closed");
        }
        Promise<Void> answered = Promise.promise();
        client.pingResponseHandler(pong -> {
            if (answered.tryComplete()) {
                counters.fenced.increment();
            }
        });
        client.ping();
        return answered.future();
    }

    int topics() {
        return sequences.length;
    }

    /** Messages sent to a topic, whose number counts from the publisher's first topic. */
    public int sentTo(int topic) {
        return sequences[topic];
    }

    public Collection<Outstanding> outstanding() {
        return outstanding.values();
    }
}
