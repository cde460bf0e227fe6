package io.godwit.broker;

import io.godwit.broker.settings.ClusterWaitsSection;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.NodeWait;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Locale;

/**
 * How long the wiring of a cluster waits for other nodes. Counts those of its waits that run out, and tells of them;
 * the other modules count theirs under the same name. Thread-safe.
 */
final class NodeWaits {
    private final ClusterWaitsSection limits;
    private final EventListener events;
    private final Counter silentMembers;
    private final Counter links;
    private final Counter handOvers;
    private final Counter leaves;

    NodeWaits(ClusterWaitsSection limits, EventListener events, MeterRegistry meters) {
        this.limits = limits;
        this.events = events;
        silentMembers = counter(meters, NodeWait.SILENT_MEMBER);
        links = counter(meters, NodeWait.LINK);
        handOvers = counter(meters, NodeWait.HAND_OVER);
        leaves = counter(meters, NodeWait.LEAVE);
    }

    private static Counter counter(MeterRegistry meters, NodeWait wait) {
        return Counter.builder("godwit.waits.over")
                .description("waits for other nodes that ran out")
                .tag("wait", wait.name().toLowerCase(Locale.ROOT))
                .register(meters);
    }

    Duration confirmation() {
        return Duration.ofSeconds(limits.confirmationSeconds());
    }

    Duration proof() {
        return Duration.ofSeconds(limits.proofSeconds());
    }

    Duration clientId() {
        return Duration.ofSeconds(limits.clientIdSeconds());
    }

    Duration silentMember() {
        return Duration.ofSeconds(limits.silentMemberSeconds());
    }

    Duration home() {
        return Duration.ofSeconds(limits.homeSeconds());
    }

    Duration connection() {
        return Duration.ofSeconds(limits.connectionSeconds());
    }

    Duration link() {
        return Duration.ofSeconds(limits.linkSeconds());
    }

    Duration handOver() {
        return Duration.ofSeconds(limits.handOverSeconds());
    }

    Duration leave() {
        return Duration.ofSeconds(limits.leaveSeconds());
    }

    /** A member that this node waits for while it joins has no link. */
    void memberSilent(String member) {
        ranOut(silentMembers, NodeWait.SILENT_MEMBER, silentMember(), member + ", this node joins and waits for it");
    }

    /** A link was broken for so long. */
    void linkSilent(String peer) {
        ranOut(links, NodeWait.LINK, link(), "link to " + peer);
    }

    /** This node stops, and others have not taken all that it leads. */
    void notHandedOver(String ranges) {
        ranOut(handOvers, NodeWait.HAND_OVER, handOver(), "ranges " + ranges);
    }

    /** This node stops, and the others have not agreed that it leaves. */
    void notLeft(String self) {
        ranOut(leaves, NodeWait.LEAVE, leave(), self + " leaves the members");
    }

    private void ranOut(Counter counter, NodeWait wait, Duration limit, String detail) {
        counter.increment();
        if (events.isListening(BrokerEvent.WaitRanOut.class)) {
            events.onEvent(new BrokerEvent.WaitRanOut(wait, limit, detail));
        }
    }
}
