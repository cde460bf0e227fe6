package io.godwit.retain.topic;

import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.Proposal;
import io.godwit.kv.coprocessor.RangeLeader;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import java.util.BitSet;
import java.util.List;
import java.util.function.Supplier;

/**
 * Removes expired messages of a range in batches while this replica leads. Readers skip expired messages anyway; the
 * sweep frees the space. It also removes the marks of delivery tokens that were never reported as finished: those past
 * their time, and the oldest ones if there are too many. The index orders keys by time, so a look costs nothing while
 * nothing is due. Confined to the range executor.
 */
final class ExpirySweep implements RangeLeader {
    private static final long INTERVAL_MILLIS = 1_000;
    private static final int MAX_KEYS = 256;
    /**
     * The most marks of delivery tokens that a range keeps. A session has at most its Receive Maximum of them, for the
     * moment between two commits. More can only be left by crashes and by sessions that end in that moment. Beyond this
     * number the oldest marks are removed.
     */
    static final int MAX_MARKS = 100_000;

    private static final long ALL_MILLIS = Long.MAX_VALUE;

    private final LeaderContext context;
    private final Supplier<RetainIndex> index;
    private final RetainCounters counters;
    private final EventListener events;

    ExpirySweep(LeaderContext context, Supplier<RetainIndex> index, RetainCounters counters, EventListener events) {
        this.context = context;
        this.index = index;
        this.counters = counters;
        this.events = events;
        counters.led.put(this, index);
        context.schedule(INTERVAL_MILLIS, this::sweep);
    }

    @Override
    public void handle(LeaderRequest request) {
        request.fail(
                new RangeException(RangeException.Cause.STORE_FAILED, "the retain store takes no leader requests"));
    }

    @Override
    public void stop(RangeException cause) {
        counters.led.remove(this); // the context drops scheduled tasks when the leadership ends
    }

    /** Runs one sweep. The next one is scheduled after this one has finished. */
    private void sweep() {
        long nowMillis = context.nowMillis();
        List<byte[]> keys = index.get().expired(nowMillis, MAX_KEYS);
        if (!keys.isEmpty()) {
            context.propose(new Removal(nowMillis, keys, false));
            return;
        }
        int excess = index.get().markCount() - MAX_MARKS;
        long forgetMillis = excess > 0 ? ALL_MILLIS : nowMillis;
        List<byte[]> marks = index.get().oldMarks(forgetMillis, excess > 0 ? Math.min(excess, MAX_KEYS) : MAX_KEYS);
        if (!marks.isEmpty()) {
            context.propose(new Removal(forgetMillis, marks, true));
        } else {
            context.schedule(INTERVAL_MILLIS, this::sweep);
        }
    }

    /** Counts and reports messages that were removed. */
    private void expired(List<byte[]> keys, BitSet removed) {
        counters.expired.add(removed.cardinality());
        if (!removed.isEmpty() && events.isListening(BrokerEvent.RetainedMessageExpired.class)) {
            removed.stream()
                    .mapToObj(keys::get)
                    .forEach(key -> events.onEvent(new BrokerEvent.RetainedMessageExpired(
                            new TenantId(RetainKeys.tenantOf(key)), RetainKeys.topicOf(key))));
        }
    }

    private final class Removal extends Proposal {
        private final byte[] mutation;
        private final List<byte[]> keys;
        private final int marks;
        private final boolean more;

        Removal(long nowMillis, List<byte[]> keys, boolean areMarks) {
            this.keys = keys;
            mutation = RetainMutation.expire(nowMillis, keys);
            marks = areMarks ? keys.size() : 0;
            more = keys.size() == MAX_KEYS || mutation.length >= RetainIndex.MAX_DUE_BYTES;
        }

        @Override
        public int sizeHint() {
            return mutation.length;
        }

        @Override
        public boolean isRelieving() {
            return true;
        }

        @Override
        public byte[] encode() {
            return mutation;
        }

        @Override
        public void applied(byte[] reply) {
            expired(keys, RetainMutation.removed(reply));
            counters.marksGivenUp.add(marks);
            context.schedule(more ? 0 : INTERVAL_MILLIS, ExpirySweep.this::sweep);
        }

        @Override
        public void failed(RangeException cause) {
            context.schedule(INTERVAL_MILLIS, ExpirySweep.this::sweep); // a full disk or a full queue is temporary
        }
    }
}
