package io.godwit.broker.watch.tap;

import io.godwit.broker.config.key.EnumNames;
import io.godwit.broker.watch.question.TraceQuestion;
import io.godwit.broker.watch.question.WatchEntry;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.Match;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.trace.Tracer;
import io.godwit.mqtt.trace.Tracing;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the messages of this node to traces: calls of the frontend, and receivers of deliveries. {@link EventTap}
 * reports the rest (connections, drops, refusals). Any thread. Without traces it costs one volatile read per call.
 */
public final class TraceTap implements Tracer {
    private static final Logger LOG = LoggerFactory.getLogger(TraceTap.class);
    private static final Trace[] NONE = {};

    private final Tracing tracing;
    private final LongSupplier millis;
    private final SentTopics sent = new SentTopics();
    /** Copied on write by {@link #watch} and {@link #unwatch}. */
    private volatile Trace[] traces = NONE;
    /** Whether a fault was logged. Atomic: any thread. */
    private final AtomicBoolean hasFailed = new AtomicBoolean();

    private record Trace(TraceQuestion question, WatchQueue queue) {}

    /**
     * @param tracing receives this tap while there are traces
     * @param millis wall time since 1970
     */
    public TraceTap(Tracing tracing, LongSupplier millis) {
        this.tracing = tracing;
        this.millis = millis;
    }

    public synchronized void watch(TraceQuestion question, WatchQueue queue) {
        Trace[] more = Arrays.copyOf(traces, traces.length + 1);
        more[traces.length] = new Trace(question, queue);
        traces = more;
        tracing.set(this);
    }

    public synchronized void unwatch(WatchQueue queue) {
        traces = Arrays.stream(traces).filter(each -> each.queue != queue).toArray(Trace[]::new);
        if (traces.length == 0) {
            tracing.set(null);
            sent.clear();
        }
    }

    public int traces() {
        return traces.length;
    }

    /** The number of stored topics of unacknowledged messages. */
    long remembered() {
        return sent.size();
    }

    // ---- receivers of deliveries

    /** Wraps the deliverer to live sessions of this node, which also gets messages from publishers on other nodes. */
    public Deliverer live(Deliverer next) {
        return new Deliverer() {
            @Override
            public CompletableFuture<DistOutcome> deliver(Delivery delivery) {
                if (tracing.active() != null) {
                    guarded(() -> matched(delivery, "live"));
                }
                return next.deliver(delivery);
            }

            @Override
            public CompletableFuture<List<Boolean>> know(Delivery delivery) {
                return next.know(delivery);
            }
        };
    }

    /** Reports a delivery to stored sessions, on any node. */
    public void storing(Delivery delivery) {
        if (tracing.active() != null) {
            guarded(() -> matched(delivery, "stored"));
        }
    }

    /** Reports the outcome of each match of a stored delivery. */
    public void stored(Delivery delivery, List<InsertOutcome> outcomes) {
        if (tracing.active() != null) {
            guarded(() -> {
                for (int i = 0; i < outcomes.size(); i++) {
                    Match match = delivery.matches().get(i);
                    tellMatch("stored", delivery, match, "outcome", EnumNames.of(outcomes.get(i)));
                }
            });
        }
    }

    /** Reports that the outcome of a stored delivery is unknown. */
    public void notStored(Delivery delivery, DistOutcome outcome) {
        if (tracing.active() != null) {
            guarded(() -> delivery.matches()
                    .forEach(match -> tellMatch("stored", delivery, match, "outcome", EnumNames.of(outcome))));
        }
    }

    /** A fault of tracing must not fail the publisher. */
    private void guarded(Runnable tell) {
        try {
            tell.run();
        } catch (RuntimeException e) {
            if (!hasFailed.getAndSet(true)) { // otherwise logged again for each message
                LOG.warn("a trace is not complete", e);
            }
        }
    }

    private void matched(Delivery delivery, String session) {
        for (Match match : delivery.matches()) {
            tellMatch("matched", delivery, match, "session", session);
        }
    }

    private void tellMatch(String type, Delivery delivery, Match match, String name, String value) {
        ClientInfo publisher = delivery.publisher();
        String receiver = match.receiver().clientId().value();
        Message message = delivery.message();
        for (Trace trace : traces) {
            if (trace.question.follows(
                    publisher.tenant().value(),
                    receiver,
                    publisher.clientId().value(),
                    publisher.remoteAddress(),
                    message.topic())) {
                trace.queue.offer(() -> {
                    Map<String, Object> details = new LinkedHashMap<>();
                    details.put("tenant", WatchEntry.cut(publisher.tenant().value()));
                    details.put("clientId", WatchEntry.cut(receiver));
                    details.put("publisher", WatchEntry.cut(publisher.clientId().value()));
                    putMessage(details, message, Qos.min(match.qos(), message.qos()));
                    TopicFilter group = match.sharedBy();
                    if (group != null) {
                        details.put("sharedBy", WatchEntry.cut(group.text()));
                    }
                    details.put(name, value);
                    return new WatchEntry(millis.getAsLong(), type, details);
                });
            }
        }
    }

    // ---- calls of the frontend

    @Override
    public void published(ClientInfo publisher, Message message, int packetId) {
        guarded(() -> tell("published", publisher, message, message.qos(), packetId, null, message.retain()));
    }

    @Override
    public void distributed(ClientInfo publisher, Message message, ReasonCode outcome) {
        guarded(() -> tell("distributed", publisher, message, message.qos(), 0, outcome, false));
    }

    @Override
    public void queued(ClientInfo receiver, Message message, Qos qos) {
        guarded(() -> tell("queued", receiver, message, qos, 0, null, false));
    }

    @Override
    public void sent(ClientInfo receiver, Message message, Qos qos, int packetId, boolean isRepeated) {
        guarded(() -> {
            String type = isRepeated ? "sent-again" : "sent";
            boolean isTold = tell(type, receiver, message, qos, packetId, null, false);
            if (isTold && packetId > 0) {
                sent.put(receiver, packetId, message.topic());
            }
        });
    }

    private boolean tell(
            String type,
            ClientInfo client,
            Message message,
            Qos qos,
            int packetId,
            @Nullable ReasonCode outcome,
            boolean retain) {
        boolean isTold = false;
        for (Trace trace : traces) {
            if (trace.question.follows(client, message.topic())) {
                isTold = true;
                trace.queue.offer(() -> {
                    Map<String, Object> details = ofClient(client);
                    putMessage(details, message, qos);
                    if (retain) {
                        details.put("retain", true);
                    }
                    putAnswer(details, packetId, outcome);
                    return new WatchEntry(millis.getAsLong(), type, details);
                });
            }
        }
        return isTold;
    }

    @Override
    public void acknowledged(ClientInfo receiver, int packetId, ReasonCode code) {
        guarded(() -> tellAcknowledged(receiver, packetId, code));
    }

    private void tellAcknowledged(ClientInfo receiver, int packetId, ReasonCode code) {
        String topic = sent.remove(receiver, packetId);
        for (Trace trace : traces) {
            if (trace.question.follows(receiver, topic)) {
                trace.queue.offer(() -> {
                    Map<String, Object> details = ofClient(receiver);
                    if (topic != null) {
                        details.put("topic", WatchEntry.cut(topic));
                    }
                    putAnswer(details, packetId, code);
                    return new WatchEntry(millis.getAsLong(), "acknowledged", details);
                });
            }
        }
    }

    @Override
    public void subscribed(ClientInfo subscriber, TopicFilter filter, ReasonCode code) {
        guarded(() -> tellFilter("subscribed", subscriber, filter, code));
    }

    @Override
    public void unsubscribed(ClientInfo subscriber, TopicFilter filter, ReasonCode code) {
        guarded(() -> tellFilter("unsubscribed", subscriber, filter, code));
    }

    private void tellFilter(String type, ClientInfo subscriber, TopicFilter filter, ReasonCode code) {
        for (Trace trace : traces) {
            if (trace.question.followsFilter(subscriber, filter)) {
                trace.queue.offer(() -> {
                    Map<String, Object> details = ofClient(subscriber);
                    details.put("filter", WatchEntry.cut(filter.text()));
                    putAnswer(details, 0, code);
                    return new WatchEntry(millis.getAsLong(), type, details);
                });
            }
        }
    }

    private static Map<String, Object> ofClient(ClientInfo client) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("tenant", WatchEntry.cut(client.tenant().value()));
        details.put("clientId", WatchEntry.cut(client.clientId().value()));
        details.put("address", client.remoteAddress());
        return details;
    }

    private static void putMessage(Map<String, Object> details, Message message, Qos qos) {
        details.put("topic", WatchEntry.cut(message.topic()));
        details.put("qos", (long) qos.value());
        details.put("payloadBytes", (long) message.payload().length);
    }

    private static void putAnswer(Map<String, Object> details, int packetId, @Nullable ReasonCode code) {
        if (packetId > 0) {
            details.put("packetId", (long) packetId);
        }
        if (code != null) {
            details.put("outcome", EnumNames.of(code));
        }
    }
}
