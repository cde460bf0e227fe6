package io.godwit.kv.range;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.Mirror;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.range.replica.RangeEnvironment;
import io.godwit.kv.range.replica.RangeExecutor;
import io.godwit.kv.range.state.RangeState;
import io.godwit.plugin.balance.Key;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the replicas of a store on this node up to everything that was committed before a call. A round asks every
 * replica for a ReadIndex. It ends when the replicas that have confirmed one since the round began cover the key space,
 * each with the bounds that its coprocessor was told. Replicas that appear meanwhile, such as the right part of a
 * split, are asked as well.
 *
 * <p>Why this is enough, although the bounds are read one after the other: take a key, and a confirmed replica whose
 * bounds include it. What was written to the key before the round was written to that range, or to one from which the
 * range got the key by a split or a merge, which brings the data along. If the range had lost the key before the round,
 * the entry by which it lost it would be confirmed and applied too. There is one exception: a yielding range
 * ({@code Merge}) loses its keys by an entry in its left neighbour's log. So it counts only together with that
 * neighbour's confirmation.
 *
 * <p>All state is confined to its own executor.
 */
public final class RangeMirror implements Mirror {
    private static final Logger LOG = LoggerFactory.getLogger(RangeMirror.class);
    static final long RETRY_MILLIS = 20;
    private static final long SWEEP_MILLIS = 50;
    /**
     * A replica that has not answered after this time is asked again, later after twice the time, up to
     * {@code MAX_ASK_AGAIN_MILLIS}. It may have learned the index but not that it is committed, if it got the entries
     * only after the leader had told it; each question makes the leader tell it again. Otherwise it would learn that
     * from the next entry or heartbeat, which may take seconds.
     */
    static final long ASK_AGAIN_MILLIS = 3;

    private static final long MAX_ASK_AGAIN_MILLIS = 160;

    private final String store;
    private final Supplier<? extends Collection<Range>> replicas;
    private final RangeEnvironment environment;
    private final RangeExecutor executor;

    // used by the executor

    /** The waiters of the next round. */
    private List<Waiter> waiting = new ArrayList<>();

    private @Nullable Round underWay;
    private boolean isSweepDue;
    private @Nullable RangeException closed;

    /** @param replicas the present replicas; any thread, must not block */
    public RangeMirror(String store, Supplier<? extends Collection<Range>> replicas, RangeEnvironment environment) {
        this.store = store;
        this.replicas = replicas;
        this.environment = environment;
        this.executor = new RangeExecutor(
                environment.pool(), thrown -> LOG.error("task of the mirror failed store={}", store, thrown));
    }

    private record Waiter(Deadline deadline, CompletableFuture<Void> done) {}

    @Override
    public CompletableFuture<Void> catchUp(Deadline deadline) {
        Waiter waiter = new Waiter(deadline, new CompletableFuture<>());
        executor.execute(() -> add(waiter));
        return waiter.done();
    }

    private void add(Waiter waiter) {
        RangeException cause = closed;
        if (cause != null) {
            waiter.done().completeExceptionally(cause);
            return;
        }
        waiting.add(waiter);
        sweepLater();
        if (underWay == null) {
            begin();
        }
    }

    private void begin() {
        Round round = new Round(waiting);
        waiting = new ArrayList<>();
        underWay = round;
        round.look();
    }

    private void ended() {
        underWay = null;
        if (!waiting.isEmpty()) {
            begin();
        }
    }

    /** Refuses present and later waiters with {@code CLOSED}. Any thread. */
    public void close() {
        executor.execute(() -> {
            RangeException cause = new RangeException(Cause.CLOSED, "store is closing");
            closed = cause;
            Round round = underWay;
            List<Waiter> failing = new ArrayList<>(waiting);
            if (round != null) {
                failing.addAll(round.waiters);
            }
            underWay = null;
            waiting = new ArrayList<>();
            failing.forEach(waiter -> waiter.done().completeExceptionally(cause));
        });
    }

    private void sweepLater() {
        if (!isSweepDue) {
            isSweepDue = true;
            later(SWEEP_MILLIS, this::sweep);
        }
    }

    /** Ends waiters whose deadline has passed, even if a leader does not answer at all. */
    private void sweep() {
        isSweepDue = false;
        Round round = underWay;
        if (round != null) {
            expire(round.waiters, round::lacking);
            if (round.waiters.isEmpty()) {
                ended();
            } else {
                round.look();
            }
        }
        expire(waiting, () -> "an earlier call is under way");
        if (underWay != null) {
            sweepLater();
        }
    }

    private void expire(List<Waiter> waiters, Supplier<String> why) {
        long now = environment.nanoTime();
        waiters.removeIf(waiter -> {
            boolean isOver = waiter.deadline().hasPassed(now);
            if (isOver) {
                waiter.done()
                        .completeExceptionally(
                                new RangeException(Cause.TIMEOUT, "store " + store + " not caught up: " + why.get()));
            }
            return isOver;
        });
    }

    @SuppressWarnings("FutureReturnValueIgnored") // tasks of a closed mirror find nothing to do
    private void later(long millis, Runnable task) {
        environment.timers().schedule(() -> executor.execute(task), millis, TimeUnit.MILLISECONDS);
    }

    /** ReadIndex requests that were all made after the calls of {@code waiters}. */
    private final class Round {
        private final List<Waiter> waiters;
        private final Set<Range> confirmed = Collections.newSetFromMap(new IdentityHashMap<>());
        /** The unconfirmed replicas that were asked. */
        private final IdentityHashMap<Range, Asked> asked = new IdentityHashMap<>();

        private boolean isLookDue;
        private boolean isAskingDue;

        /**
         * When a replica was asked last.
         *
         * @param againMillis how long it may take to answer
         */
        private record Asked(long atNanos, long againMillis) {
            boolean isOverdue(long now) {
                return now - atNanos >= TimeUnit.MILLISECONDS.toNanos(againMillis);
            }

            static Asked now(long now, @Nullable Asked before) {
                long again = before == null ? ASK_AGAIN_MILLIS : 2 * before.againMillis;
                return new Asked(now, Math.min(again, MAX_ASK_AGAIN_MILLIS));
            }
        }

        Round(List<Waiter> waiters) {
            this.waiters = waiters;
        }

        @SuppressWarnings("ReferenceEquality") // a later round is another object
        private boolean isOver() {
            return underWay != this;
        }

        void look() {
            if (isOver()) {
                return;
            }
            Collection<Range> here = replicas.get();
            if (gap(here).isEmpty()) {
                waiters.forEach(waiter -> waiter.done().complete(null));
                ended();
                return;
            }
            long now = environment.nanoTime();
            for (Range range : here) {
                Asked before = asked.get(range);
                boolean isRetired = range.routed().phase() instanceof RangeState.Retired;
                if (!isRetired && !confirmed.contains(range) && (before == null || before.isOverdue(now))) {
                    asked.put(range, Asked.now(now, before));
                    range.confirmTold(ok -> executor.execute(() -> answered(range, ok)));
                }
            }
            if (asked.isEmpty()) { // all have confirmed, and others are about to be made here
                lookLater();
            } else {
                askLater();
            }
        }

        private void answered(Range range, boolean isConfirmed) {
            if (isOver() || confirmed.contains(range)) {
                return;
            }
            asked.remove(range);
            if (!isConfirmed) {
                lookLater();
                return;
            }
            confirmed.add(range);
            if (asked.isEmpty()) {
                look();
            }
        }

        private void lookLater() {
            if (!isLookDue) {
                isLookDue = true;
                later(RETRY_MILLIS, () -> {
                    isLookDue = false;
                    look();
                });
            }
        }

        /** Looks again when the first of those that were asked is overdue. */
        private void askLater() {
            if (!isAskingDue) {
                isAskingDue = true;
                long least = asked.values().stream()
                        .mapToLong(Asked::againMillis)
                        .min()
                        .orElse(ASK_AGAIN_MILLIS);
                later(least, () -> {
                    isAskingDue = false;
                    look();
                });
            }
        }

        /** The lowest key that no confirmed replica has; empty if there is none. */
        private Optional<byte[]> gap(Collection<Range> here) {
            Set<Long> confirmedIds =
                    here.stream().filter(confirmed::contains).map(Range::id).collect(Collectors.toSet());
            List<RangeBounds> tiles = here.stream()
                    .filter(confirmed::contains)
                    .map(Range::routed)
                    .filter(state -> counts(state, confirmedIds))
                    .map(RangeState::bounds)
                    .sorted(Comparator.comparing(RangeBounds::start, Arrays::compareUnsigned))
                    .toList();
            byte[] reached = new byte[0];
            for (RangeBounds tile : tiles) {
                if (Arrays.compareUnsigned(tile.start(), reached) > 0) {
                    break;
                }
                byte[] end = tile.end();
                if (end == null) {
                    return Optional.empty();
                }
                if (Arrays.compareUnsigned(end, reached) > 0) {
                    reached = end;
                }
            }
            return Optional.of(reached);
        }

        private static boolean counts(RangeState state, Set<Long> confirmedIds) {
            if (state.phase() instanceof RangeState.Yielding yielding) {
                return confirmedIds.contains(yielding.leftId());
            }
            return !(state.phase() instanceof RangeState.Retired);
        }

        /** Describes what the round is waiting for. */
        String lacking() {
            Collection<Range> here = replicas.get();
            List<String> silent = here.stream()
                    .filter(range -> !confirmed.contains(range))
                    .map(Range::groupId)
                    .sorted()
                    .limit(5)
                    .toList();
            return silent.isEmpty()
                    ? gap(here)
                            .map(key -> "no replica here of the keys from " + Key.of(key))
                            .orElse("just now")
                    : "no leader confirms " + silent;
        }
    }
}
