package io.godwit.dist.peer.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.peer.TestNode;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The memory that the filters of one node's live sessions may take on the others. */
class LiveFilterRoomTest {
    private static final long ROOM = 64 * 1024;
    private static final String LONG = "/x".repeat(1_000);

    private final TestNode.Cluster cluster = new TestNode.Cluster();
    private final TestNode a;
    private final TestNode b;

    LiveFilterRoomTest() {
        cluster.maxLiveFilterBytes = ROOM;
        a = cluster.serving("a", 1);
        cluster.maxLiveFilterBytes = 4 * ROOM;
        b = cluster.serving("b", 1);
    }

    private static boolean isRefused(CompletableFuture<Boolean> subscribed) {
        return subscribed
                .handle((isNew, failure) -> failure instanceof RangeException refusal
                        && refusal.reason() == RangeException.Cause.OVERLOADED)
                .getNow(false);
    }

    /** Adds filters until one is refused; returns how many were accepted. */
    private int fill(TestNode node, String end) {
        for (int i = 0; i < 1_000; i++) {
            CompletableFuture<Boolean> subscribed = node.subscribe(i + end, "s");
            cluster.settle();
            if (isRefused(subscribed)) {
                return i;
            }
            assertThat(subscribed).isCompletedWithValue(true);
        }
        throw new AssertionError("all were taken");
    }

    private double gauge(TestNode node, String name) {
        return node.meters.get(name).gauge().value();
    }

    /** Each takes about 4,200 bytes. */
    @Test
    void aSubscribeThatTheOthersWouldHaveNoRoomForIsRefused() {
        int taken = fill(a, LONG);
        assertThat(taken).isBetween(13, 16);
        assertThat(gauge(a, "godwit.dist.peer.filters.bytes"))
                .isEqualTo(gauge(b, "godwit.dist.peer.filters.others.bytes"))
                .isBetween(ROOM * 0.9, (double) ROOM);
        assertThat(a.count("godwit.dist.peer.filters.refused")).isOne();
        b.publish(taken + LONG, Qos.AT_MOST_ONCE, "refused");
        a.publish(taken + LONG, Qos.AT_MOST_ONCE, "refused");
        b.publish(0 + LONG, Qos.AT_MOST_ONCE, "taken");
        cluster.settle();
        assertThat(a.received("s")).containsExactly("taken");
    }

    @Test
    void aFilterThatTheOthersHaveTakesNoMoreRoom() {
        fill(a, LONG);
        assertThat(a.subscribe(0 + LONG, "other")).isCompletedWithValue(true);
        assertThat(a.subscribe(0 + LONG, "s")).isCompletedWithValue(false);
    }

    @Test
    void thereIsRoomAgainWhenTheOthersAreToldThatOneIsGone() {
        int taken = fill(a, LONG);
        a.unsubscribe(0 + LONG, "s");
        assertThat(isRefused(a.subscribe(taken + LONG, "s"))).isTrue();
        cluster.timers.advance(LiveFilters.LINGER.plus(LiveFilters.TICK));
        cluster.settle();
        CompletableFuture<Boolean> subscribed = a.subscribe(taken + LONG, "s");
        cluster.settle();
        assertThat(subscribed).isCompletedWithValue(true);
        assertThat(gauge(a, "godwit.dist.peer.filters.bytes"))
                .isEqualTo(gauge(b, "godwit.dist.peer.filters.others.bytes"));
    }

    /** Each level of a filter with a wildcard has its own node in the index. */
    @Test
    void levelsAndGroupsCountToo() {
        int plain = fill(a, LONG);
        cluster.maxLiveFilterBytes = ROOM;
        TestNode c = cluster.serving("c", 1);
        int wild = fill(c, LONG + "/+");
        assertThat(wild).isLessThan(plain / 4);
        TestNode d = cluster.serving("d", 1);
        List<CompletableFuture<Boolean>> groups = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            groups.add(d.subscribe("$share/g" + i + "/t", "s"));
            groups.add(d.subscribe("$share/g" + i + "/t", "second"));
        }
        cluster.settle();
        assertThat(groups.stream().filter(group -> !isRefused(group))).hasSizeBetween(500, 700);
        assertThat(gauge(b, "godwit.dist.peer.filters.others.bytes"))
                .isEqualTo(gauge(a, "godwit.dist.peer.filters.bytes")
                        + gauge(c, "godwit.dist.peer.filters.bytes")
                        + gauge(d, "godwit.dist.peer.filters.bytes"));
    }

    private record Greedy(ClientId clientId, long filterBytes) implements LiveReceiver {}

    /** A session with many filters is refused before those with few. */
    @Test
    void aSessionMayHaveWhatIsLeftFree() {
        LiveReceiver greedy = new Greedy(new ClientId("greedy"), ROOM / 2);
        int taken = fill(a, "/" + LONG);
        assertThat(taken).isPositive();
        cluster.timers.advance(LiveFilters.LINGER);
        for (int i = 0; i < taken / 2; i++) {
            a.unsubscribe(i + "/" + LONG, "s");
        }
        cluster.timers.advance(LiveFilters.LINGER.plus(LiveFilters.TICK));
        CompletableFuture<Boolean> ofGreedy =
                a.client().subscribe(TenantId.DEFAULT, TestNode.filter("t"), greedy, TestNode.OPTIONS);
        assertThat(isRefused(ofGreedy)).isTrue();
        CompletableFuture<Boolean> ofModest = a.subscribe("t", "modest");
        cluster.settle();
        assertThat(ofModest).isCompletedWithValue(true);
    }

    @Test
    void whatANodeToldIsNotCountedWhenItIsOut() {
        fill(a, LONG);
        assertThat(gauge(b, "godwit.dist.peer.filters.others.bytes")).isPositive();
        cluster.net.kill("a");
        cluster.settle();
        cluster.timers.advance(RemoteFilters.RETRY.multipliedBy(2));
        assertThat(gauge(b, "godwit.dist.peer.filters.others.bytes")).isZero();
    }
}
