package io.godwit.kv.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Client of one store, seen as one key space. Finds the range that owns a key and follows it when it moves, splits or
 * merges. Thread-safe. Futures complete on a range executor or an I/O thread, fail with {@link RangeException} only,
 * and are never null.
 */
public interface RangeClient {
    /**
     * Applies {@code mutation} in the range that owns {@code key}; completes with the reply of the coprocessor after
     * the mutation is committed, fsynced and applied. After {@code TIMEOUT} the mutation may still be applied.
     * Mutations of one key from one thread are applied in the order of the calls.
     */
    CompletableFuture<byte[]> mutate(byte[] key, byte[] mutation, Deadline deadline);

    /**
     * Like {@link #mutate}, for a mutation that deletes, or that records something about existing data. It is also
     * applied while free disk is below the low-water mark and {@code mutate} fails with {@code DISK_FULL}. Calls of
     * both methods are in one order.
     */
    CompletableFuture<byte[]> relieve(byte[] key, byte[] mutation, Deadline deadline);

    /**
     * Like {@link #mutate}, for a mutation that may be applied twice, even with mutations of the key from other nodes
     * in between. If its leader is lost and nobody knows whether it was applied, the next leader is asked again until
     * the deadline, before later mutations that this node sends for the key. So the loss of a node is only a pause.
     * Fails with {@code LOST} if a later mutation of the key was answered already, because this one would then be
     * applied after it.
     */
    default CompletableFuture<byte[]> mutateAgain(byte[] key, byte[] mutation, Deadline deadline) {
        return mutate(key, mutation, deadline);
    }

    /** Like {@link #mutateAgain}, for a mutation of the kind that {@link #relieve} takes. */
    default CompletableFuture<byte[]> relieveAgain(byte[] key, byte[] mutation, Deadline deadline) {
        return relieve(key, mutation, deadline);
    }

    /**
     * Like {@link #relieveAgain(byte[], byte[], Deadline)}, but the mutation is sent only while {@code isWanted} is
     * true: the caller may give it up, for example because what it was for is now done elsewhere. Fails with
     * {@code LOST} if it waits to be sent then; one that was sent may be applied or not.
     *
     * @param isWanted must not block; called on any thread, whenever the mutation is about to be sent
     */
    default CompletableFuture<byte[]> relieveAgain(
            byte[] key, byte[] mutation, Deadline deadline, BooleanSupplier isWanted) {
        return isWanted.getAsBoolean()
                ? relieveAgain(key, mutation, deadline)
                : CompletableFuture.failedFuture(
                        new RangeException(RangeException.Cause.LOST, "it was given up before it was sent"));
    }

    /**
     * A linearizable read (ReadIndex): sees every mutation whose future had completed before the call. Runs on an I/O
     * thread.
     */
    CompletableFuture<byte[]> query(byte[] key, byte[] query, Deadline deadline);

    /**
     * Like {@link #query(byte[], byte[], Deadline)}, for a query about all of {@code [key, end)}; {@code end} null
     * means no end. Fails with {@code MOVED} if the range that owns {@code key} ends before {@code end}, as after a
     * split: then ask {@link #rangeKeys} again.
     */
    CompletableFuture<byte[]> query(byte[] key, byte @Nullable [] end, byte[] query, Deadline deadline);

    /**
     * Passes {@code request} to the leader of the range that owns {@code key}. Requests of one thread for one range are
     * handled in the order of the calls. Never blocks.
     */
    void submit(byte[] key, LeaderRequest request);

    /**
     * Groups {@code count} keys by the range that owns them, from one view of the ranges, and submits one request to
     * each range, in one order with {@link #submit}.
     *
     * @param keys gives the key of each number below {@code count}; must not block
     * @param requests makes the request for a range from the numbers of its keys, ascending; must not block
     */
    void submitParts(int count, IntFunction<byte[]> keys, Function<int[], LeaderRequest> requests);

    /**
     * One key of every range that overlaps {@code [start, end)}, ascending; the first is {@code start} itself. For
     * queries that must visit all ranges of an interval. {@code end} null means no end.
     */
    List<byte[]> rangeKeys(byte[] start, byte @Nullable [] end);
}
