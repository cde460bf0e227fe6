package io.godwit.retain.topic;

import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeLeader;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.coprocessor.RangeWrites;
import io.godwit.retain.topic.RetainMutation.Once;
import io.godwit.retain.topic.RetainMutation.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The state machine of one range of retained messages. Messages stay in the store; the index in memory says which
 * topics have one.
 *
 * <p>A query walks the index and reads each message from its snapshot. The index follows each commit before the reply
 * goes out, so it holds all that a reader must see. It may be ahead of the snapshot or behind it by writes that nobody
 * has been told of: a topic without a value is skipped, a value without a topic is not found, and both are as if the
 * query had come earlier or later.
 *
 * <p>A message that its publisher's inbox has on record, a will or one of QoS 2, may come again: after a failure in
 * part, a time-out, a restart. It is set once all the same. With the message a mark is written that names its delivery
 * token, and a repeat that finds the mark changes nothing: what was set since then stays. The mark goes once the record
 * says that the message is distributed ({@code forget}); what is never forgotten in that way, because a crash came
 * between, leaves by age or beyond a number ({@link ExpirySweep}).
 */
public final class RetainCoprocessor implements RangeCoprocessor {
    /**
     * How many topics a query looks at before it answers with what it has, so that one wide filter does not hold an I/O
     * thread.
     */
    private static final int MAX_STEPS = 10_000;
    /** By how much a repeat must be able to put off the forgetting of its mark to do so: most repeats write nothing. */
    private static final long RENEW_MILLIS = 3_600_000;

    private final RetainCounters counters;
    /** Replaced as a whole when the state is read anew; queries go on with the one they began with. */
    private volatile RetainIndex index;

    /** One object, by which it is counted. */
    private final Supplier<RetainIndex> current = this::index;

    public RetainCoprocessor(RetainCounters counters) {
        this.counters = counters;
        this.index = new RetainIndex(counters);
    }

    private RetainIndex index() {
        return index;
    }

    @Override
    public void open(RangeBounds bounds, RangeReader reader) {
        RetainIndex rebuilt = new RetainIndex(counters);
        fill(rebuilt, bounds, reader);
        RetainIndex before = index;
        index = rebuilt;
        before.retire();
        counters.present.add(current);
    }

    /**
     * What was cut off is forgotten without a look at the store; what was added is read. A query that was begun before
     * a cut may ask for what was cut off, so it goes on with the index that it began with.
     */
    @Override
    public void boundsChanged(RangeBounds before, RangeBounds now, RangeReader reader) {
        RangeBounds added = now.addedTo(before);
        if (added != null) {
            fill(index, added, reader);
        } else {
            RetainIndex whole = index;
            index = whole.part(now);
            whole.retire();
        }
    }

    private static void fill(RetainIndex index, RangeBounds bounds, RangeReader reader) {
        try (RangeCursor cursor = reader.cursor(bounds.start(), bounds.end())) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                byte[] key = cursor.key();
                byte[] value = cursor.value();
                if (RetainKeys.isMark(key)) {
                    index.putMark(key, RetainKeys.expiresAtMillis(value));
                } else {
                    index.put(key, RetainKeys.expiresAtMillis(value), RetainKeys.payloadBytes(value));
                }
            }
        }
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
        return new ExpirySweep(context, current, counters);
    }

    @Override
    public byte[] splitPoint(byte[] key) {
        return RetainKeys.topicKey(key);
    }

    @Override
    public void close() {
        counters.present.remove(current);
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
                    if (RetainKeys.isMark(key)) {
                        removeMark(key, stored);
                    } else {
                        clear(key);
                        removed++;
                    }
                }
            }
            return removed;
        }

        @Override
        public Outcome setOnce(Once once) {
            byte[] mark = writes.get(once.mark());
            if (mark != null) {
                // as long as it is repeated it must not be forgotten
                if (once.forgetAtMillis() - RetainKeys.expiresAtMillis(mark) >= RENEW_MILLIS) {
                    removeMark(once.mark(), mark);
                    putMark(once.mark(), once.forgetAtMillis());
                }
                return Outcome.DONE_BEFORE;
            }
            putMark(once.mark(), once.forgetAtMillis());
            byte[] stored = writes.get(once.key());
            if (stored != null && once.isNewer(stored)) {
                return Outcome.SUPERSEDED;
            }
            if (once.value().length == 0) {
                clear(once.key());
            } else {
                set(once.key(), once.value());
            }
            return Outcome.DONE;
        }

        @Override
        public void forget(byte[] mark) {
            byte[] stored = writes.get(mark);
            if (stored != null) {
                removeMark(mark, stored);
            }
        }

        private void putMark(byte[] mark, long forgetAtMillis) {
            writes.put(mark, RetainKeys.markValue(forgetAtMillis));
            afterCommit.accept(() -> index.putMark(mark, forgetAtMillis));
        }

        private void removeMark(byte[] mark, byte[] stored) {
            long forgetAtMillis = RetainKeys.expiresAtMillis(stored);
            writes.delete(mark);
            afterCommit.accept(() -> index.removeMark(mark, forgetAtMillis));
        }
    }
}
