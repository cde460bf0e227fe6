package io.godwit.api.gateway;

import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.http.Workers;
import io.godwit.api.port.access.LocalCallers;
import io.godwit.api.port.access.LocalCallers.Ends;
import io.godwit.api.port.access.LocalCallers.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Finds out who is at the other end of local connections. One look answers for all connections that wait for it, and
 * looks are at least a moment apart, since each reads a table of all connections of the machine. So another user who
 * keeps connecting neither keeps the machine busy nor delays the answer for other connections.
 *
 * <p>Any thread. The lock guards the waiting questions: the event loop asks, and workers answer.
 */
final class LocalLooks {
    /** The port allows 20 looks a second. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(60);

    /** More than there are connections, unless looks hang. */
    static final int MOST_WAITING = 1_000;

    private final LocalCallers local;
    private final Workers workers;
    private List<Question> waiting = new ArrayList<>();
    /** Whether a look is under way or will begin. */
    private boolean isBusy;

    private long beganNanos = System.nanoTime() - PAUSE_NANOS;

    private record Question(Ends connection, CompletableFuture<Peer> answer) {}

    LocalLooks(LocalCallers local, Workers workers) {
        this.local = local;
        this.workers = workers;
    }

    /**
     * Completes on a worker; fails with a {@link ProblemException} when too many requests wait, or with what the port
     * throws.
     */
    CompletableFuture<Peer> ask(Ends connection) {
        Question question = new Question(connection, new CompletableFuture<>());
        boolean begins;
        synchronized (this) {
            if (waiting.size() >= MOST_WAITING) {
                return CompletableFuture.failedFuture(
                        new ProblemException(Problem.unavailable("too many connections wait to be identified")));
            }
            waiting.add(question);
            begins = !isBusy;
            isBusy = true;
        }
        if (begins) {
            begin();
        }
        return question.answer;
    }

    private void begin() {
        long wait;
        synchronized (this) {
            wait = beganNanos + PAUSE_NANOS - System.nanoTime();
        }
        if (wait <= 0) {
            look();
        } else {
            CompletableFuture.delayedExecutor(wait, TimeUnit.NANOSECONDS, Runnable::run)
                    .execute(this::look);
        }
    }

    private void look() {
        workers.supply(() -> {
                    answer(takeAll());
                    return true;
                })
                .whenComplete((done, failure) -> {
                    if (failure != null) { // no worker takes it
                        takeAll().forEach(question -> question.answer.completeExceptionally(failure));
                    }
                    boolean goesOn;
                    synchronized (this) {
                        goesOn = !waiting.isEmpty();
                        isBusy = goesOn;
                    }
                    if (goesOn) {
                        begin();
                    }
                });
    }

    private synchronized List<Question> takeAll() {
        List<Question> all = waiting;
        waiting = new ArrayList<>();
        beganNanos = System.nanoTime();
        return all;
    }

    private void answer(List<Question> asked) {
        try {
            List<Peer> peers =
                    local.peers(asked.stream().map(Question::connection).toList());
            for (int i = 0; i < asked.size(); i++) {
                asked.get(i).answer.complete(peers.get(i));
            }
        } catch (RuntimeException | Error e) { // outermost frame of the port's work: nobody may wait for ever
            asked.forEach(question -> question.answer.completeExceptionally(e));
        }
    }
}
