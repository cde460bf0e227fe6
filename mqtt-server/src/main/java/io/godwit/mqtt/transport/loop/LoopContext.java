package io.godwit.mqtt.transport.loop;

import io.godwit.mqtt.codec.LoopTurns;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of one event loop: its mail from other threads, its connections, and the output collected during an
 * iteration.
 *
 * <p>Other threads reach the loop only through {@link #post}. The mail is a list that any thread pushes to and the loop
 * takes as a whole: only the thread that finds it empty wakes the loop, so that many completions or deliveries cost one
 * wake-up. Output is collected: connections and hand-overs to other loops register with {@link #flushLater} and are
 * flushed once, after all reads of the iteration have been handled.
 *
 * <p>All but {@link #post}, {@link #isCurrent} and {@link #index} are confined to the loop.
 */
public final class LoopContext implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(LoopContext.class);
    private static final FastThreadLocal<LoopContext> CURRENT = new FastThreadLocal<>();

    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final int index;
    private final Executor executor;
    private final ConnectionSweep.Later later;

    /**
     * The newest task posted. Atomic, a linked list that any thread pushes to and the loop takes: confinement is
     * impossible here, since this list is how other threads reach the loop.
     */
    private final AtomicReference<@Nullable LoopTask> mail = new AtomicReference<>();

    private final Runnable mailRound = this::runMail;
    private final Runnable flushRound = this::runFlushes;

    private final List<LoopFlush> toFlush = new ArrayList<>();
    private boolean isPublisherToWait;
    private boolean isFlushScheduled;
    private final ConnectionSweep ticking;
    private final FilterRoom filterRoom = new FilterRoom(this);
    private final LoopTurns turns = new LoopTurns();
    private List<Runnable> atNextSweep = new ArrayList<>(0);
    private int tick;
    private boolean isMemoryShort;
    private final Standstill standstill = new Standstill(System::nanoTime, System::currentTimeMillis);
    /** Groups of connections being ended, see {@link #endPresent}; usually empty. */
    private final List<Ending> endings = new ArrayList<>(0);
    /** Complete when all connections have ended; null before {@link #cutAll}. */
    private @Nullable CompletableFuture<Void> cut;

    private @Nullable String otherServer;

    /**
     * @param index 0 to the number of loops minus one
     * @param executor runs tasks on the loop, in order
     */
    public LoopContext(int index, Executor executor) {
        this(index, executor, (task, nanos) -> executor.execute(task));
    }

    /** @param later runs tasks on the loop after a delay */
    LoopContext(int index, Executor executor, ConnectionSweep.Later later) {
        this.index = index;
        this.executor = executor;
        this.later = later;
        this.ticking = new ConnectionSweep(index, later);
    }

    public int index() {
        return index;
    }

    /** Divides the time of the loop among its connections. */
    public LoopTurns turns() {
        return turns;
    }

    /** Binds the calling thread to this loop. A thread may run several loops, one after the other. */
    public void bindToCurrentThread() {
        CURRENT.set(this);
    }

    /** The loop that the calling thread is running; null on any other thread. */
    public static @Nullable LoopContext current() {
        return CURRENT.getIfExists();
    }

    public boolean isCurrent() {
        return CURRENT.getIfExists() == this;
    }

    /**
     * Runs {@code task} on the loop; tasks of one thread run in order. Any thread. After the loop has stopped it does
     * nothing.
     */
    public void post(LoopTask task) {
        LoopTask newest;
        do {
            newest = mail.get();
            task.older = newest;
        } while (!mail.compareAndSet(newest, task));
        if (newest == null) {
            try {
                executor.execute(mailRound);
            } catch (RejectedExecutionException e) {
                LOG.debug("task for a stopped event loop dropped loop={}", index);
            }
        }
    }

    /** {@link #post} for infrequent actions. */
    @Override
    public void execute(Runnable action) {
        post(new LoopTask() {
            @Override
            protected void run() {
                action.run();
            }
        });
    }

    /**
     * Runs {@code task} once the loop has served its channels. Uses a timer, since consecutive tasks all run before the
     * loop checks its channels.
     */
    public void afterChannels(Runnable task) {
        later.run(task, PAUSE_NANOS);
    }

    private void runMail() {
        LoopTask task = mail.getAndSet(null);
        LoopTask first = null;
        while (task != null) { // the newest comes first: reverse the list
            LoopTask older = task.older;
            task.older = first;
            first = task;
            task = older;
        }
        while (first != null) {
            LoopTask next = first.older;
            first.older = null;
            runGuarded(first);
            first = next;
        }
    }

    private void runGuarded(LoopTask task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) { // outermost frame: a bug in one task must not lose the other mail
            LOG.error("event loop task failed loop={} task={}", index, task, e);
        }
    }

    /**
     * Calls {@link LoopFlush#flush} once the current iteration has handled its reads. The caller registers once per
     * flush.
     */
    public void flushLater(LoopFlush flush) {
        toFlush.add(flush);
        if (!isFlushScheduled) {
            isFlushScheduled = true;
            executor.execute(flushRound);
        }
    }

    private void runFlushes() {
        isFlushScheduled = false;
        // a flush may register another one after it, never itself before it has returned
        for (int i = 0; i < toFlush.size(); i++) {
            try {
                toFlush.get(i).flush();
            } catch (RuntimeException | Error e) { // outermost frame
                LOG.error("flush failed loop={}", index, e);
            }
        }
        toFlush.clear();
    }

    /**
     * A message being published on this loop goes to a loop that is behind: its publisher should wait. On this loop.
     */
    public void holdPublisher() {
        isPublisherToWait = true;
    }

    /** Whether {@link #holdPublisher} was called since the last call of this method. On this loop. */
    public boolean takeHold() {
        boolean taken = isPublisherToWait;
        isPublisherToWait = false;
        return taken;
    }

    /** Coarse time: rises by one with every {@link #sweep}, once a second. */
    public int tick() {
        return tick;
    }

    /** Runs {@code action} with the next {@link #sweep}: at most a second from now. */
    public void onNextSweep(Runnable action) {
        atNextSweep.add(action);
    }

    /** The budget for filters of its connections. */
    public FilterRoom filterRoom() {
        return filterRoom;
    }

    /** Whether new work must be refused because memory is short. */
    public boolean isMemoryShort() {
        return isMemoryShort;
    }

    public void setMemoryShort(boolean isShort) {
        isMemoryShort = isShort;
    }

    /** Whether the other nodes may have given this node up during a standstill, see {@link Standstill}. */
    public boolean isInDoubt() {
        return standstill.isInDoubt();
    }

    void dependOn(BooleanSupplier proof) {
        standstill.dependOn(proof);
    }

    /** Adds {@code listener} to the sweep, which tells it its place. */
    public void addTicking(TickListener listener) {
        ticking.add(listener);
        if (cut != null) {
            listener.cut();
        }
    }

    /** Removes the listener at {@code place}. */
    public void removeTicking(int place) {
        TickListener gone = ticking.remove(place);
        completeCut();
        if (!endings.isEmpty()) {
            endings.removeIf(ending -> ending.goes(gone));
        }
    }

    /**
     * Something of the listener at {@code place} may be due earlier than it last returned: the next {@link #sweep}
     * looks at it.
     */
    public void lookSoon(int place) {
        ticking.lookSoon(place);
    }

    /** Called once a second: checks the time-outs of all connections of this loop, instead of a timer for each. */
    public void sweep() {
        tick++;
        try {
            standstill.onSweep();
            if (!atNextSweep.isEmpty()) {
                List<Runnable> due = atNextSweep;
                atNextSweep = new ArrayList<>(0);
                due.forEach(this::execute);
            }
            ticking.begin(tick);
        } catch (RuntimeException | Error e) { // outermost frame: a sweep that throws is never called again
            LOG.error("sweep ended early loop={}", index, e);
        }
    }

    /** A copy of the list of connections. */
    List<TickListener> connections() {
        return ticking.listeners();
    }

    /** Tells all present connections to drain. Any thread. */
    void shutDownPresent() {
        execute(() -> endAll(connections(), TickListener::shutDown));
    }

    /**
     * Ends all present connections without waiting for requests under way; those whose clients have not closed their
     * end after {@code patienceNanos} are cut. Any thread.
     *
     * @return complete, on the loop, once all of them have ended
     */
    public CompletableFuture<Void> endPresent(long patienceNanos) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        execute(() -> {
            List<TickListener> present = connections();
            if (present.isEmpty()) {
                ended.complete(null);
                return;
            }
            Ending ending = new Ending(present, ended);
            endings.add(ending);
            endAll(present, TickListener::end);
            later.run(ending::cut, patienceNanos);
        });
        return ended;
    }

    /** The present connections. Any thread; complete on the loop. */
    CompletableFuture<List<TickListener>> present() {
        CompletableFuture<List<TickListener>> present = new CompletableFuture<>();
        execute(() -> present.complete(connections()));
        return present;
    }

    /**
     * Ends connections of this loop, each at its time; connections still open at {@code cutNanos} are cut. Any thread.
     *
     * @param leaving handed over
     * @param cutNanos in the time of {@link System#nanoTime}
     * @return complete, on the loop, once all of them have ended
     */
    CompletableFuture<Void> end(Deque<SpreadEnd.Leaving> leaving, long cutNanos) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        execute(() -> {
            Set<TickListener> here = Collections.newSetFromMap(new IdentityHashMap<>());
            here.addAll(connections()); // some may have gone since the list was made
            List<TickListener> present = leaving.stream()
                    .map(SpreadEnd.Leaving::connection)
                    .filter(here::contains)
                    .toList();
            if (present.isEmpty()) {
                ended.complete(null);
                return;
            }
            Ending ending = new Ending(present, ended);
            endings.add(ending);
            new SpreadEnd(leaving, later, System::nanoTime).run();
            later.run(ending::cut, Math.max(0, cutNanos - System.nanoTime()));
        });
        return ended;
    }

    /** The server that clients sent away are referred to; null when they only get "server shutting down". */
    public @Nullable String otherServer() {
        return otherServer;
    }

    /** On the loop. */
    void otherServer(String reference) {
        otherServer = reference;
    }

    private void endAll(List<TickListener> connections, Consumer<TickListener> how) {
        for (TickListener connection : connections) {
            try {
                how.accept(connection);
            } catch (RuntimeException | Error e) { // outermost frame: the other connections must still be ended
                LOG.error("connection not ended loop={} connection={}", index, connection, e);
            }
        }
    }

    /** Connections that are ended together. It is notified of each one that goes, since there may be very many. */
    private final class Ending {
        private final Set<TickListener> left = Collections.newSetFromMap(new IdentityHashMap<>());
        private final CompletableFuture<Void> ended;

        Ending(List<TickListener> present, CompletableFuture<Void> ended) {
            left.addAll(present);
            this.ended = ended;
        }

        /** Removes a connection; returns whether it was the last. */
        boolean goes(TickListener gone) {
            left.remove(gone);
            if (!left.isEmpty()) {
                return false;
            }
            ended.complete(null);
            return true;
        }

        void cut() {
            endAll(List.copyOf(left), TickListener::cut);
        }
    }

    /**
     * Cuts every connection, including new ones. Any thread.
     *
     * @return complete, on the loop, once all have ended
     */
    CompletableFuture<Void> cutAll() {
        CompletableFuture<Void> none = new CompletableFuture<>();
        execute(() -> {
            cut = none;
            endAll(connections(), TickListener::cut);
            completeCut();
        });
        return none;
    }

    private void completeCut() {
        if (cut != null && ticking.isEmpty()) {
            cut.complete(null);
        }
    }
}
