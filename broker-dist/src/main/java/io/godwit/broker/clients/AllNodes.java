package io.godwit.broker.clients;

import io.godwit.api.port.NotServingException;
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
 * Puts questions of operators to all nodes at once, each with the same deadline, and no more than some at a time: a
 * question for a page keeps one of each node in memory. Those about one client are counted by themselves, so that slow
 * pages keep nobody from disconnecting it.
 */
final class AllNodes {
    private static final Logger LOG = LoggerFactory.getLogger(AllNodes.class);
    static final int MAX_QUESTIONS = 4;
    static final int MAX_SINGLE_QUESTIONS = 32;
    /** What fails at each question is logged once in this time. */
    static final Duration TELLING_PERIOD = Duration.ofMinutes(1);

    private final ClusterNodes nodes;
    private final NodeClients own;
    private final Executor thread;
    /** Questions for pages under way. Atomic: asked and answered on any thread. */
    private final AtomicInteger pages = new AtomicInteger();
    /** The same about one client each. */
    private final AtomicInteger singles = new AtomicInteger();
    /** When a fault of a node may be logged again. Atomic: told on any thread. */
    private final AtomicLong nextTellingNanos;

    private final LongSupplier nanoTime;

    /**
     * What the nodes have said.
     *
     * @param answers by store id, in its order
     * @param missing store ids of those that did not answer in time, or not what can be, each with the reason
     */
    record Answers<T>(Map<String, T> answers, Map<String, String> missing) {}

    /** @param thread where answers of other nodes are read, and where futures of {@link #ask} complete */
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
     * Completes when all have answered or {@code within} is over; fails with {@link NotServingException}, saying why,
     * when too many questions are under way or the node stops, and with anything else for a fault.
     */
    <T> CompletableFuture<Answers<T>> ask(Duration within, Function<NodeClients, CompletableFuture<T>> question) {
        return ask(pages, MAX_QUESTIONS, within, question);
    }

    /** As {@link #ask}, of questions whose answers are small: about one client. */
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

    /** The thread takes nothing more when the node stops. Anything else is a fault, which whoever asked tells. */
    private static Throwable reasonOf(Throwable failure) {
        Throwable cause = causeOf(failure);
        return cause instanceof RejectedExecutionException ? new NotServingException("this node is stopping") : cause;
    }

    private static Throwable causeOf(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private static <T> CompletableFuture<T> begin(
            NodeClients node, Function<NodeClients, CompletableFuture<T>> question, Duration within) {
        try {
            return question.apply(node).copy().orTimeout(within.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RuntimeException e) { // a question that throws must not count as under way for ever
            return CompletableFuture.failedFuture(e);
        }
    }

    private <T> Answers<T> collected(Map<String, CompletableFuture<T>> asked) {
        Map<String, T> answers = new TreeMap<>();
        Map<String, String> missing = new TreeMap<>();
        asked.forEach((node, answer) -> {
            try {
                answers.put(node, answer.join()); // it is done
            } catch (CompletionException | CancellationException e) {
                Throwable cause = causeOf(e);
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
            LOG.warn("a node answers about clients what cannot be, or fails node={}", node, cause);
        }
    }

    /** Of nodes that come, go, are slow or have much to do, and of ones of another release. */
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
