package io.godwit.mqtt.transport.report;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.event.NodeWait;
import io.godwit.plugin.throttle.TenantResource;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts sessions, their subscriptions, and their attachments to inboxes. Any thread. */
public final class SessionMetrics {
    private final MeterRegistry registry;
    private final LongAdder filtersAsked;
    private final LongAdder filtersGranted;
    private final LongAdder filtersRemoved;
    private final LongAdder continuedAttachments;
    private final LongAdder lostAttachments;

    /** Set once, before it is read. */
    private volatile LongSupplier acknowledgedOut = () -> 0;

    // counters with an event
    final LongAdder createdSessions;
    final LongAdder resumedSessions;
    final LongAdder movedHomesOver;
    final LongAdder lostHomesOver;
    final LongAdder deniedSubscribes;
    final LongAdder refusedSubscribes;
    final LongAdder delayedReplays;
    final LongAdder limitedReplays;
    final LongAdder begunSlowConsumers;
    final LongAdder endedSlowConsumers;
    final KindCounters<TenantResource> tenantRefusals;

    SessionMetrics(MqttCounters counters) {
        registry = counters.registry();
        filtersAsked = counters.counter("filters.asked", "filters in SUBSCRIBE packets");
        filtersGranted = counters.counter("filters.granted", "filters that were granted");
        filtersRemoved = counters.counter("filters.removed", "subscriptions removed by UNSUBSCRIBE");
        continuedAttachments = counters.counter(
                "attachments.continued", "connections that went on with the next leader of their inbox");
        lostAttachments =
                counters.counter("attachments.lost", "connections closed since no leader of their inbox was found");
        createdSessions = counters.counter("sessions.begun", "sessions begun that outlive their connection");
        resumedSessions = counters.counter("sessions.resumed", "sessions from before that clients went on with");
        movedHomesOver = waitsOver(registry, NodeWait.HOME_MOVED);
        lostHomesOver = waitsOver(registry, NodeWait.HOME_LOST);
        deniedSubscribes = counters.counter("subscribes.denied", "subscriptions denied by the auth provider");
        refusedSubscribes = counters.counter("subscribes.refused", "subscriptions refused for a limit");
        delayedReplays = counters.counter(
                "replays.delayed", "retained messages of a subscription to be sent once there is room");
        limitedReplays = counters.counter(
                "replays.limited", "new subscriptions that did not get all retained messages, for a limit");
        begunSlowConsumers = counters.counter("slow.consumers.begun", "times that a client began to read too slowly");
        endedSlowConsumers = counters.counter("slow.consumers.ended", "times that it kept up again, or went");
        tenantRefusals = counters.byKind(
                "tenant.refusals",
                "what clients were refused since their tenant uses as much of it as it may",
                "resource",
                TenantResource.class);
    }

    /** Other parts of the broker count other waits under the same name. */
    private static LongAdder waitsOver(MeterRegistry registry, NodeWait wait) {
        LongAdder adder = new LongAdder();
        FunctionCounter.builder("godwit.waits.over", adder, LongAdder::sum)
                .description("waits for other nodes that ran out")
                .tag("wait", wait.name().toLowerCase(Locale.ROOT))
                .register(registry);
        return adder;
    }

    /** Call once, by the owner of all sessions; the values are read on any thread. */
    public void register(
            LongSupplier inboundUnderWay,
            LongSupplier outboundUnderWay,
            LongSupplier queued,
            LongSupplier acknowledged) {
        Gauge.builder("godwit.mqtt.inflight", inboundUnderWay::getAsLong)
                .description("messages of QoS 1 and 2 under way between clients and this node: not acknowledged")
                .tag("direction", "in")
                .register(registry);
        Gauge.builder("godwit.mqtt.inflight", outboundUnderWay::getAsLong)
                .description("messages of QoS 1 and 2 under way between clients and this node: not acknowledged")
                .tag("direction", "out")
                .register(registry);
        Gauge.builder("godwit.mqtt.queued", queued::getAsLong)
                .description("messages that wait for their client in the memory of live sessions")
                .register(registry);
        acknowledgedOut = acknowledged;
        FunctionCounter.builder("godwit.mqtt.acknowledged", this, self -> self.acknowledgedOut.getAsLong())
                .description("messages of QoS 1 and 2 that clients acknowledged")
                .register(registry);
    }

    public void filtersAsked(int filters) {
        filtersAsked.add(filters);
    }

    /** A SUBACK was sent. */
    void subscribed(List<ReasonCode> codes) {
        filtersGranted.add(codes.stream().filter(code -> !code.isError()).count());
    }

    /** An UNSUBACK was sent. */
    void unsubscribed(List<ReasonCode> codes) {
        filtersRemoved.add(
                codes.stream().filter(code -> code == ReasonCode.SUCCESS).count());
    }

    /** The leader of a connected session's inbox was replaced, and the connection continues at the next one. */
    public void attachmentContinued() {
        continuedAttachments.increment();
    }

    /** The connection could not continue at another leader and is closed. */
    public void attachmentLost() {
        lostAttachments.increment();
    }
}
