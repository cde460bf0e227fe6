package io.godwit.api;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.figure.TopSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** Lists of one item each. */
final class FakeTop implements TopSource {
    volatile boolean hangs;
    /** What it has not answered. */
    final List<CompletableFuture<?>> hanging = new CopyOnWriteArrayList<>();
    /** What was asked, in words. */
    final List<String> asked = new CopyOnWriteArrayList<>();

    @Override
    public CompletableFuture<ClusterAnswer<List<SlowSubscriber>>> slowSubscribers(
            Optional<String> tenant, int limit, Duration within) {
        asked.add("slow " + tenant.orElse("all") + " " + limit);
        return told(new SlowSubscriber("birds", "wren", FakeNode.ID, 7, 9, 0));
    }

    @Override
    public CompletableFuture<ClusterAnswer<List<BusyClient>>> clients(
            Optional<String> tenant, boolean isByBytes, int limit, Duration within) {
        asked.add("clients " + tenant.orElse("all") + " " + limit + (isByBytes ? " by bytes" : ""));
        return told(new BusyClient("birds", "wren", 1, 2, 3, 4, 5));
    }

    @Override
    public CompletableFuture<ClusterAnswer<List<BusyTopic>>> topics(
            Optional<String> tenant, int limit, Duration within) {
        asked.add("topics " + tenant.orElse("all") + " " + limit);
        return told(new BusyTopic("birds", "a/b", 1, 2, 3));
    }

    private <T> CompletableFuture<ClusterAnswer<List<T>>> told(T item) {
        if (hangs) {
            CompletableFuture<ClusterAnswer<List<T>>> never = new CompletableFuture<>();
            hanging.add(never);
            return never;
        }
        return CompletableFuture.completedFuture(new ClusterAnswer<>(List.of(item), List.of(FakeNode.OTHER)));
    }
}
