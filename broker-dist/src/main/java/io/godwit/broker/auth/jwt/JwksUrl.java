package io.godwit.broker.auth.jwt;

import io.godwit.broker.auth.remote.BoundedHttp;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a URL serves. They are fetched at the start, from time to time, and when a token names one that is not
 * known, though not more often than once in {@link Times#refetch}: else clients would decide how often. A fetch that
 * fails leaves the keys that are there, until they are older than {@link Times#keep}.
 *
 * <p>Thread-safe. Nothing blocks.
 */
final class JwksUrl {
    private static final int MAX_BYTES = 256 * 1_024;

    private final URI url;
    private final BoundedHttp http;
    private final Times times;
    private final LongSupplier nanoClock;
    private final Reports reports;

    /**
     * How long things take.
     *
     * @param timeout of a fetch
     * @param refresh from one fetch to the next
     * @param refetch between two fetches at least
     * @param keep how old keys may become while fetches fail
     */
    record Times(Duration timeout, Duration refresh, Duration refetch, Duration keep) {}

    /** Told of each fetch, on the thread on which it ends. */
    interface Reports {
        void fetched(KeySet keys);

        /** @param detail has nothing of what was fetched */
        void failed(String detail);
    }

    // volatile: written under the lock, read by everybody
    private volatile KeySet keys = KeySet.NONE;
    private volatile long fetchedNanos;
    private volatile boolean hasFetched;
    private volatile String lastFailure = "";

    // guarded by this: threads that see an unknown key, the timer, and those on which fetches end, seldom
    private boolean hasTried;
    private long triedNanos;
    private @Nullable CompletableFuture<KeySet> running;

    JwksUrl(URI url, BoundedHttp http, Times times, LongSupplier nanoClock, Reports reports) {
        this.url = url;
        this.http = http;
        this.times = times;
        this.nanoClock = nanoClock;
        this.reports = reports;
    }

    /** Those that hold now; none before the first fetch, and when they are too old. */
    KeySet keys() {
        return isFresh() ? keys : KeySet.NONE;
    }

    private boolean isFresh() {
        return hasFetched
                && nanoClock.getAsLong() - fetchedNanos <= times.keep().toNanos();
    }

    /** What operators should know; empty when all is well. */
    String problem() {
        String failure = lastFailure;
        if (failure.isEmpty()) {
            return "";
        }
        return failure + (isFresh() ? "; the keys of before hold" : "; there are no keys");
    }

    /** Fetches if it is time; from time to time, on any thread. */
    @SuppressWarnings("FutureReturnValueIgnored") // it never fails, and the reports are told
    void look() {
        long age = nanoClock.getAsLong() - fetchedNanos;
        if (!hasFetched || !lastFailure.isEmpty() || age >= times.refresh().toNanos()) {
            newer();
        }
    }

    /**
     * The keys after a fetch that is under way, or that begins by this; null when it is too early for another one.
     * Yields the keys of before when it fails, and never fails itself.
     */
    @Nullable
    CompletableFuture<KeySet> newer() {
        CompletableFuture<KeySet> begun;
        synchronized (this) {
            if (running != null) {
                return running;
            }
            long now = nanoClock.getAsLong();
            if (hasTried && now - triedNanos < times.refetch().toNanos()) {
                return null;
            }
            hasTried = true;
            triedNanos = now;
            begun = new CompletableFuture<>();
            running = begun;
        }
        HttpRequest request = HttpRequest.newBuilder(url)
                .header("Accept", "application/jwk-set+json, application/json")
                .GET()
                .build();
        http.send(request, times.timeout(), MAX_BYTES).whenComplete((answer, failure) -> {
            try {
                take(answer, failure);
            } finally { // whatever goes wrong, somebody waits
                synchronized (this) {
                    running = null;
                }
                begun.complete(keys());
            }
        });
        return begun;
    }

    private void take(BoundedHttp.@Nullable Answer answer, @Nullable Throwable failure) {
        if (answer == null) {
            Throwable cause = failure == null ? new IllegalStateException("no answer") : BoundedHttp.causeOf(failure);
            failed(cause instanceof TimeoutException ? "no answer in " + times.timeout() : cause.toString());
            return;
        }
        if (answer.status() != 200) {
            failed("the answer has status " + answer.status());
            return;
        }
        try {
            KeySet fetched = KeySet.ofJwks(new String(answer.body(), StandardCharsets.UTF_8), true);
            keys = fetched;
            fetchedNanos = nanoClock.getAsLong();
            hasFetched = true;
            lastFailure = "";
            reports.fetched(fetched);
        } catch (KeySet.JwksException e) {
            failed("the answer " + e.getMessage());
        }
    }

    private void failed(String detail) {
        lastFailure = "keys cannot be fetched from " + url.getHost() + ": " + detail; // a query may hold a secret
        reports.failed(lastFailure);
    }
}
