package io.godwit.mqtt.top;

import io.godwit.mqtt.transport.loop.LoopContext;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/** Samples of all event loops of a node; each has 3 sketches of 512 keys for each of two minutes. */
public final class Traffic {
    private final LoopTraffic[] ofLoops;

    /**
     * @param loops the number of event loops
     * @param wallMillis the wall clock
     */
    public Traffic(int loops, LongSupplier wallMillis) {
        ofLoops = new LoopTraffic[loops];
        Arrays.setAll(ofLoops, loop -> new LoopTraffic(wallMillis));
    }

    public LoopTraffic of(LoopContext loop) {
        return ofLoops[loop.index()];
    }

    /**
     * The keys with most in the last minute, the highest first. Any thread; completes on {@code merging}, or never if
     * the loops are closed meanwhile.
     *
     * @param loops all loops of the node
     * @param wanted selects keys
     */
    public CompletableFuture<List<TrafficCount>> top(
            List<LoopContext> loops, TrafficKind kind, Predicate<TrafficKey> wanted, int limit, Executor merging) {
        List<CompletableFuture<List<TrafficCount>>> parts = loops.stream()
                .map(loop -> {
                    CompletableFuture<List<TrafficCount>> part = new CompletableFuture<>();
                    loop.execute(() -> {
                        try {
                            part.complete(of(loop).counts(kind));
                        } catch (RuntimeException | Error e) { // the caller gets the failure, and the loop goes on
                            part.completeExceptionally(e);
                        }
                    });
                    return part;
                })
                .toList();
        return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
                .thenApplyAsync(
                        all -> {
                            Map<TrafficKey, TrafficCount> sums = new HashMap<>();
                            parts.forEach(part -> part.join().stream()
                                    .filter(each -> wanted.test(each.key()))
                                    .forEach(each -> sums.merge(each.key(), each, TrafficCount::plus)));
                            return sums.values().stream()
                                    .filter(each -> each.count() > 0)
                                    .sorted(Comparator.comparingLong(TrafficCount::count)
                                            .reversed()
                                            .thenComparing(TrafficCount::key))
                                    .limit(limit)
                                    .toList();
                        },
                        merging);
    }
}
