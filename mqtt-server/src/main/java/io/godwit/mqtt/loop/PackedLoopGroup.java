package io.godwit.mqtt.loop;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Event loops on epoll, as many threads of which are awake as there is work for. Each is a {@link PackedLoop}; {@link LoopPacking} says who runs whom, from what
 * {@link ThreadLoad} measures ten times a second.
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

    /** Has {@code bind} run on each thread that begins to serve the loop at {@code index}, each time; the first time before any task queued later. */
    public void onServed(int index, Runnable bind) {
        loops.get(index).onServed(bind);
    }

    /** Begins to move loops; after {@link #onServed} was called for all of them. */
    public void startPacking() {
        if (loops.size() < 2 || !loops.stream().allMatch(PackedLoop::canMove)) {
            return;
        }
        ThreadLoad load = new ThreadLoad(loops.size());
        for (int i = 0; i < loops.size(); i++) {
            int index = i;
            loops.get(i).execute(() -> load.watchThisThread(index));
        }
        LoopPacking packing = new LoopPacking(loops.size());
        PackedLoop first = loops.get(0); // never a guest, so that all this is one thread's
        first.scheduleAtFixedRate(() -> look(load, packing), LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        first.terminationFuture().addListener(ended -> load.close());
    }

    private void look(ThreadLoad load, LoopPacking packing) {
        for (int i = 0; i < loops.size(); i++) {
            if (loops.get(i).isGuest() != packing.isGuest(i)) {
                return; // still on its way
            }
        }
        if (!load.measure()) {
            return;
        }
        for (LoopPacking.Move move : packing.decide(load)) {
            LOG.debug("event loop moves loop={} to={}", move.loop(), move.host());
            if (move.loop() == move.host()) {
                loops.get(move.loop()).sendHome();
            } else {
                loops.get(move.loop()).moveTo(loops.get(move.host()));
            }
        }
    }

    /** How many threads run loops now. Any thread. */
    public int activeThreads() {
        int active = 0;
        for (PackedLoop loop : loops) {
            active += loop.isGuest() ? 0 : 1;
        }
        return active;
    }
}
