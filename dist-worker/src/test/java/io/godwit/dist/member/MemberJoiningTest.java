package io.godwit.dist.member;

import static io.godwit.dist.member.MemberWorld.MILLI;
import static io.godwit.dist.member.MemberWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.member.view.MemberState;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When a node joins, for the first time or again, and when it serves. */
@Tag("slow")
class MemberJoiningTest extends MembersFixture {
    /** As when the membership does not see the node yet: while it joins, SUBACKs of the others wait for it. */
    @Test
    void aNodeThatIsBackDoesNotJoinBeforeItIsLinkedButWaitsNotForLong() {
        MemberWorld world = serving(1);
        MemberNode back = world.node(3);
        back.cutLinks(true);
        CompletableFuture<Void> excluded = world.node(0).members().exclude(back.life(), "test");
        world.runFor(4 * SECOND);
        assertThat(excluded).isCompleted();
        assertThat(world.newest().is(back.life(), MemberState.JOINING)).isFalse();
        assertThat(back.members().takesClients()).isFalse();
        back.cutLinks(false);
        world.runFor(SECOND);
        assertThat(world.newest().serving()).contains(back.life());
        assertThat(back.members().takesClients()).isTrue();

        back.cutLinks(true);
        world.node(0).members().exclude(back.life(), "test");
        long waited = 0; // then it joins, and subscribers of the others may exclude it at once
        while (!world.newest().is(back.life(), MemberState.JOINING) && waited < 2 * Joining.LINK_NANOS) {
            world.runFor(10 * MILLI);
            waited += 10 * MILLI;
        }
        assertThat(waited).isBetween(Joining.LINK_NANOS - SECOND, Joining.LINK_NANOS + 2 * SECOND);
    }

    /** If it joined early, each SUBACK of a stored session would wait until it is excluded again. */
    @Test
    void aNodeWhoseReplicaIsBehindDoesNotJoinBeforeItHasCaughtUp() {
        fallBehind(1, 2);
    }

    @Test
    @Tag("long")
    void aNodeWhoseReplicaIsBehindDoesNotJoinBeforeItHasCaughtUpFromMoreSeeds() {
        fallBehind(3, 5);
    }

    private static void fallBehind(long firstSeed, long lastSeed) {
        for (long seed = firstSeed; seed <= lastSeed; seed++) {
            MemberWorld world = serving(seed);
            MemberNode behind = world.node(2);
            behind.fallBehind(true);
            CompletableFuture<Void> excluded = world.node(0).members().exclude(behind.life(), "has not confirmed");
            world.runFor(30 * SECOND);
            assertThat(excluded).isCompleted();
            assertThat(world.newest().find(behind.life()))
                    .as("the node was evicted and has not come back")
                    .isNull();
            assertThat(behind.members().lack()).startsWith("its routes are not complete");
            long revision = world.newest().revision();
            world.runFor(120 * SECOND);
            assertThat(world.newest().revision()).as("seed %d", seed).isEqualTo(revision);

            behind.fallBehind(false);
            world.runFor(10 * SECOND);
            assertThat(world.newest().serving()).hasSize(4);
            assertThat(behind.members().mayAcknowledge()).isTrue();
        }
    }

    @Test
    void theFirstNodeWritesTheFirstRevisionAndAllServeInTheEnd() {
        MemberWorld world = serving(5);
        assertThat(world.view(1).members()).hasSize(1).allMatch(member -> member.state() == MemberState.JOINING);
        assertThat(world.newest().serving()).hasSize(4);
        assertThat(world.newest().revision())
                .as("one revision for each join, and one for each node that begins to serve")
                .isEqualTo(8);
        MemberNode leaving = world.node(2);
        CompletableFuture<Void> left = leaving.members().leave();
        world.runFor(SECOND);
        assertThat(left).isCompleted();
        assertThat(leaving.members().mayAcknowledge()).isFalse();
        assertThat(world.newest().find(leaving.life())).isNull();
    }
}
