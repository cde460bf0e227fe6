package io.godwit.kv.testing;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory for tests: the ranges of one key space, whose every step is controlled by the test. Requests may
 * come from any thread; they are queued, and run on the thread that calls {@link #runUntilIdle} or
 * {@link #advanceMillis}. These two methods throw what a leader, a callback or {@code apply} throws.
 *
 * <p>Time, also for deadlines, moves only with {@link #advanceMillis}.
 */
public final class InMemoryRangeHost implements RangeClient, AutoCloseable {
    /** A test that needs more steps than this is in an endless loop. */
    private static final int MAX_STEPS = 5_000_000;

    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final InMemoryClock clock = new InMemoryClock();
    private final TaskGate reads = new TaskGate(queue);
    private final TaskGate confirmations = new TaskGate(queue);
    private final OpenRequests requests = new OpenRequests();
    private final List<InMemoryRange> ranges = new ArrayList<>();

    private boolean commitsHeld;
    private boolean sealsHeld;
    private volatile boolean closed;
    private @Nullable RangeException writeFailure;
    private boolean additionsRefused;
    private Consumer<byte[]> mutationWatcher = mutation -> {};
    private final List<Runnable> leaderWatchers = new ArrayList<>();
    private Runnable crashWatcher = () -> {};

    /** A store that is one range. */
    public InMemoryRangeHost(Supplier<? extends RangeCoprocessor> factory) {
        this(factory, List.of());
    }

    /**
     * Opens and leads all ranges at once.
     *
     * @param splitKeys ascending; n keys make n + 1 ranges
     */
    public InMemoryRangeHost(Supplier<? extends RangeCoprocessor> factory, List<byte[]> splitKeys) {
        this(List.of(factory), splitKeys);
    }

    /**
     * Opens the ranges on several nodes, with leaders in turn.
     *
     * @param factories one for each node; see {@link #node}
     */
    public InMemoryRangeHost(List<? extends Supplier<? extends RangeCoprocessor>> factories, List<byte[]> splitKeys) {
        byte[] start = {};
        for (byte[] key : splitKeys) {
            addRange(new RangeBounds(start, key), factories);
            start = key;
        }
        addRange(new RangeBounds(start, null), factories);
    }

    private void addRange(RangeBounds bounds, List<? extends Supplier<? extends RangeCoprocessor>> factories) {
        ranges.add(new InMemoryRange(this, bounds, factories, ranges.size() % factories.size()));
    }

    // --- used by a store

    @Override
    public CompletableFuture<byte[]> mutate(byte[] key, byte[] mutation, Deadline deadline) {
        return mutate(key, opened(deadline, mutation.clone(), false));
    }

    @Override
    public CompletableFuture<byte[]> relieve(byte[] key, byte[] mutation, Deadline deadline) {
        return mutate(key, opened(deadline, mutation.clone(), true));
    }

    private CompletableFuture<byte[]> mutate(byte[] key, OpenRequests.Request request) {
        queue(() -> {
            if (!request.answer.isDone()) {
                rangeOf(key).mutate(request.proposal);
            }
        });
        return request.answer;
    }

    private OpenRequests.Request opened(Deadline deadline, byte[] mutation, boolean relieving) {
        OpenRequests.Request request = requests.open(deadline, mutation, relieving);
        if (closed) {
            request.answer.completeExceptionally(new RangeException(Cause.CLOSED, "store is closed"));
        }
        return request;
    }

    @Override
    public CompletableFuture<byte[]> query(byte[] key, byte[] query, Deadline deadline) {
        OpenRequests.Request request = opened(deadline, new byte[0], false);
        queue(() -> queueRead(() -> {
            if (!request.answer.isDone()) {
                request.answer.complete(rangeOf(key).query(query));
            }
        }));
        return request.answer;
    }

    @Override
    public CompletableFuture<byte[]> query(byte[] key, byte @Nullable [] end, byte[] query, Deadline deadline) {
        List<byte[]> keys = rangeKeys(key, end);
        return keys.size() == 1
                ? query(key, query, deadline)
                : CompletableFuture.failedFuture(new RangeException(Cause.MOVED, "the interval has more ranges"));
    }

    @Override
    public void submitParts(int count, IntFunction<byte[]> keys, Function<int[], LeaderRequest> requests) {
        Map<InMemoryRange, List<Integer>> parts = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            parts.computeIfAbsent(rangeOf(keys.apply(i)), range -> new ArrayList<>())
                    .add(i);
        }
        parts.values()
                .forEach(part -> submit(
                        keys.apply(part.get(0)),
                        requests.apply(part.stream().mapToInt(i -> i).toArray())));
    }

    @Override
    public void submit(byte[] key, LeaderRequest request) {
        queue(new LeaderSubmission(this, key.clone(), request, -1));
    }

    @Override
    public List<byte[]> rangeKeys(byte[] start, byte @Nullable [] end) {
        List<byte[]> keys = new ArrayList<>();
        keys.add(start);
        for (InMemoryRange range : ranges) {
            byte[] first = range.bounds().start();
            if (Arrays.compareUnsigned(first, start) > 0 && (end == null || Arrays.compareUnsigned(first, end) < 0)) {
                keys.add(first);
            }
        }
        return keys;
    }

    // --- several nodes

    /** The store as one node sees it: leader requests reach leaders on this node only. */
    public InMemoryNode node(int number) {
        return new InMemoryNode(this, number);
    }

    /** Moves the leader of the range of a key to another node in an orderly way: see {@link #moveLeaders}. */
    public void moveLeader(byte[] key, int toNode) {
        rangeOf(key).moveLeader(toNode);
    }

    /**
     * Ends a node's process: the ranges that it led have no leader, and of its entries in flight only {@code survivors}
     * of each range have reached other nodes.
     */
    public void killNode(int number, int survivors) {
        tellDeposed(number);
        ranges.stream()
                .filter(range -> range.node() == number)
                .forEach(range -> range.loseNode(new RangeException(Cause.CLOSED, "process died"), survivors));
    }

    /** Makes the node lead all ranges without a leader. */
    public void elect(int number) {
        ranges.forEach(range -> range.elect(number));
    }

    /**
     * Makes another node lead the range of a key, while the former leader does not know, like one that was suspended or
     * cut off: it still accepts requests and answers those that need no log, but its log entries are not committed.
     * This lasts until {@link #tellDeposed}, or until it leads again.
     *
     * @param survivors number of its oldest entries in flight that had reached the others: the next leader applies them
     * @return false, without any effect, if there is no leader to depose, if its leadership is being moved, or if there
     *     is another deposed leader
     */
    public boolean depose(byte[] key, int toNode, int survivors) {
        return rangeOf(key).depose(toNode, survivors);
    }

    /** Tells a node which leaderships it has lost. */
    public void tellDeposed(int number) {
        ranges.forEach(range -> range.tellDeposed(number));
    }

    /** Number of the node that leads the range of a key; -1 for none. */
    public int leaderOf(byte[] key) {
        return rangeOf(key).node();
    }

    /** The number of the leader's node, as a node knows it. */
    int leaderOf(byte[] key, int asKnownTo) {
        InMemoryRange range = rangeOf(key);
        return range.isDeposedAt(asKnownTo) ? asKnownTo : range.node();
    }

    void submitAt(int number, byte[] key, LeaderRequest request) {
        queue(new LeaderSubmission(this, key.clone(), request, number));
    }

    /** The first key of the range of {@code key}. */
    List<Byte> rangeStart(byte[] key) {
        List<Byte> start = new ArrayList<>();
        for (byte each : rangeOf(key).bounds().start()) {
            start.add(each);
        }
        return start;
    }

    void onLeaders(Runnable watcher) {
        leaderWatchers.add(watcher);
    }

    void leadersChanged() {
        leaderWatchers.forEach(Runnable::run);
    }

    // --- used by a test

    /** Runs {@code watcher} after each crash, when the new process leads. */
    public void watchCrashes(Runnable watcher) {
        crashWatcher = watcher;
    }

    /** Queues a task of the test, such as the arrival of a message. Any thread. */
    public void execute(Runnable task) {
        queue(task);
    }

    /** Runs queued tasks, and those they queue, until none is left. */
    public void runUntilIdle() {
        for (int steps = 0; steps < MAX_STEPS; steps++) {
            Runnable task = queue.poll();
            if (task == null) {
                return;
            }
            task.run();
        }
        throw new IllegalStateException("not idle after " + MAX_STEPS + " steps");
    }

    /** Runs until idle, then moves the clock on, stopping at every timer that comes due on the way. */
    public void advanceMillis(long millis) {
        long target = clock.monotonicMillis() + millis;
        runUntilIdle();
        for (Runnable due = clock.nextDue(target); due != null; due = clock.nextDue(target)) {
            due.run();
            runUntilIdle();
        }
        clock.moveTo(target);
        requests.expire(System.nanoTime() + clock.advancedMillis() * 1_000_000);
        runUntilIdle();
    }

    /** Runs the next queued task; returns whether there was one. */
    public boolean runOne() {
        Runnable task = queue.poll();
        if (task != null) {
            task.run();
        }
        return task != null;
    }

    /** Runs a task of the test when the clock has advanced by {@code delayMillis}. */
    public void schedule(long delayMillis, Runnable task) {
        queueAt(monotonicMillis() + delayMillis, () -> queue(task));
    }

    /** The monotonic clock, as used by timers. */
    public long nanoTime() {
        return monotonicMillis() * 1_000_000;
    }

    /** The wall clock. */
    public long nowMillis() {
        return clock.wallMillis();
    }

    /** The clock of the timers. */
    long monotonicMillis() {
        return clock.monotonicMillis();
    }

    /** Sets the wall clock forward or back. */
    public void stepWallClock(long millis) {
        clock.stepWall(millis);
    }

    /**
     * Runs until idle and returns the answer, which must be complete then. Its failure is the cause of the exception.
     */
    public <T> T await(CompletableFuture<T> answer) {
        runUntilIdle();
        if (!answer.isDone()) {
            throw new IllegalStateException("idle, and no answer yet");
        }
        return answer.join();
    }

    /** From now on entries are sealed, up to 4 a range, but not committed. */
    public void holdCommits() {
        commitsHeld = true;
    }

    /** Commits everything held, and later entries again, at the next {@link #runUntilIdle}. */
    public void releaseCommits() {
        commitsHeld = false;
        ranges.forEach(InMemoryRange::pump);
    }

    /** Commits and applies the oldest entry in flight of the range that owns {@code key}; false if there is none. */
    public boolean commitOne(byte[] key) {
        return rangeOf(key).commitNext();
    }

    /** From now on proposals wait, and can be cancelled. */
    public void holdSeals() {
        sealsHeld = true;
    }

    public void releaseSeals() {
        sealsHeld = false;
        ranges.forEach(InMemoryRange::pump);
    }

    /** From now on queries and leader reads wait. */
    public void holdReads() {
        reads.hold();
    }

    public void releaseReads() {
        reads.release();
    }

    /** From now on no leader's confirmation is answered. */
    public void holdConfirmations() {
        confirmations.hold();
    }

    public void releaseConfirmations() {
        confirmations.release();
    }

    /**
     * From now on every mutation that is not sealed fails with {@code cause}, which must say that nothing was written.
     */
    public void failWrites(Cause cause) {
        RangeException failure = new RangeException(cause, "asked for by the test");
        writeFailure = failure;
        ranges.forEach(range -> range.failWaiting(failure));
    }

    /**
     * From now on the disk is below its low-water mark: mutations that are not relieving fail with {@code DISK_FULL}.
     */
    public void refuseAdditions() {
        additionsRefused = true;
    }

    /** Ends {@link #failWrites} and {@link #refuseAdditions}. */
    public void acceptWrites() {
        writeFailure = null;
        additionsRefused = false;
    }

    /** Ends the process with no entry in flight on disk, and starts a new one: {@link #crashAndRestart(int)} with 0. */
    public void crashAndRestart() {
        crashAndRestart(0);
    }

    /**
     * Ends the process and starts a new one on the same state. Queued tasks are dropped; leaders are stopped, their
     * proposals and all client calls fail, coprocessors are made and opened again, and lead in a new term. Holds on
     * writes, seals, commits, reads and confirmations are removed.
     *
     * @param survivors number of the oldest entries in flight of each range that had reached the disk: the new process
     *     applies them, without an answer to anybody
     */
    public void crashAndRestart(int survivors) {
        RangeException cause = new RangeException(Cause.CLOSED, "process died");
        List<Runnable> queued = new ArrayList<>(queue);
        queue.clear();
        clock.clearTimers();
        reads.dropHeld();
        confirmations.dropHeld();
        queued.forEach(task -> {
            if (task instanceof LeaderSubmission submission) {
                submission.fail(cause);
            }
        });
        ranges.forEach(range -> range.endLeadership(cause, survivors));
        requests.fail(new RangeException(Cause.TIMEOUT, "process died"));
        queue.clear();
        clock.clearTimers();
        commitsHeld = false;
        sealsHeld = false;
        reads.open();
        confirmations.open();
        acceptWrites();
        ranges.forEach(InMemoryRange::reopen);
        crashWatcher.run();
    }

    /**
     * Every range loses its leader and gets one in a new term, on the same coprocessor; entries in flight are committed
     * in between.
     */
    public void changeLeaders() {
        RangeException cause = new RangeException(Cause.CLOSED, "stepped down");
        ranges.forEach(range -> {
            range.endLeadership(cause, Integer.MAX_VALUE);
            range.leadNewTerm();
        });
    }

    /**
     * Every range gets another leader in an orderly way, as after a split: once everything that its leader has accepted
     * is applied, with the usual steps in between. Requests wait meanwhile.
     */
    public void moveLeaders() {
        ranges.forEach(InMemoryRange::moveLeader);
    }

    /** Total number of leaderships that were moved by {@link #moveLeaders}. */
    public int moves() {
        return ranges.stream().mapToInt(InMemoryRange::moves).sum();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        RangeException cause = new RangeException(Cause.CLOSED, "store is closed");
        ranges.forEach(range -> range.close(cause));
        requests.fail(cause);
    }

    /** Runs {@code work} on the committed state of the range that owns {@code key}. */
    public <T extends @Nullable Object> T inspect(byte[] key, Function<RangeReader, T> work) {
        return rangeOf(key).read(work);
    }

    /** Number of entries applied so far in all ranges. */
    public long appliedEntries() {
        return ranges.stream().mapToLong(InMemoryRange::appliedEntries).sum();
    }

    /** Bytes of all mutations sealed so far in all ranges. */
    public long proposedBytes() {
        return ranges.stream().mapToLong(InMemoryRange::proposedBytes).sum();
    }

    /** From now on {@code watcher} is given each mutation when it is sealed. */
    public void watchMutations(Consumer<byte[]> watcher) {
        mutationWatcher = watcher;
    }

    void sealed(byte[] mutation) {
        mutationWatcher.accept(mutation);
    }

    /**
     * Fails the oldest waiting proposal in the range of {@code key}, and leaves those behind it. Returns whether there
     * was one.
     */
    public boolean failOldestWaiting(byte[] key, Cause cause) {
        return rangeOf(key).failOldestWaiting(new RangeException(cause, "planted"));
    }

    /**
     * Makes the log refuse the oldest entry in flight in the range of {@code key}, and accept those behind it. Returns
     * whether there was one.
     */
    public boolean loseOldestInFlight(byte[] key) {
        return rangeOf(key).loseOldestInFlight(new RangeException(Cause.OVERLOADED, "planted"));
    }

    /** Number of entries in all ranges that are sealed but not committed. */
    public int entriesInFlight() {
        return ranges.stream().mapToInt(InMemoryRange::inFlight).sum();
    }

    /** Number of proposals in all ranges that wait for an entry. */
    public int waitingProposals() {
        return ranges.stream().mapToInt(InMemoryRange::waiting).sum();
    }

    // --- used by a range

    void queue(Runnable task) {
        queue.add(task);
    }

    void queueRead(Runnable task) {
        reads.add(task);
    }

    void queueConfirmation(Runnable task) {
        confirmations.add(task);
    }

    void queueAt(long atMillis, Runnable task) {
        clock.runAt(atMillis, task);
    }

    boolean commitsHeld() {
        return commitsHeld;
    }

    boolean sealsHeld() {
        return sealsHeld;
    }

    /** Why a proposal is refused; null if it is accepted. */
    @Nullable
    RangeException refusalOf(boolean relieving) {
        if (writeFailure == null && additionsRefused && !relieving) {
            return new RangeException(Cause.DISK_FULL, "asked for by the test");
        }
        return writeFailure;
    }

    boolean isClosed() {
        return closed;
    }

    InMemoryRange rangeOf(byte[] key) {
        for (InMemoryRange range : ranges) {
            if (range.bounds().contains(key)) {
                return range;
            }
        }
        throw new IllegalStateException("ranges have a gap");
    }
}
