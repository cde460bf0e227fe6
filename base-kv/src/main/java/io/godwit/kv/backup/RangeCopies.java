package io.godwit.kv.backup;

import io.godwit.kv.disk.DurableFiles;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.RangeMoment;
import io.godwit.kv.range.state.RangeState;
import io.godwit.kv.store.StoreRanges;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes copies of ranges in {@code (data)/copies}. A start deletes what a crash has left there. */
public final class RangeCopies implements RangeBackups {
    private static final Logger LOG = LoggerFactory.getLogger(RangeCopies.class);

    private final Path directory;
    private final Function<String, @Nullable StoreRanges> stores;
    /** Numbers the directories of copies. Atomic: several threads make copies. */
    private final AtomicLong count = new AtomicLong();

    /** @param stores the open stores by name; any thread */
    public RangeCopies(Path data, Function<String, @Nullable StoreRanges> stores) throws IOException {
        this.directory = data.resolve("copies");
        this.stores = stores;
        DurableFiles.deleteTree(directory);
    }

    @Override
    public RangeCopy copy(String store, long rangeId) throws IOException {
        StoreRanges ranges = stores.apply(store);
        Range range = ranges == null ? null : ranges.find(rangeId);
        if (range == null) {
            throw new IOException("this node has no range " + rangeId + " of store " + store);
        }
        DurableFiles.createDirectories(directory);
        Path target = target(range);
        try {
            return settled(store, range, range.copyTo(target), target);
        } catch (IOException | RuntimeException e) {
            DurableFiles.deleteTree(target);
            throw e;
        }
    }

    @Override
    public List<RangeCopy> copyAll(List<String> names) throws IOException {
        Map<Range, String> storeOf = new LinkedHashMap<>();
        for (String name : names) {
            StoreRanges store = stores.apply(name);
            if (store == null) {
                throw new IOException("this node has no store " + name);
            }
            store.all().stream()
                    .sorted((a, b) -> Arrays.compareUnsigned(
                            a.state().bounds().start(), b.state().bounds().start()))
                    .forEach(range -> storeOf.put(range, name));
        }
        DurableFiles.createDirectories(directory);
        Map<Range, Path> targets = new HashMap<>();
        storeOf.keySet().forEach(range -> targets.put(range, target(range)));
        try {
            List<RangeCopy> copies = new ArrayList<>();
            Map<Range, RangeState> copied =
                    RangeMoment.copy(List.copyOf(storeOf.keySet()), range -> pathOf(targets, range));
            for (Map.Entry<Range, RangeState> each : copied.entrySet()) {
                String store = String.valueOf(storeOf.get(each.getKey()));
                copies.add(settled(store, each.getKey(), each.getValue(), pathOf(targets, each.getKey())));
            }
            checkWhole(copies);
            return copies;
        } catch (IOException | RuntimeException e) {
            for (Path target : targets.values()) {
                DurableFiles.deleteTree(target);
            }
            throw e;
        }
    }

    private static Path pathOf(Map<Range, Path> targets, Range range) {
        return Objects.requireNonNull(targets.get(range));
    }

    private Path target(Range range) {
        return directory.resolve(range.groupId() + "-" + count.incrementAndGet());
    }

    private static RangeCopy settled(String store, Range range, RangeState state, Path target) throws IOException {
        if (!(state.phase() instanceof RangeState.Settled)) {
            throw new IOException("range " + range.groupId() + " is being merged with another: " + state.phase());
        }
        return new Copy(store, state, target);
    }

    /**
     * Checks that the copies cover each store's keys exactly once. A range may have been split before the moment of the
     * copies, or may be led by another node.
     */
    private static void checkWhole(List<RangeCopy> copies) throws IOException {
        String store = "";
        byte @Nullable [] expected = null;
        for (RangeCopy copy : copies) {
            if (!copy.store().equals(store)) {
                checkEnd(store, expected);
                store = copy.store();
                expected = new byte[0];
            }
            if (expected == null || !Arrays.equals(expected, copy.start())) {
                throw new IOException("the ranges of " + store + " on this node overlap or have gaps");
            }
            expected = copy.end();
        }
        checkEnd(store, expected);
    }

    private static void checkEnd(String store, byte @Nullable [] end) throws IOException {
        if (end != null) {
            throw new IOException("the ranges of " + store + " on this node do not reach the last key");
        }
    }

    private record Copy(String store, RangeState state, Path directory) implements RangeCopy {
        @Override
        public long id() {
            return state.id();
        }

        @Override
        public long epoch() {
            return state.epoch();
        }

        @Override
        public byte[] start() {
            return state.bounds().start();
        }

        @Override
        public byte @Nullable [] end() {
            return state.bounds().end();
        }

        @Override
        public void close() {
            try {
                DurableFiles.deleteTree(directory);
            } catch (IOException e) {
                LOG.warn("copy of a range not deleted directory={} cause={}", directory, e.toString());
            }
        }
    }
}
