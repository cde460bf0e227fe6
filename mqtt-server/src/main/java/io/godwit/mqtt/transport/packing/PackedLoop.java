package io.godwit.mqtt.transport.packing;

import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An event loop that the thread of another loop, its host, can run as a guest. Users notice nothing: one thread at a
 * time serves its tasks and channels, in order, and {@link #inEventLoop} is true on that thread.
 *
 * <p>The loop's own thread, its home, sleeps meanwhile. The guest's epoll descriptor is registered with the host's, so
 * an event on a channel of either wakes the host. So does a task for either, since {@link PackedIo} passes the wake-up
 * on. After each round of its own the host serves its guests, so tasks between loops of one thread run in the same
 * round, without a wake-up.
 *
 * <p>A loop is moved by its own thread, between two rounds, after a call of {@link #moveTo} or {@link #sendHome}. Each
 * thread sees the writes of the other through {@link #hostThread} and the task that takes a guest in. A loop with
 * guests is not moved, and no guest has guests. A loop that shuts down first goes home and sends its guests home, since
 * only its own thread may end it.
 */
final class PackedLoop extends SingleThreadIoEventLoop {
    private static final Logger LOG = LoggerFactory.getLogger(PackedLoop.class);

    /** How often in one round a thread serves loops that give each other work, before it checks sockets again. */
    private static final int MAX_PASSES = 4;

    /**
     * How long a loop runs tasks before it checks its channels again, at least; longer if its channels took longer.
     * Tasks cause further tasks, also from other threads; Netty's own limit is a second, which clients had to wait.
     */
    private static final long TASKS_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long MOST_TASKS_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** How often a sleeping home thread checks whether its host is still alive. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final IoHandlerContext NEVER_BLOCK = new NeverBlock();

    private final IoHandlerContext context = new Context();

    /** The loops that this one's thread runs beside its own; confined to that thread. */
    private final List<PackedLoop> guests = new ArrayList<>(0);

    /** The thread made for this loop; written by it before the first task runs. */
    private volatile @Nullable Thread home;

    /**
     * The thread that runs this loop as a guest, null while it is at home. Written by home to leave, by the host to
     * return.
     */
    private volatile @Nullable Thread hostThread;

    /** The loop that takes or has taken this one in; null for none. */
    private volatile @Nullable PackedLoop hostLoop;

    /** Where to move before the next round; null to stay. Confined to the home thread. */
    private @Nullable PackedLoop wanted;

    /** Registration of this guest's descriptor with the host's epoll; confined to the host's thread. */
    private @Nullable IoRegistration registration;

    /** Whether this guest's descriptor had an event; confined to the host's thread. */
    private boolean isReady;

    /**
     * Time that the home thread spent waiting for work, or asleep while the loop was a guest. Written by the home
     * thread only.
     */
    private volatile long pauseNanos;

    /** Start of a wait that {@link #pauseNanos} does not include yet; 0 for none. Written by the home thread. */
    private volatile long pausedSince;

    /** Time of the present round's {@link PackedIo#run} that was not waiting; confined to the home thread. */
    private long activeNanos;

    /** Whether the home thread is running a guest; confined to it. */
    private boolean servesGuest;

    /** Whether the host is running this guest; confined to the host's thread. */
    private boolean isServed;

    /** Binds the calling thread to this loop. */
    private Runnable bind = () -> {};

    PackedLoop(@Nullable IoEventLoopGroup parent, Executor executor, IoHandlerFactory io) {
        super(parent, executor, threads -> new PackedIo(io.newHandler(threads)));
    }

    /** Call before anything else; {@code bind} runs on each thread that begins to serve this loop, each time. */
    void onServed(Runnable bindToThread) {
        execute(() -> {
            bind = bindToThread;
            bind.run();
        });
    }

    private PackedIo io() {
        return (PackedIo) ioHandler();
    }

    /** Whether this loop can be a guest: only epoll has a descriptor that another loop can wait for. */
    boolean canMove() {
        return io().descriptor() != null;
    }

    /** Whether a thread other than its own runs this loop. Any thread. */
    boolean isGuest() {
        return hostThread != null;
    }

    /**
     * Makes the host's thread run this loop from the next round on. Any thread. Has no effect when either loop shuts
     * down, when this one is a guest or has guests, or when the host is a guest.
     */
    void moveTo(PackedLoop host) {
        execute(() -> {
            if (hostThread == null) {
                wanted = host;
            }
        });
    }

    /** Gives this loop back to its own thread, or cancels a move that has not begun. Any thread. */
    void sendHome() {
        execute(() -> {
            PackedLoop host = hostLoop;
            if (host == null) {
                wanted = null;
            } else {
                host.execute(() -> host.release(this));
            }
        });
    }

    /**
     * Whether {@code thread} is running this loop just now. While it runs another of its loops it counts as outside
     * this one: calls that Netty would make at once are then queued, as between loops of different threads.
     */
    @Override
    public boolean inEventLoop(Thread thread) {
        Thread other = hostThread;
        return other == null ? super.inEventLoop(thread) && !servesGuest : thread == other && isServed;
    }

    @Override
    public boolean isIoType(Class<? extends IoHandler> type) {
        return io().inner().getClass().equals(type);
    }

    // ---- a round

    @Override
    protected int runIo() {
        if (home == null) {
            home = Thread.currentThread();
        }
        PackedLoop host = wanted;
        if (host != null) {
            wanted = null;
            if (guests.isEmpty() && !isShuttingDown()) {
                beGuestOf(host);
            }
        }
        if (!guests.isEmpty()) {
            sendEndingHome();
        }
        int handled = runOwnIo();
        for (int i = 0; i < guests.size(); i++) {
            PackedLoop guest = guests.get(i);
            if (guest.isReady) {
                guest.isReady = false;
                enter(guest);
                try {
                    handled += guest.io().run(NEVER_BLOCK);
                } finally {
                    leave(guest);
                }
            }
        }
        return handled;
    }

    private int runOwnIo() {
        activeNanos = 0;
        long begun = System.nanoTime();
        pausedSince = begun;
        int handled = io().run(context);
        addPause(System.nanoTime() - begun - activeNanos);
        pausedSince = 0;
        return handled;
    }

    /** Called on the home thread, the only one to write. */
    private void addPause(long nanos) {
        long before = pauseNanos;
        pauseNanos = before + nanos;
    }

    /**
     * How long the home thread has waited for work, in nanoseconds since the loop began, up to {@code now}. Any thread.
     * A round under way counts as waiting until it ends, and is then corrected.
     */
    long pausedNanos(long now) {
        long since = pausedSince;
        long paused = pauseNanos;
        return since == 0 ? paused : paused + Math.max(0, now - since);
    }

    @Override
    protected boolean runAllTasks(long timeoutNanos) {
        long forTasks = Math.min(MOST_TASKS_NANOS, Math.max(TASKS_NANOS, activeNanos));
        long end = System.nanoTime() + Math.min(timeoutNanos, forTasks);
        boolean hasRun = runTasks(end);
        if (guests.isEmpty()) {
            return hasRun;
        }
        for (int pass = 0; pass < MAX_PASSES; pass++) {
            if (System.nanoTime() - end >= 0 || !serveGuests(end)) {
                break;
            }
            hasRun |= runTasks(end);
        }
        return hasRun;
    }

    /** Runs due tasks until {@code end}, at least one. Netty's own version checks the clock only every 64 tasks. */
    private boolean runTasks(long end) {
        long now = ticker().nanoTime();
        for (Runnable due = pollScheduledTask(now); due != null; due = pollScheduledTask(now)) {
            addTask(due);
        }
        boolean hasRun = false;
        for (Runnable task = pollTask(); task != null; task = pollTask()) {
            safeExecute(task);
            hasRun = true;
            if (System.nanoTime() - end >= 0) {
                break;
            }
        }
        if (hasRun) {
            updateLastExecutionTime();
        }
        afterRunningAllTasks();
        return hasRun;
    }

    /** Runs tasks of guests; returns whether there were any. */
    private boolean serveGuests(long end) {
        boolean isAny = false;
        for (int i = 0; i < guests.size(); i++) {
            PackedLoop guest = guests.get(i);
            if (guest.hasGuestWork()) {
                enter(guest);
                try {
                    guest.runTasks(end);
                } finally {
                    leave(guest);
                }
                isAny = true;
            }
        }
        return isAny;
    }

    private void enter(PackedLoop guest) {
        servesGuest = true;
        guest.isServed = true;
        guest.bind.run();
    }

    private void leave(PackedLoop guest) {
        guest.isServed = false;
        servesGuest = false;
        bind.run();
    }

    private boolean hasWork() {
        return hasTasks() || hasScheduledTasks();
    }

    /** On the host's thread. Sets {@code isServed}, because Netty lets only a thread inside the loop ask. */
    private boolean hasGuestWork() {
        isServed = true;
        boolean hasWork = hasWork();
        isServed = false;
        return hasWork;
    }

    // ---- moving

    /** On the home thread: returns when the loop has come back. */
    private void beGuestOf(PackedLoop host) {
        Thread thread = host.home;
        if (thread == null) {
            return;
        }
        long left = System.nanoTime();
        hostThread = thread; // from here on this thread must not touch the loop
        if (host.hostThread != null) { // of two loops that move to each other, at least one sees the other
            hostThread = null;
            return;
        }
        hostLoop = host;
        io().passWakeUpsTo(host.io());
        try {
            host.execute(() -> host.takeIn(this));
        } catch (RejectedExecutionException e) { // the host has shut down
            returned();
        }
        while (hostThread != null) {
            LockSupport.parkNanos(this, LOOK_NANOS);
            if (Thread.interrupted()) {
                LOG.debug("interrupted while another thread runs this loop");
            }
            if (host.isTerminated() && hostThread != null) { // the host ended just as it was offered the loop
                returned();
            }
        }
        addPause(System.nanoTime() - left);
    }

    private void takeIn(PackedLoop guest) {
        guests.add(guest);
        boolean isTaken = false;
        try {
            if (hostThread == null && !isShuttingDown()) {
                FileDescriptor descriptor =
                        Objects.requireNonNull(guest.io().descriptor(), "of a loop that cannot move");
                IoRegistration registered = io().register(new GuestDescriptor(descriptor, guest::ready));
                guest.registration = registered;
                registered.submit(EpollIoOps.EPOLLIN);
                isTaken = true;
            }
        } catch (Exception e) { // the kernel refused the registration
            LOG.warn("an event loop could not be run by another one's thread", e);
        } finally {
            if (!isTaken) {
                release(guest);
            }
        }
    }

    /** On the host's thread, which must not touch the guest from then on. */
    private void release(PackedLoop guest) {
        if (!guests.remove(guest)) {
            return; // it left before
        }
        IoRegistration registered = guest.registration;
        guest.registration = null;
        guest.isReady = false;
        if (registered != null) {
            registered.cancel();
        }
        guest.returned();
    }

    private void returned() {
        hostLoop = null;
        io().passWakeUpsTo(null);
        hostThread = null;
        LockSupport.unpark(home);
    }

    private void sendEndingHome() {
        for (int i = guests.size() - 1; i >= 0; i--) {
            PackedLoop guest = guests.get(i);
            if (isShuttingDown() || guest.isShuttingDown()) {
                release(guest);
            }
        }
    }

    @Override
    protected boolean confirmShutdown() {
        boolean isOver = super.confirmShutdown();
        if (isOver) {
            for (int i = guests.size() - 1; i >= 0; i--) {
                release(guests.get(i));
            }
        }
        return isOver;
    }

    /** This guest's descriptor had an event. */
    private void ready() {
        isReady = true;
    }

    /** Whether the thread may wait, and how long, considering all loops that it runs. */
    private final class Context implements IoHandlerContext {
        @Override
        public boolean shouldReportActiveIoTime() {
            return true;
        }

        @Override
        public void reportActiveIoTime(long nanos) {
            activeNanos += nanos;
        }

        @Override
        public boolean canBlock() {
            if (hasWork()) {
                return false;
            }
            for (int i = 0; i < guests.size(); i++) {
                if (guests.get(i).hasGuestWork()) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            long delay = PackedLoop.this.delayNanos(currentTimeNanos);
            for (int i = 0; i < guests.size(); i++) {
                delay = Math.min(delay, guests.get(i).delayNanos(currentTimeNanos));
            }
            return delay;
        }

        @Override
        public long deadlineNanos() {
            long earliest = PackedLoop.this.deadlineNanos();
            for (int i = 0; i < guests.size(); i++) {
                long deadline = guests.get(i).deadlineNanos();
                if (deadline != -1 && (earliest == -1 || deadline - earliest < 0)) {
                    earliest = deadline;
                }
            }
            return earliest;
        }
    }

    private static final class NeverBlock implements IoHandlerContext {
        @Override
        public boolean canBlock() {
            return false;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            return 0;
        }

        @Override
        public long deadlineNanos() {
            return -1;
        }
    }
}
