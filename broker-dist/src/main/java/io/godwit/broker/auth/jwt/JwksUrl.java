package io.godwit.broker.auth.jwt;

import io.godwit.broker.auth.remote.BoundedHttp;
import io.godwit.common.failure.Failures;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys behind a URL. They are fetched at the start, periodically, and when a token names an unknown key, but at
 * most once per {@link Times#refetch}: otherwise clients would decide how often. After a failed fetch the old keys stay
 * valid until they are older than {@link Times#keep}.
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
     * The time limits.
     *
     * @param timeout of one fetch
     * @param refresh the interval between regular fetches
     * @param refetch the smallest interval between fetches
     * @param keep how old keys may become while fetches fail
     */
    record Times(Duration timeout, Duration refresh, Duration refetch, Duration keep) {}

    /** Receives the result of each fetch, on the thread on which it ends. */
    interface Reports {
        void fetched(KeySet keys);

        /** @param detail contains no part of the answer */
        void failed(String detail);
    }

    // volatile: written under the lock, read by any thread
    private volatile KeySet keys = KeySet.NONE;
    private volatile long fetchedNanos;
    private volatile boolean hasFetched;
    private volatile String lastFailure = "";

    // guarded by this: threads that see an unknown key, the timer and the ends of fetches rarely contend
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

    /** The valid keys; none before the first fetch, and when they are too old. */
    KeySet keys() {
        return isFresh() ? keys : KeySet.NONE;
    }

    private boolean isFresh() {
        return hasFetched
                && nanoClock.getAsLong() - fetchedNanos <= times.keep().toNanos();
    }

    /** The current problem, for operators; empty if there is none. */
    String problem() {
        String failure = lastFailure;
        if (failure.isEmpty()) {
            return "";
        }
        return failure + (isFresh() ? "; the old keys stay in force" : "; there are no keys");
    }

    /** Fetches if it is due. Called periodically, on any thread. */
    @SuppressWarnings("FutureReturnValueIgnored") // it never fails, and reports receive the result
    void look() {
        long age = nanoClock.getAsLong() - fetchedNanos;
        if (!hasFetched || !lastFailure.isEmpty() || age >= times.refresh().toNanos()) {
            newer();
        }
    }

    /**
     * The keys after the fetch under way, or after one that begins now; null if another fetch is not allowed yet. If
     * the fetch fails, the future has the old keys; it never fails itself.
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
            } finally { // somebody waits for the keys in any case
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
            Throwable cause = failure == null ? new IllegalStateException("no answer") : Failures.cause(failure);
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
