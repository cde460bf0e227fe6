package io.godwit.perf.load.client;

import io.godwit.perf.load.check.GroupCheck;
import io.godwit.perf.load.check.MessageHeader;
import io.godwit.perf.load.check.StreamCheck;
import io.godwit.perf.load.measure.Histograms;
import io.godwit.perf.load.measure.Time;
import io.godwit.perf.scenario.Topology;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.mqtt.messages.MqttPublishMessage;
import io.vertx.mqtt.messages.MqttSubAckMessage;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A client that subscribes and checks what arrives. Confined to its event loop; other threads read it after the loop
 * has handed it over.
 */
public final class SubscribingClient extends Connection {
    private static final int REFUSED = 0x80;

    private final RunContext run;
    public final int index;
    private final MessageHeader header;
    private final Promise<Void> subscribed = Promise.promise();
    /** When the SUBSCRIBE was handed over, as {@link Time#nowNanos}. */
    private long subscribedNanos;

    /** A check for each publisher that it receives messages of, beginning with {@link #firstPublisher}. */
    private final StreamCheck[] streams;

    private final int firstPublisher;
    /** For {@link Topology#LISTEN}, where publishers are not known beforehand: checks by topic and publisher. */
    private final Map<String, StreamCheck> found = new HashMap<>();

    private final boolean isListening;
    private final boolean isOneOfGroup;
    /** Null if the client acknowledges at once by itself. */
    private final DelayedAcks.@Nullable Line acks;

    /**
     * @param publishers the number of publishers that it receives messages of
     * @param acks null: it acknowledges at once
     */
    SubscribingClient(
            Vertx vertx,
            RunContext run,
            LoopCounters counters,
            int index,
            int firstPublisher,
            int publishers,
            @Nullable DelayedAcks acks) {
        super(
                vertx,
                run,
                counters,
                run.clientId("s", index),
                ClientRole.SUBSCRIBER,
                index,
                run.scenario().isCleanSession());
        this.run = run;
        this.index = index;
        this.header = run.header();
        this.firstPublisher = firstPublisher;
        isListening = run.scenario().topology() == Topology.LISTEN;
        isOneOfGroup = isListening && run.filter(index).startsWith("$share/");
        streams = new StreamCheck[run.group() == null ? publishers : 0];
        for (int i = 0; i < streams.length; i++) {
            streams[i] = new StreamCheck();
        }
        this.acks = acks == null ? null : acks.line(this);
    }

    @Override
    void prepare() {
        client.publishHandler(this::onMessage);
        client.subscribeCompletionHandler(this::onSubscribed);
    }

    @Override
    Future<Void> begin() {
        subscribedNanos = Time.nowNanos();
        return client.subscribe(run.filter(index), run.scenario().qos()).compose(sent -> subscribed.future());
    }

    private void onSubscribed(MqttSubAckMessage suback) {
        counters.subscribe.recordValue(Histograms.micros(Time.nowNanos() - subscribedNanos));
        for (int granted : suback.grantedQoSLevels()) {
            if (granted >= REFUSED) {
                subscribed.tryFail("the broker refused the subscription to " + run.filter(index));
                return;
            }
        }
        subscribed.tryComplete();
    }

    private void onMessage(MqttPublishMessage message) {
        final long nowNanos = Time.nowNanos();
        if (acks != null) {
            acks.arrived(message, nowNanos);
        }
        Buffer payload = message.payload();
        counters.received.increment();
        if (MessageHeader.fitting(payload.length()) != header && !isListening) {
            counters.foreign.increment();
            return;
        }
        MessageHeader actual = isListening ? MessageHeader.fitting(payload.length()) : header;
        if (actual.hasTime()) {
            long epochNanos = MessageHeader.epochNanos(payload);
            if (!MessageHeader.isPlausible(epochNanos, Time.toEpochNanos(nowNanos))) {
                counters.foreign.increment();
                return;
            }
            long intendedNanos = Time.fromEpochNanos(epochNanos);
            long micros = Histograms.micros(nowNanos - intendedNanos);
            counters.latencyNow.recordValue(micros);
            if (run.measured().has(intendedNanos)) {
                counters.latency.recordValue(micros);
                counters.measuredOut.increment();
            }
        }
        if (actual.hasSequence() && !isOneOfGroup) {
            count(arrival(message, actual.publisher(payload), actual.sequence(payload)));
        }
    }

    private StreamCheck.@Nullable Arrival arrival(MqttPublishMessage message, int publisher, int sequence) {
        if (isListening) {
            return found.computeIfAbsent(message.topicName() + '\n' + publisher, key -> StreamCheck.from(sequence))
                    .accept(sequence);
        }
        GroupCheck group = run.group();
        if (group != null) {
            if (publisher < 0 || publisher >= group.publishers()) {
                return null;
            }
            return group.accept(publisher, sequence) ? StreamCheck.Arrival.NEXT : StreamCheck.Arrival.REPEATED;
        }
        int stream = publisher - firstPublisher;
        return stream < 0 || stream >= streams.length ? null : streams[stream].accept(sequence);
    }

    private void count(StreamCheck.@Nullable Arrival arrival) {
        if (arrival == null) {
            counters.foreign.increment();
        } else if (arrival == StreamCheck.Arrival.REPEATED) {
            counters.repeated.increment();
        } else if (arrival == StreamCheck.Arrival.OVERTAKEN) {
            counters.overtaken.increment();
        }
    }

    /** The check of a publisher that it receives messages of. */
    public StreamCheck stream(int publisher) {
        return streams[publisher - firstPublisher];
    }

    /** With {@link Topology#LISTEN}: the number of messages missing between those that arrived. */
    public long gaps() {
        return found.values().stream().mapToLong(stream -> stream.missing(0)).sum();
    }
}
