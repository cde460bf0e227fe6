package io.godwit.broker.admin.steering;

import io.godwit.api.port.NotServingException;
import io.godwit.api.port.OperationException;
import io.godwit.api.port.cluster.StoreAdmin.ReplaceState;
import io.godwit.api.port.cluster.StoreAdmin.ReplaceView;
import io.godwit.broker.admin.action.NodeReplacement;
import io.godwit.broker.admin.action.Pauses;
import io.godwit.broker.admin.rpc.AdminClient;
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
 * The replacements of nodes requested over the API of this node: one at a time, since the end of one would also end the
 * rest of the balancers for another. A replacement has a thread until its end. Results are kept in memory for {@link
 * #KEPT}, of the last {@link #MOST_KEPT} nodes. When this node stops or is killed, a replacement ends; a new request,
 * to any node, continues it.
 *
 * <p>Any thread; the monitor guards the set of replacements.
 */
final class Replacements implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Replacements.class);
    static final int MOST_KEPT = 16;
    static final Duration KEPT = Duration.ofHours(1);
    private static final long IDLE_SECONDS = 10;

    private final AdminClient client;
    private final LongSupplier nanoTime;
    /** Runs one task; a second one can wait only while the first is returning. */
    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                Thread made = new Thread(task, "admin-replace");
                made.setDaemon(true);
                return made;
            });

    /** By the replaced node, in the order of their begin. */
    private final Map<String, Replacement> byNode = new LinkedHashMap<>();

    private volatile boolean isClosed;

    /** One replacement: running, then done or failed. */
    private static final class Replacement implements NodeReplacement.Told {
        private final NodeReplacement work;
        /** Volatile: written by the running thread, read by requests. */
        private volatile ReplaceView view;
        /** When it ended, by the monotonic clock; meaningless while it runs. Guarded by the monitor. */
        private long endedNanos;

        Replacement(AdminClient client, String node, String by, NodeReplacement.Count first, Pauses pace) {
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
     * Begins a replacement, or joins the same one if it is running. Blocks, since it asks this node.
     *
     * @param within the client for the checks, limited to the time of the request
     * @throws OperationException when the request is wrong, is refused, or another replacement is running
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
                        OperationException.Kind.BUSY, "node " + view.node() + " is being replaced; one at a time");
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

    /** Removes results that are too old, and the oldest ones beyond the bound. Guarded by the monitor. */
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

    /** The progress or the result of the replacement of a node; empty if this node knows none. */
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
            throw new AdminException(Kind.FAILED, "the node stops; repeat the request to continue");
        }
        Pauses.sleep(millis);
    }

    /** A replacement under way ends at its next step; see {@link #awaitEnd}. */
    @Override
    public synchronized void close() {
        isClosed = true;
        thread.shutdown();
    }

    /** Waits that long for the replacement, then ends the rest of its balancers and interrupts it. */
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
