package io.godwit.broker.cluster;

import io.godwit.broker.settings.cluster.ClusterWaitsSection;
import io.godwit.kv.client.WaitReports;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.NodeWait;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;

/** How long the wiring of a cluster waits for other nodes. Counts and reports the waits that run out. Thread-safe. */
public final class NodeWaits {
    private final ClusterWaitsSection limits;
    private final WaitReports reports;

    public NodeWaits(ClusterWaitsSection limits, EventListener events, MeterRegistry meters) {
        this.limits = limits;
        this.reports = new WaitReports(
                events, meters, NodeWait.SILENT_MEMBER, NodeWait.LINK, NodeWait.HAND_OVER, NodeWait.LEAVE);
    }

    public Duration confirmation() {
        return Duration.ofSeconds(limits.confirmationSeconds());
    }

    public Duration sharedChoice() {
        return Duration.ofSeconds(limits.sharedChoiceSeconds());
    }

    public Duration proof() {
        return Duration.ofSeconds(limits.proofSeconds());
    }

    public Duration clientId() {
        return Duration.ofSeconds(limits.clientIdSeconds());
    }

    public Duration silentMember() {
        return Duration.ofSeconds(limits.silentMemberSeconds());
    }

    public Duration home() {
        return Duration.ofSeconds(limits.homeSeconds());
    }

    public Duration connection() {
        return Duration.ofSeconds(limits.connectionSeconds());
    }

    public Duration link() {
        return Duration.ofSeconds(limits.linkSeconds());
    }

    public Duration heldMessage() {
        return Duration.ofSeconds(limits.heldMessageSeconds());
    }

    public Duration handOver() {
        return Duration.ofSeconds(limits.handOverSeconds());
    }

    public Duration leave() {
        return Duration.ofSeconds(limits.leaveSeconds());
    }

    /** This node joins and waits for a member without a link. */
    void memberSilent(String member) {
        reports.ranOut(NodeWait.SILENT_MEMBER, silentMember(), () -> member + ", this node joins and waits for it");
    }

    /** A link was broken for too long. */
    void linkSilent(String peer) {
        reports.ranOut(NodeWait.LINK, link(), () -> "link to " + peer);
    }

    /** This node stops, and others have not taken over all ranges that it leads. */
    public void notHandedOver(String ranges) {
        reports.ranOut(NodeWait.HAND_OVER, handOver(), () -> "ranges " + ranges);
    }

    /** This node stops, and the others have not agreed to its leaving. */
    void notLeft(String self) {
        reports.ranOut(NodeWait.LEAVE, leave(), () -> self + " leaves the members");
    }
}
