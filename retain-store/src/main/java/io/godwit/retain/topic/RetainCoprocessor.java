package io.godwit.retain.topic;

import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeLeader;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.coprocessor.RangeWrites;
import io.godwit.plugin.event.EventListener;
import io.godwit.retain.topic.RetainMutation.Once;
import io.godwit.retain.topic.RetainMutation.Outcome;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The state machine of one range of retained messages. The messages are in the store; an index in memory lists the
 * topics that have one.
 *
 * <p>A query walks the index and reads each message from its snapshot. The index is updated after each commit and
 * before the reply, so it holds every write that was acknowledged. Index and snapshot may differ by writes that were
 * not acknowledged yet: the query skips a topic without a value and does not find a value without a topic. Either is
 * the same as if the query had come earlier or later.
 *
 * <p>A message that its publisher's inbox keeps on record (a will, or one of QoS 2) may come again after a partial
 * failure, a time-out or a restart. It is set only once: a mark that names its delivery token is written with it, and a
 * repeat that finds the mark changes nothing, so a message that was set since then stays. The mark is deleted
 * ({@code forget}) when the inbox has recorded the message as distributed. A crash may prevent that; then
 * {@link ExpirySweep} removes the mark by age or number.
 */
public final class RetainCoprocessor implements RangeCoprocessor {
    /**
     * How many topics a query looks at before it answers with what it has found, so that a wide filter does not occupy
     * an I/O thread for long.
     */
    private static final int MAX_STEPS = 10_000;
    /** A repeat extends the time of its mark only if it gains at least this much, so most repeats write nothing. */
    private static final long RENEW_MILLIS = 3_600_000;

    private final RetainCounters counters;
    private final EventListener events;
    /** Replaced as a whole when the state is read again; a running query keeps the index it began with. */
    private volatile RetainIndex index;

    /** One object, because {@link RetainCounters#present} adds and removes it by identity. */
    private final Supplier<RetainIndex> current = this::index;

    /** @param events get the messages that this replica has removed as the leader, after their expiry */
    public RetainCoprocessor(RetainCounters counters, EventListener events) {
        this.counters = counters;
        this.events = events;
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
     * Drops topics that were split off without reading the store; reads those that a merge added. A query that began
     * before the split may ask for keys that were split off, so it keeps the index it began with.
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
                    next = key; // the next page begins with it
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
        return new ExpirySweep(context, current, counters, events);
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
        public BitSet expire(long nowMillis, List<byte[]> keys) {
            BitSet removed = new BitSet(keys.size());
            for (int i = 0; i < keys.size(); i++) {
                byte[] key = keys.get(i);
                byte[] stored = writes.get(key);
                if (stored != null && RetainKeys.expiresAtMillis(stored) <= nowMillis) {
                    if (RetainKeys.isMark(key)) {
                        removeMark(key, stored);
                    } else {
                        clear(key);
                        removed.set(i);
                    }
                }
            }
            return removed;
        }

        @Override
        public Outcome setOnce(Once once) {
            byte[] mark = writes.get(once.mark());
            if (mark != null) {
                // the mark must outlive the repeats
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
