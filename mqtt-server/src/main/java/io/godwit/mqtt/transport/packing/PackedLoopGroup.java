package io.godwit.mqtt.transport.packing;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Event loops on epoll, with only as many threads awake as the load needs. Each is a {@link PackedLoop}; ten times a
 * second {@link LoopPacking} decides which thread runs which loop, from how long each thread had to wait for work.
 */
public final class PackedLoopGroup extends MultiThreadIoEventLoopGroup {
    private static final Logger LOG = LoggerFactory.getLogger(PackedLoopGroup.class);

    private static final long LOOK_MILLIS = 100;

    private final List<PackedLoop> loops = new ArrayList<>();

    public PackedLoopGroup(int count, ThreadFactory threads, IoHandlerFactory io) {
        super(count, threads, io);
        for (EventExecutor loop : this) {
            loops.add((PackedLoop) loop);
        }
    }

    @Override
    protected IoEventLoop newChild(Executor executor, IoHandlerFactory io, Object... args) {
        return new PackedLoop(this, executor, io);
    }

    /**
     * Runs {@code bind} on each thread that begins to serve the loop at {@code index}, each time; the first time before
     * any task queued later.
     */
    public void onServed(int index, Runnable bind) {
        loops.get(index).onServed(bind);
    }

    /** Begins to move loops; after {@link #onServed} was called for all of them. */
    @SuppressWarnings("FutureReturnValueIgnored") // the task ends with the loop
    public void startPacking() {
        if (loops.size() < 2 || !loops.stream().allMatch(PackedLoop::canMove)) {
            return;
        }
        // the first loop is never a guest, so one thread runs all decisions
        loops.get(0).scheduleAtFixedRate(looks(this::packing), LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private Decisions packing() {
        return new LoopPacking(loops.size())::decide;
    }

    /**
     * Each run measures the loops and moves them. After a failure all loops go home, and a minute of runs do nothing.
     *
     * @param decisions called at first, and after each failure
     */
    Runnable looks(Supplier<Decisions> decisions) {
        return new Looks(decisions);
    }

    /** Number of threads that run loops now. Any thread. */
    public int activeThreads() {
        int active = 0;
        for (PackedLoop loop : loops) {
            active += loop.isGuest() ? 0 : 1;
        }
        return active;
    }

    /** See {@link LoopPacking#decide}. */
    @FunctionalInterface
    interface Decisions {
        List<LoopPacking.Move> decide(LoopPacking.Load load);
    }

    /** Measures and decides periodically, on the first loop. */
    private final class Looks implements Runnable, LoopPacking.Load {
        private final Supplier<Decisions> fresh;
        private Decisions decisions;
        private final long[] paused = new long[loops.size()];
        private final double[] busy = new double[loops.size()];
        private long measuredNanos = System.nanoTime();
        /** Calls that do nothing, after a failure. */
        private int rest;

        Looks(Supplier<Decisions> fresh) {
            this.fresh = fresh;
            this.decisions = fresh.get();
        }

        @Override
        public void run() {
            if (rest > 0) {
                rest--;
                return;
            }
            try {
                look();
            } catch (RuntimeException | Error e) { // outermost frame: a timer task that throws is never called again
                rest = LoopPacking.REST_LOOKS;
                LOG.error("event loops keep their own threads for a minute", e);
                decisions = fresh.get(); // when it is asked, all loops are at home
                loops.forEach(PackedLoop::sendHome);
            }
        }

        private void look() {
            measure();
            for (LoopPacking.Move move : decisions.decide(this)) {
                LOG.debug("event loop moves loop={} to={}", move.loop(), move.host());
                if (move.loop() == move.host()) {
                    loops.get(move.loop()).sendHome();
                } else {
                    loops.get(move.loop()).moveTo(loops.get(move.host()));
                }
            }
        }

        private void measure() {
            long now = System.nanoTime();
            double span = Math.max(1, now - measuredNanos);
            for (int i = 0; i < busy.length; i++) {
                long pausedNow = loops.get(i).pausedNanos(now);
                busy[i] = Math.min(1, Math.max(0, 1 - (pausedNow - paused[i]) / span));
                paused[i] = pausedNow;
            }
            measuredNanos = now;
        }

        @Override
        public boolean isGuest(int loop) {
            return loops.get(loop).isGuest();
        }

        @Override
        public double busy(int loop) {
            return busy[loop];
        }
    }
}
