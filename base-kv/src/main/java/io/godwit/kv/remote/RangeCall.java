package io.godwit.kv.remote;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.plugin.balance.Key;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A request of a {@link io.godwit.kv.client.RangeClient} in progress. Immutable, except its answer. */
public final class RangeCall {
    /** The kind of request. */
    public enum Kind {
        MUTATE,
        RELIEVE,
        QUERY,
        /** A query about all keys from its key to its end, for the range that has all of them. */
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
    private final BooleanSupplier isWanted;
    private final CompletableFuture<byte[]> answer = new CompletableFuture<>();

    /**
     * A call that must not be applied twice.
     *
     * @param number rises in the order of the callers' calls
     * @param end end of an interval, exclusive; null means no end
     */
    RangeCall(long number, Kind kind, byte[] key, byte @Nullable [] end, byte[] payload, Deadline deadline) {
        this(number, kind, key, end, payload, deadline, false, () -> true);
    }

    /**
     * @param number rises in the order of the callers' calls
     * @param end end of an interval, exclusive; null means no end
     * @param isRepeatable whether it is a mutation that may be applied twice
     * @param isWanted it is not sent when this is false; must not block
     */
    RangeCall(
            long number,
            Kind kind,
            byte[] key,
            byte @Nullable [] end,
            byte[] payload,
            Deadline deadline,
            boolean isRepeatable,
            BooleanSupplier isWanted) {
        this.number = number;
        this.kind = kind;
        this.key = key;
        this.end = end;
        this.payload = payload;
        this.deadline = deadline;
        this.isRepeatable = isRepeatable;
        this.isWanted = isWanted;
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

    /** Whether it is a mutation that may be sent again if it is unknown whether it was applied. */
    boolean isRepeatable() {
        return isRepeatable;
    }

    /** Whether it may be sent. Once false, the caller has given it up. */
    boolean isWanted() {
        return isWanted.getAsBoolean();
    }

    /** Whether a range with these bounds has all keys that the call asks for. */
    boolean isWithin(RangeBounds bounds) {
        byte @Nullable [] last = bounds.end();
        return kind != Kind.QUERY_INTERVAL || last == null || end != null && Arrays.compareUnsigned(end, last) <= 0;
    }

    /** The key for use in maps. It is comparable, so that maps stay fast even if keys chosen by clients collide. */
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
