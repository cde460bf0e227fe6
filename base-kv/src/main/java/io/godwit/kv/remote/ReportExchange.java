package io.godwit.kv.remote;

import io.godwit.cluster.member.ClusterListener;
import io.godwit.cluster.member.Departure;
import io.godwit.cluster.member.Member;
import io.godwit.kv.wire.NodeAnswer;
import io.godwit.kv.wire.NodeAnswer.OutcomeCase;
import io.godwit.kv.wire.NodeQuestion;
import io.godwit.kv.wire.NodeQuestion.QuestionCase;
import io.godwit.kv.wire.ReportMessage;
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
 * Exchanges reports with the other nodes: as soon as something changes, when a member joins, when a leader cannot be
 * found, and every two seconds. A report is complete, so a lost one is replaced by the next.
 *
 * <p>Works on I/O threads. A lock keeps the reports of each node in order.
 */
public final class ReportExchange implements ClusterListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReportExchange.class);
    private static final long EVERY_MILLIS = 2_000;
    /** Changes come in groups: elections of many groups, the steps of a split. */
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
    /** Nodes that missed the last change, because an exchange with them was in progress. */
    private final Set<String> missed = ConcurrentHashMap.newKeySet();

    private final List<Consumer<NodeReport>> listeners = new CopyOnWriteArrayList<>();
    private final Map<String, NodeReport> reports = new HashMap<>(); // guarded by this
    private final Map<String, RouteTable> tables = new HashMap<>(); // guarded by this
    /** The incarnation of each node that has left: a report that was on its way may arrive later. */
    private final Map<String, Long> departed = new HashMap<>(); // guarded by this

    private volatile boolean closed;

    /**
     * @param own makes a report of this node with the given revision; on an I/O thread
     * @param isOurs whether a member belongs to this node's cluster
     * @param admission checks each report first and decides whether it counts; called with a lock held, so it must not
     *     block
     * @param timers passes tasks on when they are due
     * @param io runs tasks that may block
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

    /** Begins the exchange. */
    @SuppressWarnings("FutureReturnValueIgnored") // ends with the timers
    public void start() {
        rpc.on(QuestionCase.EXCHANGE, question -> {
            told(NodeReports.report(question.getExchange()));
            NodeReport report = own.apply(revision.incrementAndGet());
            return CompletableFuture.completedFuture(NodeAnswer.newBuilder()
                    .setReport(NodeReports.message(report))
                    .build());
        });
        timers.scheduleWithFixedDelay(this::changed, 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Sets the table that gets the reports about a store. */
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

    /** Adds {@code listener}, which gets each report of this and other nodes, with a lock held: it must hand over. */
    public void onReport(Consumer<NodeReport> listener) {
        listeners.add(listener);
    }

    /** The last report of each node, including nodes that are gone. */
    public synchronized Map<String, NodeReport> reports() {
        return Map.copyOf(reports);
    }

    /**
     * Something has changed: exchanges reports with the others soon. Any thread; cheap while an exchange is due anyway.
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
            ReportMessage message = NodeReports.message(report);
            others.forEach(other -> exchange(other, message));
        } catch (RuntimeException e) { // outermost frame; the next report is a new one
            LOG.error("report of this node failed", e);
        }
    }

    private void exchange(String other, ReportMessage message) {
        if (closed) {
            return;
        }
        if (!underWay.add(other)) {
            missed.add(other); // one at a time, so that a silent node holds up only one call
            return;
        }
        NodeQuestion.Builder question = NodeQuestion.newBuilder().setExchange(message);
        rpc.ask(other, question, OutcomeCase.REPORT, TIMEOUT_MILLIS).whenComplete((answer, failure) -> {
            underWay.remove(other);
            if (missed.remove(other)) {
                changed();
            }
            if (failure != null) {
                LOG.debug("no report from={} cause={}", other, failure.getMessage());
            } else {
                try {
                    told(NodeReports.report(answer.getReport()));
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

    // --- changes of members

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

    /** The node no longer belongs to the cluster: its report is dropped, and it gets no more. */
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
