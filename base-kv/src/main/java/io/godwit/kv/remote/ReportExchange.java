package io.godwit.kv.remote;

import io.godwit.cluster.ClusterListener;
import io.godwit.cluster.Departure;
import io.godwit.cluster.Member;
import io.godwit.kv.remote.NodeRpc.Question;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the other nodes what this one has and leads, and learns the same of them: as soon as something changes, when a
 * member joins, when somebody cannot find a leader, and every other second. A report holds all a node has, so one that
 * is lost is made up for by the next.
 *
 * <p>Works on I/O threads. A lock keeps what came from one node in order.
 */
public final class ReportExchange implements ClusterListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReportExchange.class);
    private static final long EVERY_MILLIS = 2_000;
    /** Changes come in flocks: elections of many groups, the steps of a split. */
    private static final long GATHER_MILLIS = 2;

    private static final long TIMEOUT_MILLIS = 5_000;

    private final String self;
    private final NodeRpc rpc;
    private final LongFunction<NodeReport> own;
    private final Predicate<Member> isOurs;
    private final Predicate<NodeReport> admission;
    private final ScheduledExecutorService timers;
    private final Executor io;
    private final AtomicLong revision = new AtomicLong();
    private final AtomicBoolean isQueued = new AtomicBoolean();
    private final Set<String> others = ConcurrentHashMap.newKeySet();
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();
    /** Those that were not told of the last change, as an exchange with them was under way. */
    private final Set<String> missed = ConcurrentHashMap.newKeySet();

    private final List<Consumer<NodeReport>> listeners = new CopyOnWriteArrayList<>();
    private final Map<String, NodeReport> reports = new HashMap<>(); // guarded by this
    private final Map<String, RouteTable> tables = new HashMap<>(); // guarded by this
    /** The incarnation that each node had that has left: a report that was under way then may come after that. */
    private final Map<String, Long> departed = new HashMap<>(); // guarded by this

    private volatile boolean closed;

    /**
     * @param own makes this node's report of a revision; on an I/O thread
     * @param isOurs whether a member belongs to this node's cluster
     * @param admission looks at each report first, and says whether it counts; with a lock held, so it does not block
     * @param timers hands tasks on when they are due
     * @param io runs what may block
     */
    public ReportExchange(
            String self,
            NodeRpc rpc,
            LongFunction<NodeReport> own,
            Predicate<Member> isOurs,
            Predicate<NodeReport> admission,
            ScheduledExecutorService timers,
            Executor io) {
        this.self = self;
        this.rpc = rpc;
        this.own = own;
        this.isOurs = isOurs;
        this.admission = admission;
        this.timers = timers;
        this.io = io;
    }

    /** From now on, until it is closed. */
    @SuppressWarnings("FutureReturnValueIgnored") // ends with the timers
    public void start() {
        rpc.on(Question.EXCHANGE, (asker, content) -> {
            told(NodeReports.decode(content));
            return CompletableFuture.completedFuture(NodeReports.encode(own.apply(revision.incrementAndGet())));
        });
        timers.scheduleWithFixedDelay(this::changed, 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** The table that what is told of the store goes into. */
    public synchronized void keep(String store, RouteTable table) {
        tables.put(store, table);
        reports.values().forEach(report -> put(store, table, report));
    }

    private void put(String store, RouteTable table, NodeReport report) {
        table.told(report.storeId(), report.replicas().getOrDefault(store, List.of()));
        if (departed.getOrDefault(report.storeId(), Long.MIN_VALUE) >= report.incarnation()) {
            table.gone(report.storeId());
        }
    }

    /** From now on {@code listener} is given each report of this and other nodes, with a lock held: it hands over. */
    public void onReport(Consumer<NodeReport> listener) {
        listeners.add(listener);
    }

    /** The last of each node, those that are gone included. */
    public synchronized Map<String, NodeReport> reports() {
        return Map.copyOf(reports);
    }

    /**
     * Something is not as it was told: tells it, and asks the others, soon. Any thread; costs next to nothing while it
     * is about to.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // ends with the timers
    public void changed() {
        if (!closed && isQueued.compareAndSet(false, true)) {
            try {
                timers.schedule(() -> io.execute(this::exchange), GATHER_MILLIS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                LOG.debug("nothing is told any more: closing");
            }
        }
    }

    private void exchange() {
        isQueued.set(false);
        try {
            NodeReport report = own.apply(revision.incrementAndGet());
            told(report);
            byte[] content = NodeReports.encode(report);
            others.forEach(other -> exchange(other, content));
        } catch (RuntimeException e) { // the outermost frame; the next report is made anew
            LOG.error("report of this node failed", e);
        }
    }

    private void exchange(String other, byte[] content) {
        if (closed) {
            return;
        }
        if (!underWay.add(other)) {
            missed.add(other); // one at a time, so that a node that does not answer holds up one call, not hundreds
            return;
        }
        rpc.ask(other, Question.EXCHANGE, content, TIMEOUT_MILLIS).whenComplete((answer, failure) -> {
            underWay.remove(other);
            if (missed.remove(other)) {
                changed();
            }
            if (failure != null) {
                LOG.debug("no report from={} cause={}", other, failure.getMessage());
            } else {
                try {
                    told(NodeReports.decode(answer));
                } catch (IOException e) {
                    LOG.warn("report not understood from={} cause={}", other, e.getMessage());
                }
            }
        });
    }

    private synchronized void told(NodeReport report) {
        if (!admission.test(report)) {
            LOG.debug("report refused from={}", report.storeId());
            return;
        }
        @Nullable NodeReport before = reports.get(report.storeId());
        if (before != null && !report.isNewerThan(before)) {
            return;
        }
        reports.put(report.storeId(), report);
        tables.forEach((store, table) -> put(store, table, report));
        listeners.forEach(listener -> listener.accept(report));
    }

    // --- members come and go

    @Override
    public void joined(Member member) {
        if (isOurs.test(member) && !member.nodeId().equals(self)) {
            synchronized (this) {
                departed.remove(member.nodeId());
            }
            others.add(member.nodeId());
            changed();
        }
    }

    /** The node is none of the cluster any more: what it told counts no more, and nothing is told to it. */
    public void forget(String storeId) {
        others.remove(storeId);
        synchronized (this) {
            reports.remove(storeId);
            departed.remove(storeId);
            tables.values().forEach(table -> table.forget(storeId));
        }
    }

    @Override
    public void updated(Member member) {
        joined(member);
    }

    @Override
    public void gone(Member member, Departure departure) {
        others.remove(member.nodeId());
        synchronized (this) {
            departed.put(member.nodeId(), member.incarnation());
            tables.values().forEach(table -> table.gone(member.nodeId()));
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
