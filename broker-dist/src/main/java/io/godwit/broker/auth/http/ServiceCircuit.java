package io.godwit.broker.auth.http;

import io.godwit.broker.plugin.instance.CircuitBreaker;
import io.godwit.broker.plugin.instance.CircuitBreaker.Permit;
import io.godwit.broker.plugin.instance.CircuitBreaker.State;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The circuit breakers of a service: one for all requests, and one for each source whose requests failed lately. A
 * source is that of the client ({@link io.godwit.broker.auth.login.LoginSource}).
 *
 * <p>A failure that no request can cause counts for the circuit of all. Any other failure, such as a late answer,
 * counts for the circuit of its source, which opens by the same rule. Of these only {@link #MOST_OF_SOURCE} in half a
 * minute count for the circuit of all too, so that one source shuts out itself, and five are needed to open the circuit
 * of all. A source whose trial request failed gets no other for a while: it would keep the circuit open.
 *
 * <p>Bounded: a source beyond {@link #MAX_SOURCES} takes the place of the one that failed first. Thread-safe.
 */
final class ServiceCircuit {
    static final int LEAST_FAILURES = 10;
    /** Failures of one source, within half a minute, that count for the circuit of all. */
    static final int MOST_OF_SOURCE = 2;

    static final int MAX_SOURCES = 1_024;
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** Twice the longest pause of a circuit breaker, so that another source gets the next trial. */
    private static final long NO_TRIAL_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final LongSupplier nanoClock;
    private final CircuitBreaker all;
    /** Requests that succeeded, and failures that count. Atomic: requests end on any thread. */
    private final AtomicLong counted = new AtomicLong();
    /** In the order of their first failures. Guarded by this: requests begin and end on any thread. */
    private final Map<Long, Source> sources = new LinkedHashMap<>();
    /** Whether the circuit of a source opened, and the service has answered nobody since. Volatile: any thread. */
    private volatile boolean isInDoubt;

    /** A source whose requests failed. */
    private final class Source {
        private final AtomicLong calls = new AtomicLong();
        private final CircuitBreaker breaker = new CircuitBreaker(nanoClock, LEAST_FAILURES, calls::get, () -> {});
        // guarded by the circuit
        private int failures;
        private long windowBeganNanos = nanoClock.getAsLong();
        private boolean hasFailedTrial;
        private long failedTrialNanos;

        private boolean mayTry() {
            return !hasFailedTrial || nanoClock.getAsLong() - failedTrialNanos > NO_TRIAL_NANOS;
        }

        /** Counts a failure of this source. Returns whether it also counts for the circuit of all. */
        private boolean counts() {
            long now = nanoClock.getAsLong();
            if (now - windowBeganNanos > WINDOW_NANOS) {
                windowBeganNanos = now;
                failures = 0;
            }
            return ++failures <= MOST_OF_SOURCE;
        }
    }

    /** The permission for a request, whose result must be reported once unless it is {@link Permit#NO}. */
    record Asking(long source, Permit ofAll, Permit ofSource) {
        private static Asking refused(long source) {
            return new Asking(source, Permit.NO, Permit.NO);
        }

        boolean isRefused() {
            return ofAll == Permit.NO;
        }
    }

    /** @param onChange called when the circuit of all opens or closes */
    ServiceCircuit(LongSupplier nanoClock, Runnable onChange) {
        this.nanoClock = nanoClock;
        this.all = new CircuitBreaker(nanoClock, LEAST_FAILURES, counted::get, onChange);
    }

    /** Whether the service answers, as far as that is known. */
    boolean isWell() {
        return all.state() == State.CLOSED && !isInDoubt;
    }

    Asking ask(long source) {
        Source known;
        synchronized (this) {
            known = sources.get(source);
            if (known != null && all.state() != State.CLOSED && !known.mayTry()) {
                return Asking.refused(source);
            }
        }
        Permit ofSource = known == null ? Permit.YES : known.breaker.ask();
        if (ofSource == Permit.NO) {
            return Asking.refused(source);
        }
        Permit ofAll = all.ask();
        if (ofAll == Permit.NO && known != null) {
            known.breaker.unused(ofSource);
        }
        return new Asking(source, ofAll, ofSource);
    }

    void succeeded(Asking asking) {
        counted.incrementAndGet();
        all.succeeded(asking.ofAll);
        isInDoubt = false;
        Source source = known(asking.source);
        if (source != null) {
            source.calls.incrementAndGet();
            source.breaker.succeeded(asking.ofSource);
        }
    }

    /** @param mayBeOfRequest whether the request may have caused the failure */
    void failed(Asking asking, boolean mayBeOfRequest) {
        boolean isTrial = asking.ofAll == Permit.TRIAL;
        boolean counts;
        Source source;
        synchronized (this) {
            source = mayBeOfRequest ? failing(asking.source) : sources.get(asking.source);
            counts = source == null || !mayBeOfRequest || source.counts();
            if (source != null && mayBeOfRequest && isTrial) {
                source.hasFailedTrial = true;
                source.failedTrialNanos = nanoClock.getAsLong();
            }
        }
        // a trial of the source must end, whatever its result says about the source
        if (source != null && (mayBeOfRequest || asking.ofSource == Permit.TRIAL)) {
            source.calls.incrementAndGet();
            if (source.breaker.failed(asking.ofSource)) {
                isInDoubt = true;
            }
        }
        if (counts || isTrial) {
            counted.incrementAndGet();
            all.failed(asking.ofAll);
        }
    }

    private synchronized @Nullable Source known(long source) {
        return sources.get(source);
    }

    /** With the lock held. */
    private Source failing(long source) {
        Source known = sources.get(source);
        if (known == null) {
            if (sources.size() >= MAX_SOURCES) {
                sources.remove(sources.keySet().iterator().next());
            }
            known = new Source();
            sources.put(source, known);
        }
        return known;
    }

    synchronized int sources() {
        return sources.size();
    }
}
