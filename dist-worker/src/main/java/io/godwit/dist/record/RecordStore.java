package io.godwit.dist.record;

import io.godwit.common.failure.Failures;
import io.godwit.kv.client.Backoff;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes records through the ranges of the dist store. Thread-safe. Futures complete on any thread and fail with
 * {@link RangeException}; the change may then be made all the same. After {@link RecordsRefusedException} it is not
 * made.
 *
 * <p>A change is a function of the present record: when another change was first, the function is called again with the
 * record that is there now. A mutation whose leader was lost is sent to the next one; its revision shows whether it was
 * already carried out.
 *
 * <p>A change completes when it is in force on this node and on all other members, like a SUBACK. A member that does
 * not confirm in time does not fail it: the change is committed, and a node that is cut off learns of it when it is
 * back. {@link Changed} names such members.
 *
 * <p>The first decision is about the record that this node knows. This node may be behind, so a decision to change
 * nothing counts only when the leader has the same record: a mutation that cannot apply asks for it. While the first
 * record may not be written, that mutation may not be written either. Then this node applies what is committed, and the
 * decision counts when there is still no record.
 *
 * <p>The removal of a record that is absent waits for the other members like any removal: an earlier one may not be in
 * force there yet.
 */
public final class RecordStore {
    private static final Logger LOG = LoggerFactory.getLogger(RecordStore.class);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long CONFIRM_MILLIS = 5_000;
    /** A revision that no record has: {@link #newRevision} is positive, and 0 is for no record. */
    private static final long NO_REVISION = -1;

    private static final Backoff BACKOFF = new Backoff(PAUSE_NANOS, PAUSE_NANOS, Backoff.RANDOM);

    /** A change of a record. */
    public sealed interface Change permits Change.Put, Change.Delete, Change.Keep {
        /** Leaves the record as it is. */
        Change KEEP = new Keep();
        /** Removes the record. */
        Change DELETE = new Delete();

        /** @param value up to 16 KiB */
        static Change put(byte[] value) {
            return new Put(value);
        }

        /** Puts a value, whether there is a record or not. */
        @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
        record Put(byte[] value) implements Change {}

        /** As {@link #DELETE}. */
        record Delete() implements Change {}

        /** As {@link #KEEP}. */
        record Keep() implements Change {}
    }

    /** Decides on a change. Must have no side effects, because it may be called more than once. Any thread. */
    @FunctionalInterface
    public interface Decision {
        /** @param present null for none */
        Change of(@Nullable StoredRecord present);
    }

    /** Waits until all committed data is in force on all members. */
    @FunctionalInterface
    public interface Confirmation {
        /** @return the ids of members that have not confirmed by the deadline; fails if that is not known */
        CompletableFuture<List<String>> confirmed(Deadline deadline);

        /** Completes when this node has applied all that was committed before; fails if that is not known. */
        default CompletableFuture<Void> appliedHere(Deadline deadline) {
            return CompletableFuture.failedFuture(new RangeException(
                    RangeException.Cause.TIMEOUT, "it is not known whether this node has applied all records"));
        }
    }

    /** Stands for the members that have not confirmed, if their ids are not known. */
    public static final String UNKNOWN_MEMBERS = "unknown";

    /**
     * A completed change.
     *
     * @param before the record before the change; null for none. With {@link Change#KEEP} the present record
     * @param unconfirmed ids of members that have not confirmed the change, so it may not be in force there yet. With
     *     {@link Change#DELETE} of an absent record, those that may still have it. Empty with {@link Change#KEEP}
     */
    public record Changed(@Nullable StoredRecord before, List<String> unconfirmed) {
        public Changed {
            unconfirmed = List.copyOf(unconfirmed);
        }
    }

    private final Supplier<@Nullable RangeClient> ranges;
    private final RecordIndex index;
    private final Confirmation confirmation;
    private final Supplier<Optional<String>> lack;
    private final Consumer<Runnable> later;

    /**
     * @param ranges null while the store is not open
     * @param lack why no first record may be written, see {@link RecordReaders#lack}. Any thread
     */
    public RecordStore(
            Supplier<@Nullable RangeClient> ranges,
            RecordIndex index,
            Confirmation confirmation,
            Supplier<Optional<String>> lack) {
        this(
                ranges,
                index,
                confirmation,
                lack,
                task -> CompletableFuture.delayedExecutor(BACKOFF.pause(1), TimeUnit.NANOSECONDS)
                        .execute(task));
    }

    /** @param later runs a retry after a short pause */
    RecordStore(
            Supplier<@Nullable RangeClient> ranges,
            RecordIndex index,
            Confirmation confirmation,
            Supplier<Optional<String>> lack,
            Consumer<Runnable> later) {
        this.ranges = ranges;
        this.index = index;
        this.confirmation = confirmation;
        this.lack = lack;
        this.later = later;
    }

    /** All records that this node knows. */
    public RecordIndex index() {
        return index;
    }

    /**
     * As {@link #changed}, for callers that do not tell which members have not confirmed.
     *
     * @return the record before the change; null for none. With {@link Change#KEEP} the present record
     */
    public CompletableFuture<@Nullable StoredRecord> change(
            String kind, String name, Decision decision, Deadline deadline) {
        return changed(kind, name, decision, deadline).thenApply(done -> done.before());
    }

    /** Changes one record. */
    public CompletableFuture<Changed> changed(String kind, String name, Decision decision, Deadline deadline) {
        CompletableFuture<Changed> done = new CompletableFuture<>();
        try {
            byte[] key = RecordKeys.key(kind, name);
            attempt(new Attempt(kind, name, key, decision, deadline, done), index.get(kind, name), false);
        } catch (RuntimeException e) {
            done.completeExceptionally(e);
        }
        return done;
    }

    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
    private record Attempt(
            String kind,
            String name,
            byte[] key,
            Decision decision,
            Deadline deadline,
            CompletableFuture<Changed> done) {
        void fail(RangeException.Cause cause, String why) {
            done.completeExceptionally(new RangeException(cause, why));
        }

        void keep(@Nullable StoredRecord present) {
            done.complete(new Changed(present, List.of()));
        }
    }

    /** @param isOfLeader whether the leader has just named the present record */
    private void attempt(Attempt attempt, @Nullable StoredRecord present, boolean isOfLeader) {
        RangeClient store = ranges.get();
        if (store == null) {
            attempt.fail(RangeException.Cause.CLOSED, "the dist store is not open");
            return;
        }
        if (attempt.deadline.hasPassed(System.nanoTime())) {
            attempt.fail(RangeException.Cause.TIMEOUT, "record " + attempt.kind + " not changed by its deadline");
            return;
        }
        Change change = attempt.decision.of(present);
        boolean isNothing = change instanceof Change.Keep || change instanceof Change.Delete && present == null;
        if (isNothing && isOfLeader) {
            nothing(attempt, present, change);
            return;
        }
        if (isNothing && lackOfFirst().isPresent()) {
            lookHere(attempt, present, change);
            return;
        }
        long expected = present == null ? 0 : present.revision();
        CompletableFuture<byte[]> reply;
        if (isNothing) {
            // a question relieves no disk, so it is not written to one that is nearly full
            reply = store.mutateAgain(attempt.key, RecordMutation.delete(attempt.key, NO_REVISION), attempt.deadline);
        } else if (change instanceof Change.Put put) {
            if (put.value.length > RecordKeys.MAX_VALUE_BYTES) {
                throw new IllegalArgumentException(
                        "a record has at most " + RecordKeys.MAX_VALUE_BYTES + " bytes, had " + put.value.length);
            }
            Optional<String> why = lackOfFirst();
            if (why.isPresent()) {
                attempt.done.completeExceptionally(new RecordsRefusedException(why.get()));
                return;
            }
            byte[] mutation = RecordMutation.put(attempt.key, expected, newRevision(), put.value);
            reply = store.mutateAgain(attempt.key, mutation, attempt.deadline);
        } else {
            reply = store.relieveAgain(attempt.key, RecordMutation.delete(attempt.key, expected), attempt.deadline);
        }
        reply.whenComplete((answer, failure) -> {
            try {
                if (isNothing) {
                    looked(attempt, present, change, answer, failure);
                } else {
                    answered(attempt, present, change, answer, failure);
                }
            } catch (RuntimeException e) { // the caller's future must complete
                attempt.done.completeExceptionally(e);
            }
        });
    }

    /** Why the first record may not be written; empty if there are records. */
    private Optional<String> lackOfFirst() {
        return index.isEmpty() ? lack.get() : Optional.empty();
    }

    /** The present record needs no change. */
    private void nothing(Attempt attempt, @Nullable StoredRecord present, Change change) {
        if (change instanceof Change.Delete) {
            confirm(attempt, present);
        } else {
            attempt.keep(present);
        }
    }

    /**
     * Looks for the record here, because a node of an earlier version would stop its range at any mutation. An empty
     * index proves that there are no records only when this node has applied what is committed.
     */
    private void lookHere(Attempt attempt, @Nullable StoredRecord known, Change change) {
        confirmation.appliedHere(attempt.deadline).whenComplete((done, failure) -> {
            try {
                if (failure != null) {
                    fail(attempt, failure);
                } else if (index.isEmpty() && known == null) {
                    nothing(attempt, null, change);
                } else {
                    attempt(attempt, index.get(attempt.kind, attempt.name), false);
                }
            } catch (RuntimeException e) { // the caller's future must complete
                attempt.done.completeExceptionally(e);
            }
        });
    }

    /** Positive, and in practice never that of another value. */
    private static long newRevision() {
        return ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    }

    private static void fail(Attempt attempt, @Nullable Throwable failure) {
        attempt.done.completeExceptionally(
                failure == null
                        ? new RangeException(RangeException.Cause.TIMEOUT, "no answer")
                        : Failures.cause(failure));
    }

    /** Takes the answer of the leader, which was asked because the record known here needs no change. */
    private void looked(
            Attempt attempt,
            @Nullable StoredRecord known,
            Change change,
            byte @Nullable [] answer,
            @Nullable Throwable failure) {
        if (answer == null) {
            fail(attempt, failure);
            return;
        }
        RecordMutation.Reply reply = RecordMutation.decodeReply(attempt.name, answer);
        switch (reply.outcome()) {
            case APPLIED -> throw new IllegalStateException("a record has the revision " + NO_REVISION);
            case OTHER_REVISION -> {
                StoredRecord present = reply.present();
                long here = known == null ? 0 : known.revision();
                long there = present == null ? 0 : present.revision();
                if (here == there) {
                    nothing(attempt, known, change);
                } else {
                    again(attempt, present, true);
                }
            }
            case ELSEWHERE -> again(attempt, known, false); // a split moved the record to another range
            case REFUSED -> attempt.fail(RangeException.Cause.CLOSED, "the store does not take a " + attempt.kind);
        }
    }

    private void answered(
            Attempt attempt,
            @Nullable StoredRecord before,
            Change change,
            byte @Nullable [] answer,
            @Nullable Throwable failure) {
        if (answer == null) {
            fail(attempt, failure);
            return;
        }
        RecordMutation.Reply reply = RecordMutation.decodeReply(attempt.name, answer);
        switch (reply.outcome()) {
            case APPLIED -> confirm(attempt, before);
            case OTHER_REVISION -> {
                if (change instanceof Change.Delete && reply.present() == null) {
                    confirm(attempt, before); // this mutation has come twice, or another one has removed the record
                } else {
                    again(attempt, reply.present(), true);
                }
            }
            case ELSEWHERE -> again(attempt, before, false); // a split moved the record to another range
            case REFUSED -> attempt.fail(RangeException.Cause.CLOSED, "the store does not take a " + attempt.kind);
        }
    }

    private void again(Attempt attempt, @Nullable StoredRecord present, boolean isOfLeader) {
        later.accept(() -> {
            try {
                attempt(attempt, present, isOfLeader);
            } catch (RuntimeException e) { // outermost frame; the caller's future must complete
                attempt.done.completeExceptionally(e);
            }
        });
    }

    private void confirm(Attempt attempt, @Nullable StoredRecord before) {
        long now = System.nanoTime();
        // leave the caller some time to learn that it is committed
        long left = attempt.deadline.remainingNanos(now) / 4 * 3;
        long nanos = Math.min(left, TimeUnit.MILLISECONDS.toNanos(CONFIRM_MILLIS));
        confirmation
                .confirmed(new Deadline(now + nanos / 8 * 7)) // before the time limit below, which knows no members
                .copy()
                .orTimeout(Math.max(1, nanos), TimeUnit.NANOSECONDS)
                .whenComplete((unconfirmed, failure) -> {
                    List<String> missing = unconfirmed == null ? List.of(UNKNOWN_MEMBERS) : unconfirmed;
                    if (!missing.isEmpty()) {
                        LOG.info(
                                "not all nodes have confirmed what is committed about a record kind={} nodes={}"
                                        + " cause={}",
                                attempt.kind,
                                missing,
                                String.valueOf(failure));
                    }
                    attempt.done.complete(new Changed(before, missing));
                });
    }
}
