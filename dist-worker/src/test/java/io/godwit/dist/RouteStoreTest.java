package io.godwit.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.RouteNumber;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.member.Members;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How routes are put into mutations; {@link DistWorkerTest} tests their effect. */
class RouteStoreTest {
    private static final InboxReceiver ALICE = new InboxReceiver(TenantId.DEFAULT, new ClientId("alice"), 1);
    private static final SubscriptionOptions OPTIONS = new SubscriptionOptions(Qos.AT_LEAST_ONCE, false, false, 0);

    private final OneRange range = new OneRange();
    private final RouteStore store = new RouteStore(range, Duration.ofSeconds(5), members());

    private boolean clientsStay = true;

    private Members members() {
        return new Members() {
            @Override
            public Set<NodeLife> others() {
                return Set.of();
            }

            @Override
            public CompletableFuture<Void> exclude(NodeLife member, String why) {
                return CompletableFuture.completedFuture(null);
            }

            @Override
            public boolean mayAcknowledge() {
                return true;
            }

            @Override
            public CompletableFuture<Boolean> untilMayAcknowledge() {
                return CompletableFuture.completedFuture(true);
            }

            @Override
            public BooleanSupplier clientsStay() {
                return () -> clientsStay;
            }
        };
    }

    /** Each part of the routes is sent only while the clients of this node stay. */
    @Test
    void nothingIsWrittenForAClientThatMayBeServedElsewhere() {
        CompletableFuture<byte[]> underWay = new CompletableFuture<>();
        range.next = underWay;
        CompletableFuture<Void> added = store.put(routes(2, "/+"), ALICE, new RouteNumber(1, 1));
        clientsStay = false;
        underWay.complete(new byte[] {1, 1, 1}); // a split has moved both to another range

        assertThat(reason(added)).isEqualTo(RangeException.Cause.LOST);
        assertThat(reason(store.put(routes(1, "/+"), ALICE, new RouteNumber(1, 2))))
                .isEqualTo(RangeException.Cause.LOST);
        assertThat(reason(store.remove(routes(1, "/+").keySet(), ALICE, new RouteNumber(1, 3))))
                .isEqualTo(RangeException.Cause.LOST);
        assertThat(range.changes).isEmpty();
        assertThat(store.removeAgain(new TopicFilter(null, "a"), ALICE, new RouteNumber(1, 2)))
                .as("its number protects later subscriptions")
                .isCompleted();
        assertThat(store.remove(routes(1, "/+").keySet(), ALICE, RouteNumber.NONE))
                .as("the routes of an ended session are removed by any node")
                .isCompleted();
    }

    @Test
    void manyRoutesTakeFewMutations() {
        assertThat(store.put(routes(10_000, "/+"), ALICE, RouteNumber.NONE)).isCompleted();
        assertThat(range.changes).hasSize(40);
        assertThat(range.changes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(10_000);

        assertThat(store.remove(routes(300, "/+").keySet(), ALICE, RouteNumber.NONE))
                .isCompleted();
        assertThat(range.changes).hasSize(42);
    }

    @Test
    void noMutationIsLarge() {
        assertThat(store.put(routes(10, "/" + "x".repeat(30_000)), ALICE, RouteNumber.NONE))
                .isCompleted();
        assertThat(range.changes).containsExactly(3, 3, 3, 1);
    }

    @Test
    void nothingIsWrittenForNothing() {
        assertThat(store.put(Map.of(), ALICE, RouteNumber.NONE)).isCompleted();
        assertThat(range.changes).isEmpty();
    }

    @Test
    void onePartThatFailsFailsAll() {
        range.failing = 1;
        assertThat(store.put(routes(600, "/+"), ALICE, RouteNumber.NONE)).isCompletedExceptionally();
        assertThat(store.put(routes(600, "/+"), ALICE, RouteNumber.NONE)
                        .handle((done, failure) -> failure)
                        .join())
                .isNull();
        range.failing = range.changes.size() + 1;
        assertThat(store.put(routes(600, "/+"), ALICE, RouteNumber.NONE)
                        .handle((done, failure) -> failure)
                        .join())
                .isInstanceOf(RangeException.class);
    }

    /**
     * The node of a write was lost, so its outcome is unknown. The same routes may have been removed since: a second
     * write would bring them back.
     */
    @Test
    void whatIsLostIsNotWrittenAgainBehindWhatFollowed() {
        CompletableFuture<byte[]> underWay = new CompletableFuture<>();
        range.next = underWay;
        CompletableFuture<Void> added = store.put(routes(2, "/+"), ALICE, new RouteNumber(1, 1));
        assertThat(store.remove(routes(2, "/+").keySet(), ALICE, new RouteNumber(1, 2)))
                .isCompleted();
        underWay.completeExceptionally(new RangeException(RangeException.Cause.LOST, "for the test"));

        assertThat(range.changes).as("only the removal is written").containsExactly(2);
        assertThat(reason(added)).isEqualTo(RangeException.Cause.LOST);
    }

    /** The opposite case: without numbers a removal would remove a later route. */
    @Test
    void aLostRemovalIsNotSaidAgainBehindWhatFollowed() {
        CompletableFuture<byte[]> underWay = new CompletableFuture<>();
        range.next = underWay;
        CompletableFuture<Void> removed = store.remove(routes(1, "/+").keySet(), ALICE, RouteNumber.NONE);
        assertThat(store.put(routes(1, "/+"), ALICE, RouteNumber.NONE)).isCompleted();
        underWay.completeExceptionally(new RangeException(RangeException.Cause.LOST, "for the test"));

        assertThat(range.changes).as("only the addition is written").containsExactly(1);
        assertThat(reason(removed)).isEqualTo(RangeException.Cause.LOST);
    }

    private static RangeException.Cause reason(CompletableFuture<Void> failed) {
        assertThat(failed).isCompletedExceptionally();
        Throwable failure = failed.handle((done, thrown) -> thrown).join();
        assertThat(failure).isInstanceOf(RangeException.class);
        return ((RangeException) failure).reason();
    }

    private static Map<TopicFilter, SubscriptionOptions> routes(int count, String end) {
        Map<TopicFilter, SubscriptionOptions> routes = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            routes.put(new TopicFilter(null, i + end), OPTIONS);
        }
        return routes;
    }

    /** Owns all keys; accepts all mutations, but the test may make one fail or answer one itself. */
    private static final class OneRange implements RangeClient {
        /** The number of changes in each mutation. */
        private final List<Integer> changes = new ArrayList<>();

        /** Which mutation fails. */
        private int failing = -1;

        /** The answer to the next mutation only, which is not counted. */
        private @Nullable CompletableFuture<byte[]> next;

        @Override
        public CompletableFuture<byte[]> relieve(byte[] key, byte[] mutation, Deadline deadline) {
            CompletableFuture<byte[]> held = next;
            if (held != null) {
                next = null;
                return held;
            }
            int count = ByteBuffer.wrap(mutation).getInt(1);
            if (changes.size() == failing) {
                failing = -1;
                return CompletableFuture.failedFuture(new RangeException(RangeException.Cause.TIMEOUT, "for the test"));
            }
            changes.add(count);
            byte[] reply = new byte[1 + count]; // version, then 0 for each change: applied
            reply[0] = 1;
            return CompletableFuture.completedFuture(reply);
        }

        @Override
        public CompletableFuture<byte[]> mutate(byte[] key, byte[] mutation, Deadline deadline) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<byte[]> query(byte[] key, byte[] query, Deadline deadline) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<byte[]> query(byte[] key, byte @Nullable [] end, byte[] query, Deadline deadline) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void submit(byte[] key, LeaderRequest request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void submitParts(int count, IntFunction<byte[]> keys, Function<int[], LeaderRequest> requests) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<byte[]> rangeKeys(byte[] start, byte @Nullable [] end) {
            throw new UnsupportedOperationException();
        }
    }
}
