package io.godwit.mqtt.loop;

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
 * An event loop that can be run by the thread of another one, its host, as a guest. Whoever uses it notices nothing:
 * its tasks and channels are served by one thread at a time, in order, and {@link #inEventLoop} is true on that thread.
 *
 * <p>The thread that was made for the loop, its home, sleeps meanwhile. The host has the guest's epoll descriptor
 * registered with its own, so that a channel of either wakes it, and a task for either does, since {@link PackedIo}
 * passes the wake-up on. After each round of its own the host serves its guests, so that what loops of one thread post
 * to each other is done in the same round, without a wake-up.
 *
 * <p>A loop is moved by its own thread, between two rounds: {@link #moveTo} asks for it, and {@link #sendHome}. All
 * that either thread has written is seen by the other, by way of {@link #hostThread} and of the task that takes a guest
 * in. A loop that has guests is not moved, and no guest has guests. A loop that shuts down goes home first and sends
 * its guests home, since the end of a loop is its own thread's.
 */
final class PackedLoop extends SingleThreadIoEventLoop {
    private static final Logger LOG = LoggerFactory.getLogger(PackedLoop.class);

    /**
     * How often in one round a thread goes through its loops while they give each other work, before it looks at
     * sockets again.
     */
    private static final int MAX_PASSES = 4;

    /**
     * How long a loop runs tasks before it looks at its channels again, at least; longer when its channels took longer.
     * Tasks bring each other along, those of other threads as well: Netty's own bound is a second, which clients have
     * waited.
     */
    private static final long TASKS_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long MOST_TASKS_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** How often a sleeping home thread looks whether its host still lives. */
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

    /** Where to move before the next round; null to stay. Confined to the home thread. */
    private @Nullable PackedLoop wanted;

    /** What says that this guest's descriptor is registered with the host's; confined to the host's thread. */
    private @Nullable IoRegistration registration;

    /** Whether the host was told of something on this guest's descriptor; confined to the host's thread. */
    private boolean isReady;

    /**
     * Time in which the home thread waited for something to do, or slept while the loop was a guest. Written by it
     * alone.
     */
    private volatile long pauseNanos;

    /** When the wait began that is not in {@link #pauseNanos} yet; 0 when there is none. Written by the home thread. */
    private volatile long pausedSince;

    /** Of the present round's time in {@link PackedIo#run}, what was no wait; confined to the home thread. */
    private long activeNanos;

    /** Whether the home thread is doing a guest's work; confined to it. */
    private boolean servesGuest;

    /** Whether the host is doing this guest's work; confined to the host's thread. */
    private boolean isServed;

    /** Tells the calling thread that what it does from now on is this loop's. */
    private Runnable bind = () -> {};

    PackedLoop(@Nullable IoEventLoopGroup parent, Executor executor, IoHandlerFactory io) {
        super(parent, executor, threads -> new PackedIo(io.newHandler(threads)));
    }

    /**
     * To be called before anything else; {@code bind} runs on each thread that begins to serve this loop, each time.
     */
    void onServed(Runnable bindToThread) {
        execute(() -> {
            bind = bindToThread;
            bind.run();
        });
    }

    private PackedIo io() {
        return (PackedIo) ioHandler();
    }

    /** Whether this loop can be a guest: only epoll has a descriptor for another one to wait for. */
    boolean canMove() {
        return io().descriptor() != null;
    }

    /** Whether a thread other than its own runs this loop. Any thread. */
    boolean isGuest() {
        return hostThread != null;
    }

    /**
     * Has the host's thread run this loop from the next round on. Any thread. Nothing comes of it when either shuts
     * down, when this one is a guest or has guests, or when the host is a guest.
     */
    void moveTo(PackedLoop host) {
        execute(() -> {
            if (hostThread == null) {
                wanted = host;
            }
        });
    }

    /** Gives this loop back to its own thread, or keeps it there when it was to move and has not left. Any thread. */
    void sendHome() {
        execute(() -> {
            PackedLoop host = io().host();
            if (host == null) {
                wanted = null;
            } else {
                host.execute(() -> host.release(this));
            }
        });
    }

    /**
     * Whether {@code thread} is doing this loop's work just now. While it does that of another one of its loops it is
     * not in this one: what Netty would do at once is then queued, as between loops of different threads.
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

    /** On the home thread, the only one to write. */
    private void addPause(long nanos) {
        long before = pauseNanos;
        pauseNanos = before + nanos;
    }

    /**
     * How long the home thread has waited for something to do, nanoseconds since the loop began, up to {@code now}. Any
     * thread. A round that is under way counts as waiting until it is over, and is taken off then.
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

    /** Runs what is due, one task at least, until {@code end}. Netty's own looks at the clock every 64 tasks only. */
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

    /** Runs what guests have to do; whether that was anything. */
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

    /** On the host's thread. Only the thread in a loop may ask. */
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
        hostThread = thread; // from here on this thread leaves the loop alone
        if (host.hostThread != null) { // two that move to each other: at least one of them sees the other
            hostThread = null;
            return;
        }
        io().passWakeUpsTo(host);
        try {
            host.execute(() -> host.takeIn(this));
        } catch (RejectedExecutionException e) { // it has shut down
            returned();
        }
        while (hostThread != null) {
            LockSupport.parkNanos(this, LOOK_NANOS);
            if (Thread.interrupted()) {
                LOG.debug("interrupted while another thread runs this loop");
            }
            if (host.isTerminated() && hostThread != null) { // it was offered the loop at its very end
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
                IoRegistration registered = io().register(new GuestDescriptor(guest, descriptor));
                guest.registration = registered;
                registered.submit(EpollIoOps.EPOLLIN);
                isTaken = true;
            }
        } catch (Exception e) { // the kernel's no
            LOG.warn("an event loop could not be run by another one's thread", e);
        } finally {
            if (!isTaken) {
                release(guest);
            }
        }
    }

    /** On the host's thread, which leaves the guest alone from then on. */
    private void release(PackedLoop guest) {
        if (!guests.remove(guest)) {
            return; // it went before
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

    /** The host was told of this guest's descriptor. */
    void ready() {
        isReady = true;
    }

    /** A task waits for one of this loop's guests. Any thread. */
    void wakeForGuest() {
        wakeup(false);
    }

    /** When the thread may wait, and how long: for all loops that it runs. */
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
