package io.godwit.inbox.leader;

import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeLeader;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.coprocessor.RangeWrites;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A planted fault: writes of some keys are acknowledged but not made. */
record ForgetfulCoprocessor(RangeCoprocessor delegate, Predicate<byte[]> forgets) implements RangeCoprocessor {
    @Override
    public void open(RangeBounds bounds, RangeReader reader) {
        delegate.open(bounds, reader);
    }

    @Override
    public List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit) {
        return delegate.apply(new Forgetful(writes, forgets), mutations, afterCommit);
    }

    @Override
    public byte[] query(RangeReader snapshot, byte[] query) {
        return delegate.query(snapshot, query);
    }

    @Override
    public RangeLeader lead(LeaderContext context) {
        return delegate.lead(context);
    }

    private record Forgetful(RangeWrites writes, Predicate<byte[]> forgets) implements RangeWrites {
        @Override
        public void put(byte[] key, byte[] value) {
            if (!forgets.test(key)) {
                writes.put(key, value);
            }
        }

        @Override
        public void delete(byte[] key) {
            writes.delete(key);
        }

        @Override
        public void deleteRange(byte[] start, byte[] end) {
            writes.deleteRange(start, end);
        }

        @Override
        public byte @Nullable [] get(byte[] key) {
            return writes.get(key);
        }

        @Override
        public RangeCursor cursor(byte[] start, byte @Nullable [] end) {
            return writes.cursor(start, end);
        }
    }
}
