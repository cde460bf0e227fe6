package io.godwit.dist.member;

import static io.godwit.dist.member.MemberWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.member.view.NodeLife;
import io.godwit.plugin.event.BrokerEvent;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The events about members and proofs, once per change. */
@Tag("slow")
class MemberEventsTest extends MembersFixture {
    @Test
    void membersThatLapseAndComeBackAreToldOncePerChange() {
        for (long seed = 1; seed <= 10; seed++) {
            MemberWorld world = serving(seed);
            MemberNode back = world.node(3);
            MemberNode other = world.node(1);
            NodeLife life = back.life();
            world.forAll(node -> node.events().clear());
            back.cutFromStore(true);
            world.node(0).members().exclude(life, "test");
            world.runFor(5 * SECOND);
            back.cutFromStore(false);
            world.runFor(30 * SECOND);
            assertThat(world.newest().serving()).as("seed %d", seed).contains(life);

            assertThat(membersToldAt(other))
                    .as("seed %d", seed)
                    .containsExactly(
                            new BrokerEvent.MemberLapsed(life.nodeId(), life.incarnation()),
                            new BrokerEvent.MemberServing(life.nodeId(), life.incarnation()));
            assertThat(back.events())
                    .as("seed %d", seed)
                    .filteredOn(event -> !(event instanceof BrokerEvent.WaitRanOut))
                    .extracting(event -> event.getClass().getSimpleName())
                    .containsExactly(
                            "AcknowledgementsHeld", "NodeLapsed", "NodeServingAgain", "AcknowledgementsResumed");
        }
    }

    @Test
    void aMemberThatDiesAndOneThatLeavesAreTold() {
        MemberWorld world = serving(1);
        NodeLife dead = world.node(3).life();
        NodeLife left = world.node(2).life();
        MemberNode other = world.node(1);
        other.events().clear();
        world.node(2)
                .members()
                .leave()
                .whenComplete((done, failure) -> world.node(2).kill());
        world.runFor(SECOND);
        world.node(3).kill();
        world.node(0).members().exclude(dead, "test");
        world.runFor(30 * SECOND);

        assertThat(membersToldAt(other))
                .containsExactly(
                        new BrokerEvent.MemberLeft(left.nodeId(), left.incarnation()),
                        new BrokerEvent.MemberLapsed(dead.nodeId(), dead.incarnation()),
                        new BrokerEvent.MemberEvicted(dead.nodeId(), dead.incarnation()));
    }

    @Test
    void aNodeWithoutAProofTellsOnceThatItHoldsAndOnceThatItGoesOn() {
        MemberWorld world = serving(1);
        MemberNode node = world.node(0);
        node.events().clear();
        world.setMajority(false);
        world.runFor(6 * SECOND);
        assertThat(node.events())
                .singleElement()
                .isInstanceOfSatisfying(
                        BrokerEvent.AcknowledgementsHeld.class,
                        held -> assertThat(held.cause()).isNotEmpty());
        world.setMajority(true);
        world.runFor(6 * SECOND);
        assertThat(node.events()).hasSize(2).last().isEqualTo(new BrokerEvent.AcknowledgementsResumed());
    }

    /** Events about the other members, in order. */
    private static List<BrokerEvent> membersToldAt(MemberNode node) {
        return node.events().stream()
                .filter(event -> event.getClass().getSimpleName().startsWith("Member"))
                .toList();
    }
}
