package io.godwit.broker.admin.steering;

import static io.godwit.broker.admin.FakeNode.A;
import static io.godwit.broker.admin.FakeNode.B;
import static io.godwit.broker.admin.FakeNode.C;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.api.port.NotServingException;
import io.godwit.api.port.OperationException;
import io.godwit.api.port.cluster.StoreAdmin.ReplaceState;
import io.godwit.api.port.cluster.StoreAdmin.ReplaceView;
import io.godwit.broker.admin.Admin;
import io.godwit.broker.admin.AdminFixture;
import io.godwit.broker.admin.FakeNode;
import io.godwit.broker.admin.FakeNode.FakeRange;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.cluster.rpc.LocalAccess;
import io.godwit.cluster.rpc.RpcConnection;
import io.godwit.kv.balance.BalancerStatus;
import io.godwit.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replacing nodes over RPC on a node in memory; C is down. */
class ReplacementsTest {
    @TempDir
    private Path data;

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5); // the clock may pass over its end
    private AdminFixture fixture;
    private FakeNode.FakeStore inbox;
    private RpcConnection connection;
    private AdminClient client;
    private Replacements replacements;

    @BeforeEach
    void serve() throws Exception {
        fixture = new AdminFixture(data);
        inbox = fixture.node.inbox;
        inbox.ranges.replaceAll(range -> voters(range, List.of(A, C), A));
        connection = RpcConnection.local(LocalAccess.read(data.resolve(Admin.ACCESS_FILE)));
        client = new AdminClient(connection, "this node", Duration.ofSeconds(30));
        replacements = new Replacements(client, now::get);
    }

    @AfterEach
    void stop() throws Exception {
        replacements.close();
        replacements.awaitEnd(20);
        connection.close();
        fixture.close();
    }

    private static FakeRange voters(FakeRange range, List<String> voters, String leader) {
        return range.with(range.id(), range.epoch(), range.start(), range.end(), voters, List.of(), leader);
    }

    private ReplaceView begin(String node, String by) throws AdminException {
        return replacements.begin(client.within(Duration.ofSeconds(30)), node, by);
    }

    private ReplaceView ended() {
        Await.until("its end", () -> replacements.of(C).orElseThrow().state() != ReplaceState.RUNNING);
        return replacements.of(C).orElseThrow();
    }

    private void refused(String node, String by, OperationException.Kind kind, String field, String why) {
        assertThatThrownBy(() -> begin(node, by))
                .asInstanceOf(InstanceOfAssertFactories.type(OperationException.class))
                .satisfies(refused -> {
                    assertThat(refused.kind()).isEqualTo(kind);
                    assertThat(refused.field()).isEqualTo(field);
                    assertThat(refused).hasMessageContaining(why);
                });
    }

    private void nothingIsDone() {
        assertThat(inbox.asked).isEmpty();
        assertThat(fixture.node.isCForgotten).isFalse();
        assertThat(replacements.of(C)).isEmpty();
        assertThat(inbox.balance().list().join()).noneMatch(BalancerStatus::isPaused);
    }

    @Test
    void eachVoterIsMadeAnewThenTheNodeIsForgotten() throws Exception {
        ReplaceView begun = begin(C, B);
        assertThat(begun.state()).isEqualTo(ReplaceState.RUNNING);
        assertThat(begun.left()).isEqualTo(2);
        ReplaceView done = ended();
        assertThat(done.state()).as(done.reason()).isEqualTo(ReplaceState.DONE);
        assertThat(List.of(done.moved(), done.left(), done.elsewhere())).containsExactly(2, 0, 0);
        assertThat(done.step()).contains("is forgotten");
        assertThat(inbox.ranges).allSatisfy(range -> assertThat(range.voters()).containsExactly(A, B));
        assertThat(fixture.node.isCForgotten).isTrue();
        assertThat(inbox.pausedWhenAsked)
                .as("the balancers are paused during the replacement")
                .doesNotContain(0L);
        assertThat(inbox.balance().list().join()).noneMatch(BalancerStatus::isPaused);
        begin(C, B);
        assertThat(ended().state()).as("a repeated replacement succeeds").isEqualTo(ReplaceState.DONE);
    }

    @Test
    void whatCannotBeMeantIsRefusedBeforeItBegins() {
        assertThatThrownBy(() -> begin("nobody", B))
                .asInstanceOf(InstanceOfAssertFactories.type(AdminException.class))
                .extracting(AdminException::kind)
                .isEqualTo(AdminException.Kind.UNKNOWN);
        refused(C, "nobody", OperationException.Kind.INVALID, "by", "no node");
        refused(C, "bbbb", OperationException.Kind.INVALID, "by", "no node");
        refused(C, C, OperationException.Kind.INVALID, "by", "another node");
        refused(A, B, OperationException.Kind.REFUSED, "node", "is running");
        fixture.node.drain(B, true, true).join();
        refused(C, B, OperationException.Kind.REFUSED, "by", "is being drained");
        nothingIsDone();
    }

    @Test
    void aNodeThatDoesNotRunTakesNothing() {
        inbox.ranges.replaceAll(range -> voters(range, List.of(A, B), A));
        fixture.node.isBDown = true;
        refused(B, C, OperationException.Kind.REFUSED, "by", "cccccccc is not running");
        fixture.node.isBDown = false;
        nothingIsDone();
    }

    /** Without a leader its voters cannot be changed. */
    @Test
    void aRangeWithoutALeaderIsNamed() {
        inbox.ranges.set(1, new FakeRange(123_456_789_012L, 9, "80", "", List.of(A, B, C), List.of(), ""));
        refused(C, B, OperationException.Kind.REFUSED, "node", "inbox-123456 have no leader");
        for (long id = 1_000; id < 1_200; id++) {
            inbox.ranges.add(new FakeRange(id, 9, "80", "", List.of(A, B, C), List.of(), ""));
        }
        refused(C, B, OperationException.Kind.REFUSED, "node", "and 191 more have no leader");
        nothingIsDone();
    }

    @Test
    void theSameRequestJoinsAndAnyOtherIsRefused() throws Exception {
        fixture.node.promotionsRefused.set(Integer.MAX_VALUE); // retried until then
        begin(C, B);
        Await.until(
                "its first step", () -> replacements.of(C).orElseThrow().step().contains("promote"));
        assertThat(replacements.of(C).orElseThrow().step()).contains("range 1 of inbox", "it has not caught up");
        assertThat(begin(C, B).step()).contains("promote");
        refused(C, A, OperationException.Kind.REFUSED, "by", "is being replaced by " + B);
        refused(B, A, OperationException.Kind.BUSY, "", "one at a time");
        assertThat(replacements.of(B)).isEmpty();
        fixture.node.promotionsRefused.set(0);
        assertThat(ended().state()).isEqualTo(ReplaceState.DONE);
    }

    /** The move of the first range was interrupted before its last step, and the second range was not to be changed. */
    @Test
    void whatWasInterruptedGoesOnWhereItIs() throws Exception {
        inbox.ranges.set(0, voters(inbox.ranges.get(0), List.of(A, C, B), A));
        inbox.ranges.set(1, voters(inbox.ranges.get(1), List.of(B, C), B));
        ReplaceView begun = begin(C, B);
        assertThat(List.of(begun.left(), begun.elsewhere())).containsExactly(1, 1);
        ReplaceView done = ended();
        assertThat(List.of(done.moved(), done.left(), done.elsewhere())).containsExactly(1, 0, 1);
        assertThat(inbox.find(1).voters()).containsExactly(A, B);
        assertThat(inbox.find(2).voters())
                .as("the range without the node is not changed")
                .containsExactly(B, C);
        assertThat(fixture.node.isCForgotten).isTrue();
    }

    @Test
    void whenItsHeirGoesItFailsAndTellsWhy() throws Exception {
        inbox.meanwhile = () -> fixture.node.isBDown = true; // the move under way is completed
        begin(C, B);
        ReplaceView failed = ended();
        assertThat(failed.state()).isEqualTo(ReplaceState.FAILED);
        assertThat(failed.reason()).contains("bbbbbbbb is not running");
        assertThat(List.of(failed.moved(), failed.left())).containsExactly(1, 1);
        assertThat(fixture.node.isCForgotten).isFalse();
        assertThat(inbox.balance().list().join()).noneMatch(BalancerStatus::isPaused);
        inbox.meanwhile = () -> {};
        fixture.node.isBDown = false;
        begin(C, B);
        assertThat(ended().state()).as("the repeated replacement succeeds").isEqualTo(ReplaceState.DONE);
    }

    @Test
    void howItEndedIsKeptForAnHour() throws Exception {
        begin(C, B);
        ended();
        now.addAndGet(Replacements.KEPT.toNanos() - 1);
        assertThat(replacements.of(C)).isPresent();
        now.incrementAndGet();
        assertThat(replacements.of(C)).isEmpty();
    }

    @Test
    void aNodeThatStopsEndsItAndItsRestAndBeginsNone() throws Exception {
        fixture.node.promotionsRefused.set(Integer.MAX_VALUE);
        begin(C, B);
        Await.until(
                "its first step", () -> replacements.of(C).orElseThrow().step().contains("promote"));
        replacements.close();
        replacements.awaitEnd(20);
        ReplaceView failed = replacements.of(C).orElseThrow();
        assertThat(failed.state()).isEqualTo(ReplaceState.FAILED);
        assertThat(failed.reason()).contains("the node stops");
        assertThat(inbox.balance().list().join()).noneMatch(BalancerStatus::isPaused);
        assertThatThrownBy(() -> begin(C, B)).isInstanceOf(NotServingException.class);
    }
}
