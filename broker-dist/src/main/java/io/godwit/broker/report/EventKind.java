package io.godwit.broker.report;

import io.godwit.broker.config.key.EnumNames;
import io.godwit.plugin.event.BrokerEvent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.Search;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * A kind of event and the meters that count it.
 *
 * @param name for logs and {@code status}
 * @param level at which it is reported to operators: WARN when something was lost or is wrong, INFO when something was
 * refused, which clients can cause at will; null for usual events, which are not reported
 * @param tag name of the meters' tag whose values are counted apart; null for none
 * @param meters whose sum is the number of events
 */
public record EventKind(
        Class<? extends BrokerEvent> event,
        String name,
        @Nullable Level level,
        @Nullable String tag,
        List<String> meters) {

    /** All kinds; a test checks that none is missing. */
    static final List<EventKind> ALL = List.of(
            wrong(
                    BrokerEvent.MessageDropped.class,
                    "dropped",
                    "reason",
                    "godwit.mqtt.messages.dropped",
                    "godwit.inbox.dropped",
                    "godwit.dist.dropped",
                    "godwit.plugins.sub.dropped"),
            wrong(BrokerEvent.QueueFullBegan.class, "queues-full", null, "godwit.inbox.queues.full"),
            wrong(BrokerEvent.SlowConsumerBegan.class, "slow-consumers", null, "godwit.mqtt.slow.consumers.begun"),
            refused(BrokerEvent.PublishRefused.class, "publishes-refused", null, "godwit.mqtt.publishes.refused"),
            refused(
                    BrokerEvent.PublishIntercepted.class,
                    "publishes-intercepted",
                    null,
                    "godwit.mqtt.publishes.intercepted"),
            wrong(BrokerEvent.MemberLapsed.class, "members-lapsed", null, "godwit.members.others.lapsed"),
            wrong(BrokerEvent.MemberEvicted.class, "members-evicted", null, "godwit.members.others.evicted"),
            wrong(BrokerEvent.NodeLapsed.class, "node-lapses", null, "godwit.members.lapsed"),
            wrong(
                    BrokerEvent.AcknowledgementsHeld.class,
                    "acknowledgements-held",
                    null,
                    "godwit.members.acknowledgements.held"),
            wrong(BrokerEvent.WaitRanOut.class, "waits-ran-out", "wait", "godwit.waits.over"),
            wrong(BrokerEvent.ReplayDelayed.class, "replays-delayed", null, "godwit.mqtt.replays.delayed"),
            refused(BrokerEvent.ReplayLimited.class, "replays-limited", null, "godwit.mqtt.replays.limited"),
            refused(BrokerEvent.ProtocolViolated.class, "protocol-violations", null, "godwit.mqtt.protocol.errors"),
            refused(BrokerEvent.PacketAbandoned.class, "packets-abandoned", null, "godwit.mqtt.packets.abandoned"),
            refused(BrokerEvent.Banned.class, "bans", "cause", "godwit.mqtt.bans"),
            wrong(BrokerEvent.MemoryShort.class, "memory-shortages", "kind", "godwit.mqtt.memory.shortages"),
            refused(
                    BrokerEvent.ConnectionRefused.class,
                    "connections-refused",
                    null,
                    "godwit.mqtt.connections.refused"),
            refused(BrokerEvent.ConnectRefused.class, "connects-refused", null, "godwit.mqtt.connects.refused"),
            wrong(
                    BrokerEvent.CertificatesRejected.class,
                    "certificates-rejected",
                    null,
                    "godwit.mqtt.certificates.rejected"),
            refused(BrokerEvent.ConnectDenied.class, "connects-denied", null, "godwit.mqtt.connects.denied"),
            refused(BrokerEvent.PublishDenied.class, "publishes-denied", null, "godwit.mqtt.publishes.denied"),
            refused(BrokerEvent.SubscribeDenied.class, "subscribes-denied", null, "godwit.mqtt.subscribes.denied"),
            refused(BrokerEvent.SubscribeRefused.class, "subscribes-refused", null, "godwit.mqtt.subscribes.refused"),
            refused(BrokerEvent.TenantLimitReached.class, "tenant-limits-reached", null, "godwit.mqtt.tenant.refusals"),
            wrong(BrokerEvent.AuthFailed.class, "auth-failures", null, "godwit.mqtt.auth.failures"),
            wrong(BrokerEvent.PluginFailed.class, "plugin-faults", "plugin", "godwit.plugins.faults"),
            wrong(BrokerEvent.SubBrokerDelayed.class, "sub-brokers-delayed", null, "godwit.plugins.sub.delayed"),
            wrong(BrokerEvent.AuthFileRejected.class, "auth-files-rejected", null, "godwit.auth.files.rejected"),
            usual(BrokerEvent.ClientConnected.class, "connects", "godwit.mqtt.connects"),
            usual(BrokerEvent.ClientDisconnected.class, "disconnects", "godwit.mqtt.disconnects"),
            usual(BrokerEvent.ConnectTimedOut.class, "connects-timed-out", "godwit.mqtt.connects.timed.out"),
            usual(BrokerEvent.ConnectAbandoned.class, "connects-abandoned", "godwit.mqtt.connects.abandoned"),
            usual(BrokerEvent.ClientRedirected.class, "redirects", "godwit.mqtt.clients.redirected"),
            usual(BrokerEvent.SubBrokerBegan.class, "sub-brokers-begun", "godwit.plugins.sub.begun"),
            usual(BrokerEvent.SubBrokerEnded.class, "sub-brokers-ended", "godwit.plugins.sub.ended"),
            usual(BrokerEvent.ThrottlingBegan.class, "throttlings-begun", "godwit.mqtt.throttlings.begun"),
            usual(BrokerEvent.ThrottlingEnded.class, "throttlings-ended", "godwit.mqtt.throttlings.ended"),
            usual(BrokerEvent.MemoryRecovered.class, "memory-recoveries", "godwit.mqtt.memory.recoveries"),
            usual(BrokerEvent.SlowConsumerEnded.class, "slow-consumers-ended", "godwit.mqtt.slow.consumers.ended"),
            usual(BrokerEvent.PublishReceived.class, "publishes-received", "godwit.mqtt.publishes.in"),
            usual(BrokerEvent.MessageDelivered.class, "messages-delivered", "godwit.mqtt.publishes.out"),
            usual(BrokerEvent.PublishAccepted.class, "publishes-accepted", "godwit.mqtt.publishes.accepted"),
            usual(BrokerEvent.MessageAcknowledged.class, "messages-acknowledged", "godwit.mqtt.acknowledged"),
            usual(BrokerEvent.RetainedMessageSet.class, "retained-set", "godwit.retain.set"),
            usual(BrokerEvent.RetainedMessageCleared.class, "retained-cleared", "godwit.retain.cleared"),
            usual(BrokerEvent.RetainedMessageExpired.class, "retained-expired", "godwit.retain.expired"),
            usual(BrokerEvent.MessageQueued.class, "messages-queued", "godwit.inbox.copies.stored"),
            usual(BrokerEvent.Subscribed.class, "filters-granted", "godwit.mqtt.filters.granted"),
            usual(BrokerEvent.Unsubscribed.class, "filters-removed", "godwit.mqtt.filters.removed"),
            usual(BrokerEvent.SessionCreated.class, "sessions-created", "godwit.mqtt.sessions.begun"),
            usual(BrokerEvent.SessionEnded.class, "sessions-ended", "godwit.inbox.sessions.ended"),
            usual(BrokerEvent.WillPublished.class, "wills-published", "godwit.inbox.wills.published"),
            usual(BrokerEvent.WillDelayed.class, "wills-delayed", "godwit.inbox.wills.delayed"),
            usual(BrokerEvent.WillSuppressed.class, "wills-suppressed", "godwit.inbox.wills.suppressed"),
            usual(BrokerEvent.QueueFullEnded.class, "queues-relieved", "godwit.inbox.queues.relieved"),
            usual(BrokerEvent.MemberServing.class, "members-serving", "godwit.members.others.serving"),
            usual(BrokerEvent.MemberLeft.class, "members-left", "godwit.members.others.left"),
            usual(BrokerEvent.NodeServingAgain.class, "node-returns", "godwit.members.rejoined"),
            usual(
                    BrokerEvent.AcknowledgementsResumed.class,
                    "acknowledgements-resumed",
                    "godwit.members.acknowledgements.resumed"),
            // the stores themselves report these, in the log and in status
            usual(BrokerEvent.RangeLeadershipBegan.class, "leaderships-begun", "godwit.kv.leaderships"),
            usual(BrokerEvent.RangeLeadershipEnded.class, "leaderships-ended", "godwit.kv.leaderships.ended"),
            usual(BrokerEvent.RangeSplit.class, "ranges-split", "godwit.kv.splits"),
            usual(BrokerEvent.RangesMerged.class, "ranges-merged", "godwit.kv.merges"),
            usual(BrokerEvent.RangeReplicasChanged.class, "replicas-changed", "godwit.kv.replicas.changed"),
            usual(BrokerEvent.ReplicaStopped.class, "replicas-stopped", "godwit.kv.replica.faults"),
            usual(BrokerEvent.StoreDegraded.class, "stores-degraded", "godwit.kv.stores.degraded"),
            usual(BrokerEvent.StoreRecovered.class, "stores-recovered", "godwit.kv.stores.recovered"),
            usual(BrokerEvent.CertificatesReloaded.class, "certificates-reloaded", "godwit.mqtt.certificates.reloaded"),
            usual(BrokerEvent.AuthFileLoaded.class, "auth-files-loaded", "godwit.auth.files.loaded"));

    public EventKind {
        meters = List.copyOf(meters);
    }

    private static EventKind wrong(
            Class<? extends BrokerEvent> event, String name, @Nullable String tag, String... meters) {
        return new EventKind(event, name, Level.WARN, tag, List.of(meters));
    }

    private static EventKind refused(
            Class<? extends BrokerEvent> event, String name, @Nullable String tag, String meter) {
        return new EventKind(event, name, Level.INFO, tag, List.of(meter));
    }

    private static EventKind usual(Class<? extends BrokerEvent> event, String name, String meter) {
        return new EventKind(event, name, null, null, List.of(meter));
    }

    /** The kind of {@code event}. */
    static EventKind of(BrokerEvent event) {
        return ALL.stream()
                .filter(kind -> kind.event() == event.getClass())
                .findFirst()
                .orElseThrow();
    }

    /** The totals since the start of the kinds reported at {@code level}, by name; zeros are left out. */
    static Map<String, Long> totals(Level level, MeterRegistry registry) {
        Map<String, Long> totals = new TreeMap<>();
        ALL.stream().filter(kind -> kind.level() == level).forEach(kind -> kind.addTo(totals, registry));
        totals.values().removeIf(total -> total == 0);
        return totals;
    }

    /** The name in {@link #totals} under which {@code event}, of this kind, is counted. */
    String nameOf(BrokerEvent event) {
        if (event instanceof BrokerEvent.MessageDropped dropped) {
            return tagged(EnumNames.of(dropped.reason()));
        }
        if (event instanceof BrokerEvent.Banned banned) {
            return tagged(EnumNames.of(banned.cause()));
        }
        if (event instanceof BrokerEvent.WaitRanOut over) {
            return tagged(EnumNames.of(over.what()));
        }
        if (event instanceof BrokerEvent.PluginFailed failed) {
            return tagged(failed.plugin());
        }
        return event instanceof BrokerEvent.MemoryShort memory ? tagged(EnumNames.of(memory.kind())) : name;
    }

    private String tagged(String value) {
        return name + '.' + value.replace('_', '-');
    }

    private void addTo(Map<String, Long> totals, MeterRegistry registry) {
        for (String meter : meters) {
            if (tag == null) {
                totals.merge(name, (long) count(registry.find(meter)), Long::sum);
                continue;
            }
            Set<String> values = new TreeSet<>(); // several meters have the same one, with another tag that differs
            for (Meter tagged : registry.find(meter).meters()) {
                String value = tagged.getId().getTag(tag);
                if (value != null) {
                    values.add(value);
                }
            }
            for (String value : values) {
                Search search = registry.find(meter).tag(tag, value);
                totals.merge(tagged(value), (long) count(search), Long::sum);
            }
        }
    }

    /** The sum of the counters that are found. */
    public static double count(Search found) {
        return found.functionCounters().stream()
                        .mapToDouble(FunctionCounter::count)
                        .sum()
                + found.counters().stream().mapToDouble(Counter::count).sum();
    }
}
