package io.godwit.mqtt.transport;

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
 * What belongs to one event loop: its mail from other threads, its connections, and the output collected during an
 * iteration.
 *
 * <p>Other threads reach the loop through {@link #post} only. The mail is a list that any thread pushes to and the loop
 * takes as a whole: whoever finds it empty wakes the loop, all others ride along, so that many completions or
 * deliveries cost one wake-up. Output goes the other way round: connections and hand-overs to other loops register with
 * {@link #flushLater} and are flushed once, after everything the iteration had to read has been handled.
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
     * The newest task posted. Any thread pushes, the loop takes all: a list of links, because confinement is what it
     * establishes.
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
    /** Of {@link #endPresent}, mostly none. */
    private final List<Ending> endings = new ArrayList<>(0);
    /** Complete when no connection is left; null before {@link #cutAll}. */
    private @Nullable CompletableFuture<Void> cut;

    private @Nullable String otherServer;

    /**
     * @param index 0 to the number of loops minus one
     * @param executor runs tasks on the loop, in order
     */
    public LoopContext(int index, Executor executor) {
        this(index, executor, (task, nanos) -> executor.execute(task));
    }

    /** @param later runs tasks on the loop after a while */
    LoopContext(int index, Executor executor, ConnectionSweep.Later later) {
        this.index = index;
        this.executor = executor;
        this.later = later;
        this.ticking = new ConnectionSweep(index, later);
    }

    public int index() {
        return index;
    }

    /** How the connections of the loop share its time. */
    public LoopTurns turns() {
        return turns;
    }

    /**
     * Marks what the calling thread does from now on as this loop's. A thread may run several loops, one after the
     * other.
     */
    public void bindToCurrentThread() {
        CURRENT.set(this);
    }

    /** The loop that the calling thread is running, null on any other thread. */
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
                LOG.debug("mail to a stopped event loop loop={}", index);
            }
        }
    }

    /** {@link #post} for rare things. */
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
     * Runs {@code task} once the loop has served its channels. By a timer, since tasks that follow each other all run
     * before the loop looks at its channels.
     */
    public void afterChannels(Runnable task) {
        later.run(task, PAUSE_NANOS);
    }

    private void runMail() {
        LoopTask task = mail.getAndSet(null);
        LoopTask first = null;
        while (task != null) { // newest first: turn it round
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
        } catch (RuntimeException | Error e) { // outermost frame: one task's bug must not lose the others' mail
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
        // a flush may register another one behind it, never itself before it returned
        for (int i = 0; i < toFlush.size(); i++) {
            try {
                toFlush.get(i).flush();
            } catch (RuntimeException | Error e) { // outermost frame
                LOG.error("flush failed loop={}", index, e);
            }
        }
        toFlush.clear();
    }

    /** What is being published on this loop goes to one that is behind: its publisher should wait. On this loop. */
    public void holdPublisher() {
        isPublisherToWait = true;
    }

    /** Whether {@link #holdPublisher} was called since the last time that this was. On this loop. */
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

    /** For the filters of its connections. */
    public FilterRoom filterRoom() {
        return filterRoom;
    }

    /** Whether new work is to be refused for want of memory. */
    public boolean isMemoryShort() {
        return isMemoryShort;
    }

    void setMemoryShort(boolean isShort) {
        isMemoryShort = isShort;
    }

    /** Whether this node may have been given up by the others while it stood still, see {@link Standstill}. */
    boolean isInDoubt() {
        return standstill.isInDoubt();
    }

    void dependOn(BooleanSupplier proof) {
        standstill.dependOn(proof);
    }

    /** Adds {@code listener} to the sweep; it is told its place. */
    void addTicking(TickListener listener) {
        ticking.add(listener);
        if (cut != null) {
            listener.cut();
        }
    }

    /** Takes the listener at {@code place} out. */
    void removeTicking(int place) {
        TickListener gone = ticking.remove(place);
        completeCut();
        if (!endings.isEmpty()) {
            endings.removeIf(ending -> ending.goes(gone));
        }
    }

    /**
     * Something of the listener at {@code place} may be due earlier than it has said: it is looked at with the next
     * {@link #sweep}.
     */
    void lookSoon(int place) {
        ticking.lookSoon(place);
    }

    /** Once a second: time-outs of all connections of this loop, instead of a timer for each. */
    public void sweep() {
        tick++;
        standstill.onSweep();
        if (!atNextSweep.isEmpty()) {
            List<Runnable> due = atNextSweep;
            atNextSweep = new ArrayList<>(0);
            due.forEach(this::execute);
        }
        ticking.begin(tick);
    }

    /** The connections of this loop, a copy. */
    List<TickListener> connections() {
        return ticking.listeners();
    }

    /** Tells the connections that there are now that the server drains. Any thread. */
    void shutDownPresent() {
        execute(() -> endAll(connections(), TickListener::shutDown));
    }

    /**
     * Ends the connections that there are now, without regard to what is under way; those whose clients have not closed
     * their end after {@code patience} are cut. Any thread.
     *
     * @return complete, on the loop, once none of them is left
     */
    CompletableFuture<Void> endPresent(long patienceNanos) {
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

    /** The connections that there are now. Any thread; complete on the loop. */
    CompletableFuture<List<TickListener>> present() {
        CompletableFuture<List<TickListener>> present = new CompletableFuture<>();
        execute(() -> present.complete(connections()));
        return present;
    }

    /**
     * Ends connections of this loop, each at its time; those that are left at {@code cutNanos} are cut. Any thread.
     *
     * @param leaving given away
     * @param cutNanos of the clock {@link System#nanoTime}
     * @return complete, on the loop, once none of them is left
     */
    CompletableFuture<Void> end(Deque<SpreadEnd.Leaving> leaving, long cutNanos) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        execute(() -> {
            Set<TickListener> here = Collections.newSetFromMap(new IdentityHashMap<>());
            here.addAll(connections()); // some may have gone since they were asked for
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

    /** Where clients are sent that are told to go; null when they are only told that the server shuts down. */
    @Nullable
    String otherServer() {
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
            } catch (RuntimeException | Error e) { // outermost frame: the others must be ended all the same
                LOG.error("connection not ended loop={} connection={}", index, connection, e);
            }
        }
    }

    /** Connections that are being ended together; told of each that goes, since there may be very many. */
    private final class Ending {
        private final Set<TickListener> left = Collections.newSetFromMap(new IdentityHashMap<>());
        private final CompletableFuture<Void> ended;

        Ending(List<TickListener> present, CompletableFuture<Void> ended) {
            left.addAll(present);
            this.ended = ended;
        }

        /** Whether it was the last. */
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
     * Cuts every connection, and those that come. Any thread.
     *
     * @return complete, on the loop, once none is left
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

    /** A connection in the sweep. */
    interface TickListener {
        void tickIndex(int index);

        /**
         * Looks at its time-outs.
         *
         * @return the first tick at which there can be something to do again; {@link LoopContext#lookSoon} when that
         *     changes to an earlier one
         */
        int onTick(int tick);

        /** The server drains: closes once what is under way is answered. */
        void shutDown();

        /** Closes at once, and says so to its client: what is under way is not to be answered any more. */
        void end();

        /** Closes its socket at once. */
        void cut();
    }
}
