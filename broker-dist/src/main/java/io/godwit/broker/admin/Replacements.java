package io.godwit.broker.admin;

import io.godwit.api.port.NotServingException;
import io.godwit.api.port.OperationException;
import io.godwit.api.port.StoreAdmin.ReplaceState;
import io.godwit.api.port.StoreAdmin.ReplaceView;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replacements of nodes that this node was asked for by the API: one at a time, since each lets the balancers rest and
 * the end of one would wake those of the other. It has a thread for as long as it takes. How it ended is kept for
 * {@link #KEPT}, of the last {@link #MOST_KEPT} nodes, in memory: when this node stops or is killed, a replacement ends
 * where it is, and is taken up there by whoever asks for it again, at any node.
 *
 * <p>Any thread; which there are is guarded by the monitor.
 */
final class Replacements implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Replacements.class);
    static final int MOST_KEPT = 16;
    static final Duration KEPT = Duration.ofHours(1);
    private static final long IDLE_SECONDS = 10;

    private final AdminClient client;
    private final LongSupplier nanoTime;
    /** At most one task, but for the moment in which the last one returns. */
    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                Thread made = new Thread(task, "admin-replace");
                made.setDaemon(true);
                return made;
            });

    /** By the node that is replaced, the one that was begun last at the end. */
    private final Map<String, Replacement> byNode = new LinkedHashMap<>();

    private volatile boolean isClosed;

    /** One of them: it runs, then it is done or has failed. */
    private static final class Replacement implements NodeReplacement.Told {
        private final NodeReplacement work;
        /** Volatile: replaced by the thread that runs it, read by those who ask. */
        private volatile ReplaceView view;
        /** Of the monotonic clock; counts once it runs no more. Guarded by the monitor. */
        private long endedNanos;

        Replacement(AdminClient client, String node, String by, NodeReplacement.Count first, Pace pace) {
            this.work = new NodeReplacement(client, node, by, this, pace);
            this.view = new ReplaceView(
                    node, by, ReplaceState.RUNNING, first.moved(), first.left(), first.elsewhere(), "begun", "");
        }

        boolean isRunning() {
            return view.state() == ReplaceState.RUNNING;
        }

        @Override
        public void count(NodeReplacement.Count now) {
            ReplaceView at = view;
            view = new ReplaceView(
                    at.node(), at.by(), at.state(), now.moved(), now.left(), now.elsewhere(), at.step(), "");
        }

        @Override
        public void step(String line) {
            is(ReplaceState.RUNNING, line, "");
        }

        void is(ReplaceState state, String step, String reason) {
            ReplaceView at = view;
            view = new ReplaceView(at.node(), at.by(), state, at.moved(), at.left(), at.elsewhere(), step, reason);
        }
    }

    /** @param nanoTime the monotonic clock */
    Replacements(AdminClient client, LongSupplier nanoTime) {
        this.client = client;
        this.nanoTime = nanoTime;
        thread.allowCoreThreadTimeOut(true);
    }

    /**
     * Begins it, or joins the one that was begun. Asks this node meanwhile, so it blocks.
     *
     * @param within what it is checked with, in the time of the request
     * @throws OperationException when it cannot be meant, is refused, or another is under way
     * @throws NotServingException when this node stops
     */
    ReplaceView begin(AdminClient within, String node, String by) throws AdminException {
        Optional<ReplaceView> before = underWay(node, by);
        if (before.isPresent()) {
            return before.get();
        }
        NodeReplacement.Count first = NodeReplacement.check(within, node, by);
        synchronized (this) {
            Optional<ReplaceView> meanwhile = underWay(node, by);
            if (meanwhile.isPresent()) {
                return meanwhile.get();
            }
            Replacement made = new Replacement(client, node, by, first, this::pause);
            byNode.remove(node);
            forgetOld();
            byNode.put(node, made);
            thread.execute(() -> run(made));
            return made.view;
        }
    }

    private synchronized Optional<ReplaceView> underWay(String node, String by) {
        if (isClosed) {
            throw new NotServingException("the node stops");
        }
        for (Replacement each : byNode.values()) {
            ReplaceView view = each.view;
            if (view.state() != ReplaceState.RUNNING) {
                continue;
            }
            if (!view.node().equals(node)) {
                throw new OperationException(
                        OperationException.Kind.BUSY, "node " + view.node() + " is being replaced, one at a time");
            }
            if (!view.by().equals(by)) {
                throw new OperationException(
                        OperationException.Kind.REFUSED,
                        "by",
                        "node " + node + " is being replaced by " + view.by() + " already");
            }
            return Optional.of(view);
        }
        return Optional.empty();
    }

    /** Ended ones that are too old, and the oldest beyond the bound. Guarded by the monitor. */
    private void forgetOld() {
        long now = nanoTime.getAsLong();
        byNode.values().removeIf(each -> !each.isRunning() && now - each.endedNanos >= KEPT.toNanos());
        Iterator<Replacement> oldest = byNode.values().iterator();
        while (byNode.size() >= MOST_KEPT && oldest.hasNext()) {
            if (!oldest.next().isRunning()) {
                oldest.remove();
            }
        }
    }

    /** How far the replacement of a node is, or how it ended; empty when none is known here. */
    synchronized Optional<ReplaceView> of(String node) {
        Replacement found = byNode.get(node);
        if (found == null || !found.isRunning() && nanoTime.getAsLong() - found.endedNanos >= KEPT.toNanos()) {
            return Optional.empty();
        }
        return Optional.of(found.view);
    }

    private void run(Replacement it) {
        ReplaceView at = it.view;
        LOG.info("operator replaces a node node={} by={} ranges={}", at.node(), at.by(), at.left());
        try {
            String done = it.work.run();
            LOG.info("node replaced node={} by={} ranges={}", at.node(), at.by(), it.view.moved());
            end(it, ReplaceState.DONE, done, "");
        } catch (AdminException | RuntimeException e) { // outermost frame of the thread
            LOG.warn(
                    "node not replaced node={} by={} moved={} left={} step={} cause={}",
                    at.node(),
                    at.by(),
                    it.view.moved(),
                    it.view.left(),
                    it.view.step(),
                    e.toString());
            end(it, ReplaceState.FAILED, it.view.step(), String.valueOf(e.getMessage()));
        }
    }

    private synchronized void end(Replacement it, ReplaceState state, String step, String reason) {
        it.endedNanos = nanoTime.getAsLong();
        it.is(state, step, reason);
    }

    private void pause(long millis) throws AdminException {
        if (isClosed) {
            throw new AdminException(Kind.FAILED, "the node stops; ask again and it goes on where it is");
        }
        NodeCommand.pause(millis);
    }

    /** The one under way ends at its next look; see {@link #awaitEnd}. */
    @Override
    public synchronized void close() {
        isClosed = true;
        thread.shutdown();
    }

    /** Waits so long; what has not ended then is interrupted. Its balancers rest no more. */
    void awaitEnd(long seconds) throws InterruptedException {
        if (thread.awaitTermination(seconds, TimeUnit.SECONDS)) {
            return;
        }
        List<Replacement> left;
        synchronized (this) {
            left = new ArrayList<>(byNode.values());
        }
        left.stream().filter(Replacement::isRunning).forEach(each -> each.work.endRest()); // the thread may be stuck
        thread.shutdownNow();
    }
}
