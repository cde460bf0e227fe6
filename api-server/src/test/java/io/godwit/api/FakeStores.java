package io.godwit.api;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.OperationException;
import io.godwit.api.port.cluster.StoreAdmin;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Ranges and nodes to be changed, in memory. Thread-safe. */
final class FakeStores implements StoreAdmin {
    /** Requests made, as text. */
    final List<String> calls = new CopyOnWriteArrayList<>();

    final AtomicInteger openBackups = new AtomicInteger();
    final Map<String, ReplaceView> replacements = new ConcurrentHashMap<>();
    /** The outcome of the next calls; null for success. */
    volatile OperationException.Kind refusal;
    /** That it blames. */
    volatile String refusedField = "";
    /** Whether moves go on after the answer. */
    volatile boolean isSlow;

    volatile BackupBody body = out -> out.write(new byte[] {1, 2, 3});

    /** What a backup writes. */
    interface BackupBody {
        void writeTo(OutputStream out) throws IOException;
    }

    private <T> CompletableFuture<T> answer(String call, T value) {
        calls.add(call);
        return refusal == null
                ? CompletableFuture.completedFuture(value)
                : CompletableFuture.failedFuture(new OperationException(refusal, refusedField, "why not"));
    }

    private static String of(RangeName range) {
        return range.store() + " " + range.rangeId()
                + (range.epoch().isPresent() ? " at " + range.epoch().getAsLong() : "");
    }

    @Override
    public CompletableFuture<Done> split(RangeName range, Optional<String> key, Duration within) {
        return answer("split " + of(range) + key.map(each -> " by " + each).orElse(""), new Done("cut"));
    }

    @Override
    public CompletableFuture<Done> merge(RangeName range, OptionalLong rightEpoch, Duration within) {
        return answer(
                "merge " + of(range) + (rightEpoch.isPresent() ? " with " + rightEpoch.getAsLong() : ""),
                new Done("joined"));
    }

    @Override
    public CompletableFuture<Done> transfer(RangeName range, String to, Duration within) {
        return answer("transfer " + of(range) + " to " + to, new Done("led"));
    }

    @Override
    public CompletableFuture<MoveState> move(
            RangeName range, String from, String to, boolean mayReduce, Duration within) {
        return answer(
                "move " + of(range) + " " + from + "-" + to + " " + mayReduce, new MoveState(!isSlow, "add-learner"));
    }

    private static BalancerView balancer(String node) {
        return new BalancerView("inbox", node, "split", true, false, 30, 1, 2, 3, "", "", Map.of("limit", "7"));
    }

    @Override
    public CompletableFuture<ClusterAnswer<List<BalancerView>>> balancers(List<String> stores, Duration within) {
        return answer(
                "balancers " + stores, new ClusterAnswer<>(List.of(balancer(FakeNode.ID)), List.of(FakeNode.OTHER)));
    }

    @Override
    public CompletableFuture<ClusterAnswer<List<BalancerView>>> change(BalancerChange change, Duration within) {
        return answer(
                change.action() + " " + change.store() + " " + change.balancer() + " "
                        + change.node().orElse("all") + " " + change.forSeconds() + " " + change.settings(),
                new ClusterAnswer<>(List.of(balancer(FakeNode.ID)), List.of()));
    }

    @Override
    public CompletableFuture<List<ReplicasView>> replicas(Duration within) {
        return answer("replicas", List.of(new ReplicasView("inbox", 3, 5, 1)));
    }

    @Override
    public CompletableFuture<Done> wantVoters(String store, int count, boolean mayReduce, Duration within) {
        return answer("voters " + store + " " + count + " " + mayReduce, new Done("wanted"));
    }

    @Override
    public CompletableFuture<DrainView> drainState(String node, Duration within) {
        return answer("state " + node, new DrainView(node, true, 1, 2, false, "who knows"));
    }

    @Override
    public CompletableFuture<DrainView> drain(String node, boolean isToGo, boolean mayReduce, Duration within) {
        return answer("drain " + node + " " + isToGo + " " + mayReduce, new DrainView(node, isToGo, 0, 0, isToGo, ""));
    }

    @Override
    public CompletableFuture<Done> forget(String node, Duration within) {
        return answer("forget " + node, new Done("forgotten"));
    }

    @Override
    public CompletableFuture<ReplaceView> replace(String node, String by, Duration within) {
        ReplaceView begun = new ReplaceView(node, by, ReplaceState.RUNNING, 0, 7, 1, "begun", "");
        return answer("replace " + node + " by " + by, begun).thenApply(view -> {
            replacements.put(node, view);
            return view;
        });
    }

    @Override
    public CompletableFuture<Optional<ReplaceView>> replaceState(String node) {
        return CompletableFuture.completedFuture(Optional.ofNullable(replacements.get(node)));
    }

    @Override
    public CompletableFuture<Backup> backup(String store, Duration within) {
        openBackups.incrementAndGet();
        return answer("backup " + store, new Backup() {
            private boolean isClosed;

            @Override
            public void writeTo(OutputStream out) throws IOException {
                body.writeTo(out);
            }

            @Override
            public synchronized void close() {
                if (!isClosed) {
                    isClosed = true;
                    openBackups.decrementAndGet();
                }
            }
        });
    }
}
