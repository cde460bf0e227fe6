package io.godwit.broker.metrics;

import io.godwit.api.port.ApiCounts;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Meters of the HTTP API. A series of requests or problems exists from its first occurrence on; the others, and some
 * that alerts watch, exist from the start. Thread-safe.
 */
public final class ApiMeters implements ApiCounts {
    private static final String PREFIX = "godwit.api.";

    /** Kinds of problems that exist from the start: zero is worth knowing, and a rate needs a first value. */
    private static final String[] WATCHED = {"unauthorized", "forbidden", "too-large", "too-many-requests", "fault"};

    private final MeterRegistry registry;
    private final Map<Answer, Counter> requests = new ConcurrentHashMap<>();
    private final Map<String, Counter> problems = new ConcurrentHashMap<>();
    private final Map<Bound, Counter> limited;
    private final Map<Bound, Counter> refused;
    private final Map<Cause, Counter> closed;
    /** Open connections. Changed where connections begin and end. */
    private final AtomicInteger open = new AtomicInteger();

    private record Answer(String operation, String status) {}

    public ApiMeters(MeterRegistry registry) {
        this.registry = registry;
        limited = byKind(
                EnumSet.allOf(Bound.class),
                "requests.limited",
                "requests refused for their rate: of all callers, of their address, or of their token",
                "bound");
        refused = byKind(
                EnumSet.of(Bound.ALL, Bound.ADDRESS),
                "connections.refused",
                "connections closed as soon as they came, since all or their address had as many as may be",
                "bound");
        closed = byKind(
                EnumSet.allOf(Cause.class),
                "connections.closed",
                "connections closed since something did not come in time, or for a new one",
                "cause");
        Gauge.builder(PREFIX + "connections", open, AtomicInteger::get)
                .description("open connections to the API")
                .register(registry);
        requests(new Answer(NO_OPERATION, statusClass(400)));
        for (String kind : WATCHED) {
            problems(kind);
        }
    }

    private <K extends Enum<K>> Map<K, Counter> byKind(Set<K> kinds, String name, String description, String label) {
        Map<K, Counter> counters = new HashMap<>();
        for (K kind : kinds) {
            Counter counter = Counter.builder(PREFIX + name)
                    .description(description)
                    .tag(label, kind.name().toLowerCase(Locale.ROOT))
                    .register(registry);
            counters.put(kind, counter);
        }
        return Map.copyOf(counters);
    }

    private static <K> void increment(Map<K, Counter> counters, K kind) {
        Counter counter = counters.get(kind);
        if (counter != null) { // null for a bound that has no counter
            counter.increment();
        }
    }

    private Counter requests(Answer answer) {
        return requests.computeIfAbsent(
                answer,
                each -> Counter.builder(PREFIX + "requests")
                        .description(
                                "requests that are over, by the operation of openapi.yaml (none: refused before one "
                                        + "was found) and the class of the status (gone: the caller left before the "
                                        + "answer)")
                        .tag("operation", each.operation())
                        .tag("status", each.status())
                        .register(registry));
    }

    private Counter problems(String kind) {
        return problems.computeIfAbsent(
                kind,
                each -> Counter.builder(PREFIX + "problems")
                        .description("answers that were a problem, by the end of its type")
                        .tag("problem", each)
                        .register(registry));
    }

    private static String statusClass(int status) {
        return status == 0 ? "gone" : status / 100 + "xx";
    }

    @Override
    public void answered(String operation, int status) {
        requests(new Answer(operation, statusClass(status))).increment();
    }

    @Override
    public void problem(String kind) {
        problems(kind).increment();
    }

    @Override
    public void limited(Bound bound) {
        increment(limited, bound);
    }

    @Override
    public void connectionOpened() {
        open.incrementAndGet();
    }

    @Override
    public void connectionEnded() {
        open.decrementAndGet();
    }

    @Override
    public void connectionRefused(Bound bound) {
        increment(refused, bound);
    }

    @Override
    public void connectionClosed(Cause cause) {
        increment(closed, cause);
    }
}
