package io.godwit.perf.load;

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
 * A client that publishes. In an open loop the timetable grants it one message after the other, and what it cannot send
 * at once, because too much is under way, it sends later, with the time at which it was due. In a closed loop it sends
 * whenever there is room. Confined to its event loop; other threads read it when the loop has handed it over.
 */
final class Publisher extends Connection {
    /**
     * Messages handed over and not written to the socket yet: beyond these the broker or the network is slow, and
     * memory would fill.
     */
    private static final int MOST_UNWRITTEN = 1_000;

    private static final long MOST_UNWRITTEN_BYTES = 4 << 20;
    /** In one go, so that others of the event loop have their turn. */
    private static final int MOST_AT_ONCE = 64;

    private static final int MOST_PACKET_IDS = 65_535;

    private final RunContext run;
    private final Context context;
    final int index;
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
     * Whether messages that are due wait, for room or behind others: that later ones go late is then not the pacer's
     * doing.
     */
    private boolean isHeldUp;

    /** A message that waits for its acknowledgement. */
    record Outstanding(long intendedNanos, int topic, int sequence) {}

    /**
     * @param firstTopic the topics of a random choice are numbered from here on
     * @param topics how many there are to choose from
     */
    Publisher(Vertx vertx, RunContext run, LoopCounters counters, int index, int firstTopic, int topics) {
        super(vertx, run, counters, run.clientId("p", index), LoadLoop.Role.PUBLISHER, index, true);
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

    /** Its messages are those of {@code timetable} at {@code position}, and every {@code step}th after it. */
    void follow(Timetable timetable, int position, int step) {
        this.timetable = timetable;
        this.position = position;
        this.step = step;
    }

    /** Its next message is due. */
    void grant() {
        granted++;
        pump();
    }

    void startClosedLoop() {
        isClosedLoop = true;
        pump();
    }

    /** Nothing is sent from now on, not even what was due. */
    void stop() {
        isClosedLoop = false;
        timetable = null;
    }

    private void pump() {
        if (isPumping) {
            return; // called from within a send: the loop below goes on
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
        } catch (RuntimeException e) { // of a client whose connection has just been lost
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
        } while (outstanding.containsKey(lastPacketId)); // the window is below the number of ids
        return lastPacketId;
    }

    private void onAcknowledged(int packetId) {
        Outstanding message = outstanding.remove(packetId);
        if (message == null) {
            counters.errors.add("an acknowledgement of nothing");
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
     * Completes when the broker has read all that was published: packets are answered in their order, so a ping after
     * them tells.
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

    /** Published to the topic of this number, counted from its first one. */
    int sentTo(int topic) {
        return sequences[topic];
    }

    Collection<Outstanding> outstanding() {
        return outstanding.values();
    }
}
