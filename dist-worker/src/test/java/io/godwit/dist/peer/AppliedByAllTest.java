package io.godwit.dist.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.peer.filter.PeerBarriers;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.testing.InMemoryRangeHost;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** When the routes of stored sessions and records of operators are applied by all nodes. */
class AppliedByAllTest extends TwoNodes {
    /** The replica of another node may be behind the one that committed it. */
    @Test
    void theRouteOfAStoredSessionIsPromisedAndGoneOnceAllHaveApplied() {
        InMemoryRangeHost[] made = new InMemoryRangeHost[1];
        TestNode stores = new TestNode(cluster, "stores", 1, () -> made[0]);
        InMemoryRangeHost host =
                new InMemoryRangeHost(() -> stores.worker.coprocessorFactory().get());
        made[0] = host;
        stores.join();
        stores.members.setFresh(true);
        stores.worker.start();
        cluster.settle();
        b.heldCatchUps = new ArrayList<>();
        InboxReceiver kept = new InboxReceiver(TenantId.DEFAULT, new ClientId("kept"), 1);
        CompletableFuture<Void> added = stores.client().addRoute(TestNode.filter("t"), kept, TestNode.OPTIONS);
        assertWaitsForAnother(host, added);
        CompletableFuture<Void> removed = stores.client().removeRoute(TestNode.filter("t"), kept);
        assertWaitsForAnother(host, removed);
        host.close();
    }

    private void assertWaitsForAnother(InMemoryRangeHost host, CompletableFuture<Void> committed) {
        host.runUntilIdle();
        cluster.settle();
        assertThat(b.heldCatchUps).hasSize(1);
        assertThat(committed).isNotDone();
        b.heldCatchUps.remove(0).complete(null);
        cluster.settle();
        assertThat(committed).isCompleted();
    }

    /** Like the wait of a SUBSCRIBE of a stored session at a, with a distant deadline. */
    private CompletableFuture<Void> applied() {
        Supplier<CompletableFuture<Void>> others = a.peers.askOthers();
        return a.peers
                .untilAppliedHere(new io.godwit.kv.client.Deadline(Long.MAX_VALUE / 2))
                .thenCompose(here -> others.get());
    }

    @Test
    void theOthersAreAskedWhileThisNodeApplies() {
        List<CompletableFuture<Void>> here = new ArrayList<>();
        a.heldCatchUps = here;
        CompletableFuture<Void> passed = applied();
        b.heldCatchUps = new ArrayList<>();
        cluster.settle();
        assertThat(b.heldCatchUps).hasSize(1);
        b.heldCatchUps.get(0).complete(null);
        cluster.settle();
        assertThat(passed).as("this node has not applied it").isNotDone();
        here.get(0).complete(null);
        assertThat(passed).as("the answer that came before counts").isCompleted();
        assertThat(b.heldCatchUps).hasSize(1);
    }

    @Test
    void aMemberThatIsLinkedAnewWhileThisNodeAppliesIsAskedAgain() {
        List<CompletableFuture<Void>> here = new ArrayList<>();
        a.heldCatchUps = here;
        b.heldCatchUps = new ArrayList<>();
        CompletableFuture<Void> passed = applied();
        cluster.settle();
        cluster.view.hasMajority = false; // else the end of the link excludes the node
        cluster.net.end("a", "b", "for the test");
        b.heldCatchUps = null;
        cluster.net.link("a", "b");
        here.get(0).complete(null);
        cluster.settle();
        assertThat(passed).isCompleted();
    }

    @Test
    void aBarrierEndsWhenTheOthersHaveAppliedAndWhoComesMeanwhileSharesTheNext() {
        b.heldCatchUps = new ArrayList<>();
        List<CompletableFuture<Void>> passed = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            passed.add(applied());
        }
        cluster.settle();
        assertThat(b.heldCatchUps).hasSize(1);
        b.heldCatchUps.get(0).complete(null);
        cluster.settle();
        assertThat(passed.get(0)).isCompleted();
        assertThat(passed.subList(1, 10)).allSatisfy(later -> assertThat(later).isNotDone());
        assertThat(b.heldCatchUps).hasSize(2);
        b.heldCatchUps.get(1).complete(null);
        cluster.settle();
        assertThat(passed).allSatisfy(each -> assertThat(each).isCompleted());
    }

    @Test
    void aMemberThatDoesNotApplyIsExcludedUnlessThisNodeCouldNotEither() {
        a.heldCatchUps = new ArrayList<>();
        b.heldCatchUps = new ArrayList<>();
        CompletableFuture<Void> passed = applied();
        cluster.timers.advance(TestNode.CONFIRM.multipliedBy(2));
        assertThat(a.members.excluded).isEmpty();

        a.heldCatchUps.get(0).completeExceptionally(new RangeException(RangeException.Cause.TIMEOUT, "no leader"));
        cluster.timers.advance(PeerBarriers.RETRY);
        a.heldCatchUps.get(1).complete(null);
        cluster.settle();
        cluster.timers.advance(TestNode.CONFIRM);
        assertThat(passed).isCompleted();
        assertThat(a.members.excluded).containsExactly(b.life);
    }

    private CompletableFuture<List<String>> unconfirmed(Duration within) {
        return a.peers.unconfirmedBy(new io.godwit.kv.client.Deadline(cluster.timers.nanoTime() + within.toNanos()));
    }

    @Test
    void theMembersThatHaveNotAppliedARecordAreNamed() {
        CompletableFuture<List<String>> told = unconfirmed(Duration.ofSeconds(2));
        cluster.settle();
        assertThat(told).isCompletedWithValue(List.of());

        b.heldCatchUps = new ArrayList<>();
        told = unconfirmed(Duration.ofSeconds(2));
        cluster.settle();
        assertThat(told).isNotDone();
        cluster.timers.advance(Duration.ofSeconds(2));
        assertThat(told).isCompletedWithValue(List.of("b"));

        a.heldCatchUps = new ArrayList<>();
        told = unconfirmed(Duration.ofSeconds(2));
        cluster.timers.advance(Duration.ofSeconds(2));
        a.heldCatchUps.get(0).completeExceptionally(new RangeException(RangeException.Cause.TIMEOUT, "no leader"));
        assertThat(told).as("this node has not applied it either").isCompletedWithValue(List.of("a", "b"));
    }

    /** It may still run and accept what was removed; nothing waits for it. */
    @Test
    void aMemberThatTheOthersHaveExcludedIsNamedUntilItConfirmsOrIsEvicted() {
        List<CompletableFuture<Void>> held = new ArrayList<>();
        b.heldCatchUps = held;
        CompletableFuture<List<String>> told = unconfirmed(Duration.ofSeconds(2));
        cluster.settle();
        assertThat(told).isNotDone();
        assertThat(a.members.exclude(b.life, "test")).isCompleted();
        a.peers.excluded(b.life);
        assertThat(told).as("excluded meanwhile").isCompletedWithValue(List.of("b"));

        told = unconfirmed(Duration.ofSeconds(2));
        cluster.settle();
        assertThat(told).as("excluded before").isCompletedWithValue(List.of("b"));

        b.heldCatchUps = null;
        held.forEach(catchUp -> catchUp.complete(null));
        cluster.view.join(b.life);
        told = unconfirmed(Duration.ofSeconds(2));
        cluster.settle();
        assertThat(told).as("back and confirmed").isCompletedWithValue(List.of());

        assertThat(a.members.exclude(b.life, "test")).isCompleted();
        cluster.view.evict(b.life);
        told = unconfirmed(Duration.ofSeconds(2));
        cluster.settle();
        assertThat(told).as("no longer known").isCompletedWithValue(List.of());
    }

    @Test
    void aMemberThatIsExcludedBecauseItDoesNotConfirmIsNamed() {
        b.heldCatchUps = new ArrayList<>();
        CompletableFuture<List<String>> told = unconfirmed(TestNode.CONFIRM.multipliedBy(2));
        cluster.settle();
        cluster.timers.advance(TestNode.CONFIRM);
        cluster.settle();
        assertThat(a.members.excluded).containsExactly(b.life);
        assertThat(told).isCompletedWithValue(List.of("b"));
    }

    @Test
    void anExcludedMemberIsNamedByANodeThatIsBehindToo() {
        assertThat(a.members.exclude(b.life, "test")).isCompleted();
        a.heldCatchUps = new ArrayList<>();
        CompletableFuture<List<String>> told = unconfirmed(Duration.ofSeconds(2));
        cluster.timers.advance(Duration.ofSeconds(2));
        a.heldCatchUps.get(0).completeExceptionally(new RangeException(RangeException.Cause.TIMEOUT, "no leader"));
        assertThat(told).isCompletedWithValue(List.of("a", "b"));
    }
}
