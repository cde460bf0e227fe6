package io.godwit.kv;

import io.godwit.kv.raft.DurableFiles;
import io.godwit.kv.raft.GroupBirth;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.RangeState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Copies of a node's ranges in {@code (data)/copies}, which hold nothing of value: what a crash leaves there the next start deletes. */
final class RangeCopies implements RangeBackups {
    private static final Logger LOG = LoggerFactory.getLogger(RangeCopies.class);

    private final Path directory;
    private final List<KvStore> stores;
    /** Copies are made by several threads. */
    private final AtomicLong count = new AtomicLong();

    /** @param stores as they are opened */
    RangeCopies(Path data, List<KvStore> stores) throws IOException {
        this.directory = data.resolve("copies");
        this.stores = stores;
        GroupBirth.empty(directory);
    }

    @Override
    public RangeCopy copy(String store, long rangeId) throws IOException {
        Range range = stores.stream()
                .filter(each -> each.name().equals(store))
                .findFirst()
                .map(each -> each.ranges().find(rangeId))
                .orElseThrow(() -> new IOException("this node has no range " + rangeId + " of store " + store));
        DurableFiles.createDirectories(directory);
        Path target = directory.resolve(range.groupId() + "-" + count.incrementAndGet());
        try {
            RangeState state = range.copyTo(target);
            if (!(state.phase() instanceof RangeState.Settled)) {
                throw new IOException("range " + range.groupId() + " is being joined with another: " + state.phase());
            }
            return new Copy(state, target);
        } catch (IOException | RuntimeException e) {
            GroupBirth.empty(target);
            throw e;
        }
    }

    private record Copy(RangeState state, Path directory) implements RangeCopy {
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
                GroupBirth.empty(directory);
            } catch (IOException e) {
                LOG.warn("copy of a range not deleted directory={} cause={}", directory, e.toString());
            }
        }
    }
}
