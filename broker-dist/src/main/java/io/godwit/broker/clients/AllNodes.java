package io.godwit.broker.clients;

import io.godwit.api.port.NotServingException;
import io.godwit.broker.clients.node.NodeClients;
import io.godwit.broker.clients.remote.PeerClients;
import io.godwit.common.failure.Failures;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks all nodes a question of an operator at once, with one deadline. The number of questions at a time is bounded,
 * since a question for a page holds one page per node in memory. Questions about a single client have a bound of their
 * own, so that slow pages do not keep operators from disconnecting a client.
 */
final class AllNodes {
    private static final Logger LOG = LoggerFactory.getLogger(AllNodes.class);
    static final int MAX_QUESTIONS = 4;
    static final int MAX_SINGLE_QUESTIONS = 32;
    /** A recurring failure is logged once in this time. */
    static final Duration TELLING_PERIOD = Duration.ofMinutes(1);

    private final ClusterNodes nodes;
    private final NodeClients own;
    private final Executor thread;
    /** Questions for pages under way. Atomic: they begin and end on any thread. */
    private final AtomicInteger pages = new AtomicInteger();
    /** Questions about one client under way. Atomic, too. */
    private final AtomicInteger singles = new AtomicInteger();
    /** When the next fault of a node may be logged. Atomic: set on any thread. */
    private final AtomicLong nextTellingNanos;

    private final LongSupplier nanoTime;

    /**
     * The answers of the nodes.
     *
     * @param answers by store id, in its order
     * @param missing by store id, the reasons why nodes did not answer in time or not validly
     */
    record Answers<T>(Map<String, T> answers, Map<String, String> missing) {}

    /** @param thread decodes answers of other nodes and completes the futures of {@link #ask} */
    AllNodes(ClusterNodes nodes, NodeClients own, Executor thread) {
        this(nodes, own, thread, System::nanoTime);
    }

    /** @param nanoTime the monotonic clock */
    AllNodes(ClusterNodes nodes, NodeClients own, Executor thread, LongSupplier nanoTime) {
        this.nodes = nodes;
        this.own = own;
        this.thread = thread;
        this.nanoTime = nanoTime;
        nextTellingNanos = new AtomicLong(nanoTime.getAsLong());
    }

    String self() {
        return nodes.self();
    }

    /**
     * Completes when all nodes have answered or {@code within} is over. Fails with {@link NotServingException} when too
     * many questions are under way or the node stops, and otherwise with the fault.
     */
    <T> CompletableFuture<Answers<T>> ask(Duration within, Function<NodeClients, CompletableFuture<T>> question) {
        return ask(pages, MAX_QUESTIONS, within, question);
    }

    /** As {@link #ask}, for questions about one client, whose answers are small. */
    <T> CompletableFuture<Answers<T>> askAboutOne(
            Duration within, Function<NodeClients, CompletableFuture<T>> question) {
        return ask(singles, MAX_SINGLE_QUESTIONS, within, question);
    }

    private <T> CompletableFuture<Answers<T>> ask(
            AtomicInteger underWay, int most, Duration within, Function<NodeClients, CompletableFuture<T>> question) {
        if (underWay.incrementAndGet() > most) {
            underWay.decrementAndGet();
            return CompletableFuture.failedFuture(new NotServingException(
                    "this node asks " + most + " questions about clients already; ask again later"));
        }
        Map<String, CompletableFuture<T>> asked = new TreeMap<>();
        asked.put(nodes.self(), begin(own, question, within));
        for (String node : new TreeSet<>(nodes.others())) {
            Channel channel = node.equals(nodes.self()) ? null : nodes.to(node);
            asked.putIfAbsent(
                    node,
                    channel == null
                            ? CompletableFuture.failedFuture(Status.UNAVAILABLE
                                    .withDescription("not connected")
                                    .asRuntimeException())
                            : begin(new PeerClients(channel, thread), question, within));
        }
        return CompletableFuture.allOf(asked.values().toArray(CompletableFuture<?>[]::new))
                .handle((all, failure) -> asked)
                .whenComplete((all, failure) -> underWay.decrementAndGet())
                .thenApplyAsync(this::collected, thread)
                .exceptionally(failure -> {
                    throw new CompletionException(reasonOf(failure));
                });
    }

    /** The thread rejects tasks when the node stops. Any other failure is a fault, for the caller to report. */
    private static Throwable reasonOf(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        return cause instanceof RejectedExecutionException ? new NotServingException("this node is stopping") : cause;
    }

    private static <T> CompletableFuture<T> begin(
            NodeClients node, Function<NodeClients, CompletableFuture<T>> question, Duration within) {
        try {
            return question.apply(node).copy().orTimeout(within.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RuntimeException e) { // a question that throws must not count as under way forever
            return CompletableFuture.failedFuture(e);
        }
    }

    private <T> Answers<T> collected(Map<String, CompletableFuture<T>> asked) {
        Map<String, T> answers = new TreeMap<>();
        Map<String, String> missing = new TreeMap<>();
        asked.forEach((node, answer) -> {
            try {
                answers.put(node, answer.join()); // does not block: all answers are complete
            } catch (CompletionException | CancellationException e) {
                Throwable cause = Failures.cause(e);
                tell(node, cause);
                missing.put(node, String.valueOf(cause));
            }
        });
        return new Answers<>(answers, missing);
    }

    private void tell(String node, Throwable cause) {
        if (isToBeExpected(cause)) {
            LOG.debug("no answer about clients node={} cause={}", node, String.valueOf(cause));
            return;
        }
        long now = nanoTime.getAsLong();
        long due = nextTellingNanos.get();
        if (now - due >= 0 && nextTellingNanos.compareAndSet(due, now + TELLING_PERIOD.toNanos())) {
            LOG.warn("a node gave an invalid answer about clients, or failed node={}", node, cause);
        }
    }

    /** Failures of nodes that start, stop, are slow or busy, or run another release. */
    private static boolean isToBeExpected(Throwable cause) {
        if (cause instanceof TimeoutException
                || cause instanceof RejectedExecutionException
                || cause instanceof CancellationException) {
            return true;
        }
        if (!(cause instanceof StatusRuntimeException failed)) {
            return false;
        }
        return switch (failed.getStatus().getCode()) {
            case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, RESOURCE_EXHAUSTED, UNIMPLEMENTED, FAILED_PRECONDITION ->
                true;
            default -> false;
        };
    }
}
