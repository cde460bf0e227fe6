package io.godwit.broker.auth.http;

import io.godwit.broker.auth.remote.BoundedHttp;
import io.godwit.common.failure.Failures;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the service, with a bound of requests under way and circuit breakers ({@link ServiceCircuit}). These count only
 * failures that slow down or affect all requests: no answer in time, no connection, a gateway without a server. A
 * status 500 or an unreadable answer may be caused by one client, and must not lock out the others; nor must late
 * answers to the clients of one source.
 *
 * <p>Thread-safe; calls return at once.
 */
final class Service {
    private static final int MAX_ANSWER_BYTES = 64 * 1_024;

    private final BoundedHttp http;
    private final List<HttpSettings.Header> headers;
    private final Duration timeout;
    private final int maxRequests;
    /** Logins leave a part of the requests to the checks of connected clients. */
    private final int maxOfLogins;

    private final LongSupplier nanoClock;
    private final ServiceCircuit circuit;
    /** Atomic: requests begin and end on any thread. */
    private final AtomicInteger underWay = new AtomicInteger();

    private final Queue<Runnable> logins = new ConcurrentLinkedQueue<>();
    /** Calls of {@link #begin} that no look has covered yet; 0 while no thread looks. */
    private final AtomicInteger looks = new AtomicInteger();

    /** Why there is no verdict. Without a stack trace, since there may be many. */
    static final class NoVerdictException extends Exception {
        private static final long serialVersionUID = 1L;
        /** Whether the service was not asked because too many requests are under way. */
        final boolean isBusy;

        NoVerdictException(String message, boolean isBusy) {
            super(message, null, false, false);
            this.isBusy = isBusy;
        }
    }

    /** @param onChange called when the circuit of all requests opens or closes */
    Service(HttpSettings settings, BoundedHttp http, LongSupplier nanoClock, Runnable onChange) {
        this.http = http;
        this.headers = settings.headers();
        this.timeout = settings.timeout();
        this.maxRequests = settings.maxRequests();
        this.maxOfLogins = maxRequests - maxRequests / 4;
        this.nanoClock = nanoClock;
        this.circuit = new ServiceCircuit(nanoClock, onChange);
    }

    /** Whether it answers, as far as that is known. */
    boolean isWell() {
        return circuit.isWell();
    }

    /**
     * Runs {@code login}, which calls {@link #ask} at most once, as soon as there is room for its request: in this
     * call, or on the thread on which an earlier request ends.
     */
    void whenThereIsRoom(Runnable login) {
        logins.add(login);
        begin();
    }

    /** Runs the logins that there is room for. One thread does so at a time; it looks again for the others. */
    private void begin() {
        if (looks.getAndIncrement() > 0) {
            return;
        }
        int seen = 1;
        do {
            for (Runnable next = nextLogin(); next != null; next = nextLogin()) {
                next.run();
            }
            seen = looks.addAndGet(-seen);
        } while (seen > 0);
    }

    private @Nullable Runnable nextLogin() {
        return underWay.get() < maxOfLogins ? logins.poll() : null;
    }

    /** A request is not sent. */
    private void leave() {
        underWay.decrementAndGet();
        begin();
    }

    /**
     * Asks the service. The future fails with {@link NoVerdictException} if there is no verdict; its message contains
     * no part of the question or the answer.
     *
     * @param source of the client that the question is about
     */
    CompletableFuture<ServiceVerdict> ask(URI url, String question, long source) {
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(question, StandardCharsets.UTF_8));
        headers.forEach(header -> request.setHeader(header.name(), header.value()));
        if (underWay.incrementAndGet() > maxRequests) {
            leave();
            return CompletableFuture.failedFuture(
                    new NoVerdictException(maxRequests + " requests to the service are under way", true));
        }
        ServiceCircuit.Asking asking = circuit.ask(source);
        if (asking.isRefused()) {
            leave();
            return CompletableFuture.failedFuture(
                    new NoVerdictException("the service is not asked for a while: it does not answer", false));
        }
        CompletableFuture<ServiceVerdict> verdict = new CompletableFuture<>();
        send(request.build(), nanoClock.getAsLong(), true).whenComplete((answer, failure) -> {
            underWay.decrementAndGet(); // first: whoever gets the verdict may ask again
            try {
                answered(verdict, asking, answer, failure);
            } finally { // somebody waits for the verdict in any case
                verdict.completeExceptionally(new NoVerdictException("the service cannot be asked", false));
                begin();
            }
        });
        return verdict;
    }

    /** Sends again if a connection that was kept open turns out to be closed: asking twice does no harm. */
    private CompletableFuture<BoundedHttp.Answer> send(HttpRequest request, long beganNanos, boolean mayRepeat) {
        long left = timeout.toNanos() - (nanoClock.getAsLong() - beganNanos);
        if (left <= 0) {
            return CompletableFuture.failedFuture(new TimeoutException());
        }
        return http.send(request, Duration.ofNanos(left), MAX_ANSWER_BYTES)
                .handle((answer, failure) -> {
                    Throwable cause = failure == null ? null : Failures.cause(failure);
                    boolean isRepeated = mayRepeat
                            && cause instanceof IOException
                            && !(cause instanceof ConnectException)
                            && !(cause instanceof HttpTimeoutException);
                    if (isRepeated) {
                        return send(request, beganNanos, false);
                    }
                    CompletableFuture<BoundedHttp.Answer> known = new CompletableFuture<>();
                    if (cause == null) {
                        known.complete(answer);
                    } else {
                        known.completeExceptionally(cause);
                    }
                    return known;
                })
                .thenCompose(next -> next);
    }

    private void answered(
            CompletableFuture<ServiceVerdict> verdict,
            ServiceCircuit.Asking asking,
            BoundedHttp.@Nullable Answer answer,
            @Nullable Throwable failure) {
        if (answer == null) {
            Throwable cause = failure == null ? new IllegalStateException() : Failures.cause(failure);
            // no request can keep the broker from connecting
            boolean isOfAll = cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException;
            circuit.failed(asking, !isOfAll);
            boolean isLate = cause instanceof TimeoutException || cause instanceof HttpTimeoutException;
            verdict.completeExceptionally(new NoVerdictException(
                    isLate
                            ? "the service does not answer in " + timeout.toSeconds() + " s"
                            : "the service cannot be asked: " + cause.getClass().getSimpleName(),
                    false));
            return;
        }
        int status = answer.status();
        if (status >= 502 && status <= 504) {
            circuit.failed(asking, true);
        } else {
            circuit.succeeded(asking);
        }
        if (status == 401 || status == 403) {
            verdict.complete(ServiceVerdict.denied(status));
        } else if (status != 200) {
            verdict.completeExceptionally(new NoVerdictException("the service answers with status " + status, false));
        } else {
            ServiceVerdict.of(answer.body())
                    .ifPresentOrElse(
                            verdict::complete,
                            () -> verdict.completeExceptionally(
                                    new NoVerdictException("the answer of the service is not understood", false)));
        }
    }
}
