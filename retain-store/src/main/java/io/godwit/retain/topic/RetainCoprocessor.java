package io.godwit.retain.topic;

import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeLeader;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.coprocessor.RangeWrites;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The state machine of one range of retained messages. Messages stay in the store; the index in memory says which topics have one.
 *
 * <p>A query walks the index and reads each message from its snapshot. The index follows each commit before the reply goes out, so it
 * holds all that a reader must see. It may be ahead of the snapshot or behind it by writes that nobody has been told of: a topic without a
 * value is skipped, a value without a topic is not found, and both are as if the query had come earlier or later.
 */
public final class RetainCoprocessor implements RangeCoprocessor {
    /** How many topics a query looks at before it answers with what it has, so that one wide filter does not hold an I/O thread. */
    private static final int MAX_STEPS = 10_000;

    private final RetainCounters counters;
    /** Replaced as a whole when a snapshot is installed; queries go on with the one they began with. */
    private volatile RetainIndex index;

    public RetainCoprocessor(RetainCounters counters) {
        this.counters = counters;
        this.index = new RetainIndex(counters);
    }

    @Override
    public void open(RangeBounds bounds, RangeReader reader) {
        RetainIndex rebuilt = new RetainIndex(counters);
        try (RangeCursor cursor = reader.cursor(bounds.start(), bounds.end())) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                byte[] value = cursor.value();
                rebuilt.put(cursor.key(), RetainKeys.expiresAtMillis(value), RetainKeys.payloadBytes(value));
            }
        }
        RetainIndex before = index;
        index = rebuilt;
        before.retire();
    }

    @Override
    public List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit) {
        Applier applier = new Applier(writes, afterCommit, index);
        List<byte[]> replies = new ArrayList<>(mutations.size());
        for (byte[] mutation : mutations) {
            replies.add(RetainMutation.dispatch(mutation, applier));
        }
        return replies;
    }

    @Override
    public byte[] query(RangeReader snapshot, byte[] query) {
        RetainQuery asked = RetainQuery.decode(query);
        KeyFilter filter = new KeyFilter(asked.tenant(), asked.filter());
        RetainIndex.Walk walk = index.walk(filter, asked.from(), asked.nowMillis(), MAX_STEPS);
        List<byte[]> values = new ArrayList<>();
        long bytes = 0;
        byte[] next = walk.position();
        while (next != null && values.size() < asked.maxMessages()) {
            byte[] key = walk.next();
            if (key == null) {
                next = walk.position();
                break;
            }
            byte[] value = snapshot.get(key);
            if (value != null && RetainKeys.expiresAtMillis(value) > asked.nowMillis()) {
                bytes += value.length;
                if (bytes > asked.maxBytes() && !values.isEmpty()) {
                    next = key; // it begins the next page
                    break;
                }
                values.add(value);
            }
            next = walk.position();
        }
        return RetainQuery.Answer.encode(values, next);
    }

    @Override
    public RangeLeader lead(LeaderContext context) {
        return new ExpirySweep(context, () -> index, counters);
    }

    @Override
    public void close() {
        index.retire();
    }

    private record Applier(RangeWrites writes, Consumer<Runnable> afterCommit, RetainIndex index)
            implements RetainMutation.Handler {
        @Override
        public void set(byte[] key, byte[] value) {
            writes.put(key, value);
            long expiresAtMillis = RetainKeys.expiresAtMillis(value);
            int payloadBytes = RetainKeys.payloadBytes(value);
            afterCommit.accept(() -> index.put(key, expiresAtMillis, payloadBytes));
        }

        @Override
        public void clear(byte[] key) {
            writes.delete(key);
            afterCommit.accept(() -> index.remove(key));
        }

        @Override
        public int expire(long nowMillis, List<byte[]> keys) {
            int removed = 0;
            for (byte[] key : keys) {
                byte[] stored = writes.get(key);
                if (stored != null && RetainKeys.expiresAtMillis(stored) <= nowMillis) {
                    clear(key);
                    removed++;
                }
            }
            return removed;
        }
    }
}
