package io.godwit.kv.remote;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.plugin.balance.Key;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A request of a {@link io.godwit.kv.client.RangeClient} on its way. Immutable but for its answer. */
public final class RangeCall {
    /** What it asks for. */
    public enum Kind {
        MUTATE,
        RELIEVE,
        QUERY,
        /** A query about all keys from its key to its end: for the range that has them all. */
        QUERY_INTERVAL
    }

    private static final int OVERHEAD_BYTES = 128;

    private final long number;
    private final Kind kind;
    private final byte[] key;
    private final byte @Nullable [] end;
    private final byte[] payload;
    private final Deadline deadline;
    private final boolean isRepeatable;
    private final CompletableFuture<byte[]> answer = new CompletableFuture<>();

    /**
     * @param number in the order in which the callers called
     * @param end of an interval; null means without end
     */
    RangeCall(long number, Kind kind, byte[] key, byte @Nullable [] end, byte[] payload, Deadline deadline) {
        this(number, kind, key, end, payload, deadline, false);
    }

    /**
     * @param number in the order in which the callers called
     * @param end of an interval; null means without end
     * @param isRepeatable whether it is a mutation that may be applied twice
     */
    RangeCall(
            long number,
            Kind kind,
            byte[] key,
            byte @Nullable [] end,
            byte[] payload,
            Deadline deadline,
            boolean isRepeatable) {
        this.number = number;
        this.kind = kind;
        this.key = key;
        this.end = end;
        this.payload = payload;
        this.deadline = deadline;
        this.isRepeatable = isRepeatable;
    }

    long number() {
        return number;
    }

    public Kind kind() {
        return kind;
    }

    public byte[] key() {
        return key;
    }

    public byte @Nullable [] end() {
        return end;
    }

    boolean isQuery() {
        return kind == Kind.QUERY || kind == Kind.QUERY_INTERVAL;
    }

    /** Whether it is a mutation that may be applied twice, when nobody knows whether it was applied. */
    boolean isRepeatable() {
        return isRepeatable;
    }

    /** Whether a range of these bounds has all that it asks for. */
    boolean isWithin(RangeBounds bounds) {
        byte @Nullable [] last = bounds.end();
        return kind != Kind.QUERY_INTERVAL || last == null || end != null && Arrays.compareUnsigned(end, last) <= 0;
    }

    /**
     * The key as one compares keys in maps. Ordered, so that the maps stay fast when keys that clients choose collide.
     */
    Key keyValue() {
        return Key.of(key);
    }

    public byte[] payload() {
        return payload;
    }

    public Deadline deadline() {
        return deadline;
    }

    CompletableFuture<byte[]> answer() {
        return answer;
    }

    long bytes() {
        return (long) OVERHEAD_BYTES + key.length + payload.length;
    }

    boolean isDone() {
        return answer.isDone();
    }

    void complete(CallReply reply) {
        if (reply.failure() != null) {
            answer.completeExceptionally(reply.failure());
        } else if (reply.value() != null) {
            answer.complete(reply.value());
        }
    }
}
