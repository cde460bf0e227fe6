package io.godwit.kv.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One store as its users see it: a key space. Finds the range that owns a key and follows it when it moves, splits or
 * merges. Thread-safe. Futures complete on a range executor or an I/O thread, fail with {@link RangeException} only,
 * and are never null.
 */
public interface RangeClient {
    /**
     * Applies {@code mutation} in the range that owns {@code key}; completes with the reply of the coprocessor after
     * the mutation is committed, fsynced and applied. After {@code TIMEOUT} it may still be applied. Mutations of one
     * key from one thread are applied in the order of the calls.
     */
    CompletableFuture<byte[]> mutate(byte[] key, byte[] mutation, Deadline deadline);

    /**
     * As {@link #mutate}, for a mutation that deletes, or keeps account of what is there already: it is applied also
     * while free disk is below the low-water mark and {@code mutate} fails with {@code DISK_FULL}. In one order with
     * {@code mutate}.
     */
    CompletableFuture<byte[]> relieve(byte[] key, byte[] mutation, Deadline deadline);

    /**
     * As {@link #mutate}, for a mutation that may be applied twice, also with others of its key in between that came
     * from elsewhere. When nobody knows whether it was applied, since its leader was lost, the next leader is asked
     * again until the deadline, before what this node was asked for the same key later. So the loss of a node is a
     * pause. It fails with {@code LOST} when a later mutation of its key was answered, which it would be applied
     * behind.
     */
    default CompletableFuture<byte[]> mutateAgain(byte[] key, byte[] mutation, Deadline deadline) {
        return mutate(key, mutation, deadline);
    }

    /** As {@link #mutateAgain}, for a mutation as {@link #relieve} takes it. */
    default CompletableFuture<byte[]> relieveAgain(byte[] key, byte[] mutation, Deadline deadline) {
        return relieve(key, mutation, deadline);
    }

    /**
     * A linearizable read (ReadIndex): sees every mutation whose future had completed before the call. Runs on an I/O
     * thread.
     */
    CompletableFuture<byte[]> query(byte[] key, byte[] query, Deadline deadline);

    /**
     * The same for a query about all of {@code [key, end)}, {@code end} null meaning without end. Fails with
     * {@code MOVED} when the range that owns {@code key} ends before {@code end}, as it does after a split: ask
     * {@link #rangeKeys} again.
     */
    CompletableFuture<byte[]> query(byte[] key, byte @Nullable [] end, byte[] query, Deadline deadline);

    /**
     * Hands {@code request} to the leader of the range that owns {@code key}. Requests of one thread for one range are
     * handled in the order of the calls. Never blocks.
     */
    void submit(byte[] key, LeaderRequest request);

    /**
     * Parts {@code count} keys among the ranges that own them and submits one request to each, all by one view of the
     * ranges: in one order with {@link #submit}.
     *
     * @param keys gives the key of a number below {@code count}; must not block
     * @param requests makes a range's request out of the numbers, ascending, of its keys; must not block
     */
    void submitParts(int count, IntFunction<byte[]> keys, Function<int[], LeaderRequest> requests);

    /**
     * One key out of every range that overlaps {@code [start, end)}, ascending; the first is {@code start} itself. For
     * queries that must visit all ranges of an interval. {@code end} null means without end.
     */
    List<byte[]> rangeKeys(byte[] start, byte @Nullable [] end);
}
