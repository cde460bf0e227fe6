package io.godwit.dist.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.RouteNumber;
import io.godwit.dist.route.RouteKeys;
import io.godwit.dist.route.RouteMutation;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.testing.InMemoryRangeHost;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client unsubscribes at one node, and after that a write arrives that an earlier attachment of its session had sent
 * through another node, which was cut off.
 */
class RemovedRoutesTest {
    private static final InboxReceiver ALICE = new InboxReceiver(TenantId.DEFAULT, new ClientId("alice"), 1);
    private static final Duration SOON = Duration.ofSeconds(5);

    private final TestNode.Cluster cluster = new TestNode.Cluster();
    private final InMemoryRangeHost[] made = new InMemoryRangeHost[1];
    private final TestNode node = new TestNode(cluster, "a", 1, () -> made[0]);
    private final InMemoryRangeHost host =
            new InMemoryRangeHost(() -> node.worker.coprocessorFactory().get());

    RemovedRoutesTest() {
        made[0] = host;
        node.join();
        node.members.setFresh(true);
        node.worker.start();
    }

    @AfterEach
    void close() {
        node.worker.close();
        host.close();
    }

    private void write(String filter, long attachNumber, long change) {
        host.await(node.client()
                .addRoutes(
                        Map.of(TestNode.filter(filter), TestNode.OPTIONS),
                        ALICE,
                        new RouteNumber(attachNumber, change)));
    }

    private void remove(String filter, long attachNumber, long change) {
        host.await(node.client()
                .removeRoutes(List.of(TestNode.filter(filter)), ALICE, new RouteNumber(attachNumber, change)));
    }

    /** From another node. */
    private void writeElsewhere(String filter, long attachNumber, long change) {
        byte[] key = RouteKeys.key(TestNode.filter(filter), ALICE);
        byte[] value = RouteKeys.value(TestNode.OPTIONS, new RouteNumber(attachNumber, change));
        CompletableFuture<byte[]> written = host.relieve(
                key, RouteMutation.encode(List.of(RouteMutation.Change.put(key, value))), Deadline.afterMillis(10_000));
        host.await(written);
    }

    private boolean isThere(String filter) {
        return node.worker.options(TenantId.DEFAULT, TestNode.filter(filter), ALICE) != null;
    }

    private void pass(Duration time) {
        for (long left = time.toMillis(); left > 0; left -= 100) {
            cluster.timers.advance(Duration.ofMillis(100));
            host.runUntilIdle();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/+", "$share/g/a", "$queue/a"})
    void aRouteThatComesBackBehindItsRemovalIsRemovedAgain(String filter) {
        write(filter, 2, 1);
        remove(filter, 2, 2);
        pass(SOON);
        for (long change = 1; change <= 3; change++) { // from a node that is cut off for so long
            writeElsewhere(filter, 1, change);
            assertThat(isThere(filter)).isTrue();
            pass(SOON);
            assertThat(isThere(filter)).isFalse();
        }
        assertThat(node.count("godwit.dist.routes.removed.again")).isEqualTo(3);
    }

    /** Each attachment has a larger number, and each of its changes too. */
    @Test
    void aRouteThatIsSubscribedToAgainStays() {
        for (String filter : List.of("here", "elsewhere", "next")) {
            write(filter, 2, 1);
            remove(filter, 2, 2);
        }
        write("here", 2, 3);
        writeElsewhere("elsewhere", 2, 3); // as if this node did not know
        writeElsewhere("next", 3, 0);
        List<byte[]> said = new ArrayList<>();
        host.watchMutations(said::add);
        pass(Duration.ofSeconds(100));
        assertThat(said)
                .as("one removal for each route that this node does not know")
                .hasSize(2);
        assertThat(List.of("here", "elsewhere", "next")).allMatch(this::isThere);
        assertThat(node.count("godwit.dist.routes.removed.again")).isZero();
    }

    /** The session has the filter: its next attachment has found the route and did not write it. */
    @Test
    void aRouteThatTheNextAttachmentReliesOnStays() {
        write("t", 2, 1);
        remove("t", 2, 2);
        writeElsewhere("t", 1, 1);
        TopicFilter filter = TestNode.filter("t");
        assertThat(node.client().ensureRoute(filter, ALICE, TestNode.OPTIONS, new RouteNumber(3, 0)))
                .isCompleted();
        pass(Duration.ofSeconds(100));
        assertThat(isThere("t")).isTrue();
    }

    @Test
    void aRemovalIsWatchedForABoundedTime() {
        write("t", 2, 1);
        remove("t", 2, 2);
        pass(Duration.ofSeconds(61));
        writeElsewhere("t", 1, 1);
        pass(SOON);
        assertThat(isThere("t"))
                .as("the route stays until the next message finds no session")
                .isTrue();
    }

    /** From a session that has ended, or from a node that was alone. */
    @Test
    void aRemovalWithoutANumberIsNotSaidAgain() {
        write("t", 2, 1);
        host.await(node.client().removeRoute(TestNode.filter("t"), ALICE));
        writeElsewhere("t", 1, 1);
        pass(SOON);
        assertThat(isThere("t")).isTrue();
    }

    /** The client was not told that it is unsubscribed. */
    @Test
    void aRemovalThatFailedIsNotWatched() {
        write("t", 2, 3);
        CompletableFuture<Void> outdated =
                node.client().removeRoutes(List.of(TestNode.filter("t")), ALICE, new RouteNumber(2, 2));
        host.runUntilIdle();
        assertThat(outdated).isCompletedExceptionally();
        long entries = host.appliedEntries();
        pass(SOON);
        assertThat(host.appliedEntries()).isEqualTo(entries);
    }

    @Test
    void nothingIsSaidAgainAfterTheClose() {
        write("t", 2, 1);
        remove("t", 2, 2);
        writeElsewhere("t", 1, 1);
        node.worker.close();
        pass(SOON);
        assertThat(isThere("t")).isTrue();
    }
}
