package io.godwit.dist.member;

import io.godwit.dist.member.view.AgreedMember;
import io.godwit.dist.member.view.MemberState;
import io.godwit.dist.member.view.MembersView;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Reports what happens to the members, this node included: each method counts it and, if a listener wants it, sends an
 * event. It derives the changes of other members from successive views. Confined to the thread of the members.
 */
public final class MemberReports {
    private final EventListener events;
    private final Counter serving;
    private final Counter lapses;
    private final Counter evictions;
    private final Counter departures;
    private final Counter ownLapses;
    private final Counter ownReturns;
    private final Counter holds;
    private final Counter resumptions;
    /** The newest view that was compared. */
    private MembersView known = MembersView.NONE;

    public MemberReports(EventListener events, MeterRegistry meters) {
        this.events = events;
        serving = counter(meters, "others.serving", "times that another member began to serve");
        lapses = counter(meters, "others.lapsed", "times that the members went on without another one");
        evictions = counter(meters, "others.evicted", "members that did not come back in time after their lapse");
        departures = counter(meters, "others.left", "members that left in good order");
        ownLapses = counter(meters, "lapsed", "times that the other members went on without this node");
        ownReturns = counter(meters, "rejoined", "times that this node served again after that");
        holds = counter(meters, "acknowledgements.held", "times that this node began to hold acknowledgements");
        resumptions = counter(meters, "acknowledgements.resumed", "times that it acknowledged again after that");
    }

    private static Counter counter(MeterRegistry meters, String what, String description) {
        return Counter.builder("godwit.members." + what)
                .description(description)
                .register(meters);
    }

    /**
     * Reports how the members other than {@code self} differ between the last view and a newer one. Reports nothing for
     * the first view, because nothing in it is new.
     */
    void view(MembersView next, NodeLife self) {
        MembersView before = known;
        if (next.revision() <= before.revision()) {
            return;
        }
        known = next;
        if (before.revision() == 0) {
            return;
        }
        for (AgreedMember member : before.members()) {
            if (!member.life().equals(self) && next.find(member.life()) == null) {
                gone(member);
            }
        }
        for (AgreedMember member : next.members()) {
            if (!member.life().equals(self) && !before.members().contains(member)) {
                changed(member);
            }
        }
    }

    /** A lapsed member that is gone was evicted, or a newer process of its node has replaced it. Others have left. */
    private void gone(AgreedMember member) {
        String nodeId = member.life().nodeId();
        long incarnation = member.life().incarnation();
        if (member.state() == MemberState.LAPSED) {
            evictions.increment();
            if (events.isListening(BrokerEvent.MemberEvicted.class)) {
                events.onEvent(new BrokerEvent.MemberEvicted(nodeId, incarnation));
            }
        } else {
            departures.increment();
            if (events.isListening(BrokerEvent.MemberLeft.class)) {
                events.onEvent(new BrokerEvent.MemberLeft(nodeId, incarnation));
            }
        }
    }

    private void changed(AgreedMember member) {
        String nodeId = member.life().nodeId();
        long incarnation = member.life().incarnation();
        switch (member.state()) {
            case SERVING -> {
                serving.increment();
                if (events.isListening(BrokerEvent.MemberServing.class)) {
                    events.onEvent(new BrokerEvent.MemberServing(nodeId, incarnation));
                }
            }
            case LAPSED -> {
                lapses.increment();
                if (events.isListening(BrokerEvent.MemberLapsed.class)) {
                    events.onEvent(new BrokerEvent.MemberLapsed(nodeId, incarnation));
                }
            }
            case JOINING -> {} // not visible to clients yet
        }
    }

    /** The others have excluded this node. */
    void lapsed(NodeLife self) {
        ownLapses.increment();
        if (events.isListening(BrokerEvent.NodeLapsed.class)) {
            events.onEvent(new BrokerEvent.NodeLapsed(self.nodeId(), self.incarnation()));
        }
    }

    /** This node serves again after a lapse. */
    void servesAgain(NodeLife self) {
        ownReturns.increment();
        if (events.isListening(BrokerEvent.NodeServingAgain.class)) {
            events.onEvent(new BrokerEvent.NodeServingAgain(self.nodeId(), self.incarnation()));
        }
    }

    /** This node cannot prove that it knows all subscriptions, and acknowledges nothing. */
    void holds(String cause) {
        holds.increment();
        if (events.isListening(BrokerEvent.AcknowledgementsHeld.class)) {
            events.onEvent(new BrokerEvent.AcknowledgementsHeld(cause));
        }
    }

    /** This node acknowledges again. */
    void resumes() {
        resumptions.increment();
        if (events.isListening(BrokerEvent.AcknowledgementsResumed.class)) {
            events.onEvent(new BrokerEvent.AcknowledgementsResumed());
        }
    }
}
