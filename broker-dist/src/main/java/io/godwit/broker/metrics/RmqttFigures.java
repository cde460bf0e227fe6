package io.godwit.broker.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * This node's figures under RMQTT's names, from the broker's meters. A figure is left out if one of its meters is
 * missing, as those of stored sessions are when they are not counted. The largest values are those seen by {@link
 * #look}, which must be called once a second, and by each question. Thread-safe.
 */
final class RmqttFigures {
    private static final String CONNECTS = "godwit.mqtt.connects";
    private static final String DISCONNECTS = "godwit.mqtt.disconnects";
    private static final String REFUSED_CONNECTS = "godwit.mqtt.connects.refused";
    private static final String SOCKETS = "godwit.mqtt.sockets";
    private static final String HANDSHAKES_RATE = "handshakings_rate";
    private static final double RATE_DIGITS = 100;
    /** A rate over a shorter time would be random. */
    private static final long MIN_RATE_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

    /**
     * A figure as a sum of meters.
     *
     * @param minus subtracted from the sum
     */
    private record Sum(List<String> plus, List<String> minus) {
        static Sum of(String... plus) {
            return new Sum(List.of(plus), List.of());
        }

        Sum minus(String... meters) {
            return new Sum(plus, List.of(meters));
        }

        Stream<String> meters() {
            return Stream.concat(plus.stream(), minus.stream());
        }
    }

    private static final Map<String, Sum> STATS = stats();
    private static final Map<String, Sum> METRICS = metrics();
    private static final Set<String> STATS_METERS = meters(STATS, CONNECTS, REFUSED_CONNECTS);
    private static final Set<String> METRICS_METERS = meters(METRICS);

    private final MeterRegistry registry;
    private final LongSupplier nanoTime;

    // guarded by this
    private final Map<String, Number> most = new HashMap<>();
    private double handshakesBefore;
    private long rateNanos;
    private double handshakesPerSecond;

    /** @param nanoTime the monotonic clock */
    RmqttFigures(MeterRegistry registry, LongSupplier nanoTime) {
        this.registry = registry;
        this.nanoTime = nanoTime;
        this.rateNanos = nanoTime.getAsLong();
    }

    private static Map<String, Sum> stats() {
        Map<String, Sum> stats = new LinkedHashMap<>();
        stats.put("connections", Sum.of(CONNECTS).minus(DISCONNECTS));
        stats.put("handshakings", Sum.of(SOCKETS, DISCONNECTS).minus(CONNECTS));
        stats.put("sessions", Sum.of(CONNECTS, "godwit.inbox.sessions.detached").minus(DISCONNECTS));
        stats.put("topics", Sum.of("godwit.dist.filters"));
        stats.put("routes", Sum.of("godwit.dist.subscriptions", "godwit.dist.filters.of.nodes"));
        stats.put("subscriptions", Sum.of("godwit.dist.subscriptions"));
        stats.put("subscriptions_stored", Sum.of("godwit.dist.subscriptions{sessions=stored}"));
        stats.put("subscriptions_shared", Sum.of("godwit.dist.subscriptions.shared"));
        stats.put("subscriptions_shared_stored", Sum.of("godwit.dist.subscriptions.shared{sessions=stored}"));
        stats.put("retained", Sum.of("godwit.retain.messages"));
        stats.put("inflights", Sum.of("godwit.mqtt.inflight{direction=out}"));
        stats.put("out_inflights", Sum.of("godwit.mqtt.inflight{direction=out}"));
        stats.put("in_inflights", Sum.of("godwit.mqtt.inflight{direction=in}"));
        stats.put("message_queues", Sum.of("godwit.mqtt.queued", "godwit.inbox.messages"));
        return stats;
    }

    private static Map<String, Sum> metrics() {
        String received = "godwit.mqtt.publishes.in";
        String delivered = "godwit.mqtt.publishes.out";
        String retained = "godwit.mqtt.publishes.out.retained";
        String own = "godwit.dist.published.own";
        String wills = "godwit.inbox.wills.published";
        String unmatched = "godwit.dist.no.match";
        String ownUnmatched = "godwit.dist.no.match.own";
        Map<String, Sum> metrics = new LinkedHashMap<>();
        metrics.put("messages.publish", Sum.of(received, own, wills));
        metrics.put("messages.publish.custom", Sum.of(received));
        metrics.put("messages.publish.system", Sum.of(own));
        metrics.put("messages.publish.lastwill", Sum.of(wills));
        metrics.put("messages.delivered", Sum.of(delivered));
        metrics.put("messages.delivered.custom", Sum.of(delivered).minus(retained));
        metrics.put("messages.delivered.retain", Sum.of(retained));
        metrics.put("messages.acked", Sum.of("godwit.mqtt.acknowledged"));
        metrics.put(
                "messages.dropped",
                Sum.of("godwit.mqtt.messages.dropped", "godwit.inbox.dropped", "godwit.dist.dropped"));
        metrics.put("messages.nonsubscribed", Sum.of(unmatched));
        metrics.put("messages.nonsubscribed.custom", Sum.of(unmatched).minus(ownUnmatched));
        metrics.put("messages.nonsubscribed.system", Sum.of(ownUnmatched));
        metrics.put("client.connect", Sum.of("godwit.mqtt.connects.in"));
        metrics.put("client.authenticate", Sum.of("godwit.mqtt.authentications"));
        metrics.put("client.auth.anonymous", Sum.of("godwit.mqtt.authentications{anonymous=true}"));
        metrics.put("client.handshaking.timeout", Sum.of("godwit.mqtt.connects.timed.out"));
        metrics.put("client.connack", Sum.of(CONNECTS, REFUSED_CONNECTS));
        metrics.put("client.connack.error", Sum.of(REFUSED_CONNECTS));
        metrics.put("client.connack.auth.error", Sum.of("godwit.mqtt.connects.denied"));
        metrics.put("client.connected", Sum.of(CONNECTS));
        metrics.put("client.disconnected", Sum.of(DISCONNECTS));
        metrics.put("client.subscribe", Sum.of("godwit.mqtt.filters.asked"));
        metrics.put("client.subscribe.error", Sum.of("godwit.mqtt.subscribes.refused"));
        metrics.put("client.subscribe.auth.error", Sum.of("godwit.mqtt.subscribes.denied"));
        metrics.put("client.publish.error", Sum.of("godwit.mqtt.publishes.refused"));
        metrics.put("client.publish.auth.error", Sum.of("godwit.mqtt.publishes.denied"));
        metrics.put("session.created", Sum.of(CONNECTS).minus("godwit.mqtt.sessions.resumed"));
        metrics.put("session.resumed", Sum.of("godwit.mqtt.sessions.resumed"));
        metrics.put("session.subscribed", Sum.of("godwit.mqtt.filters.granted"));
        metrics.put("session.unsubscribed", Sum.of("godwit.mqtt.filters.removed"));
        return metrics;
    }

    private static Set<String> meters(Map<String, Sum> figures, String... more) {
        Set<String> names = new HashSet<>(Set.of(more));
        figures.values().stream()
                .flatMap(Sum::meters)
                .map(meter -> meter.contains("{") ? meter.substring(0, meter.indexOf('{')) : meter)
                .forEach(names::add);
        return Set.copyOf(names);
    }

    /** Called every second: updates the largest values. */
    void look() {
        statsNow();
    }

    /** The current values, as {@code name.count}, and the largest so far, as {@code name.max}. */
    synchronized Map<String, Number> statsNow() {
        MeterSums sums = MeterSums.of(registry, STATS_METERS);
        Map<String, Number> figures = new TreeMap<>();
        STATS.forEach((name, sum) -> {
            OptionalDouble value = value(sum, sums);
            if (value.isPresent()) {
                put(figures, name, Math.max(0, (long) value.getAsDouble()));
            }
        });
        put(figures, HANDSHAKES_RATE, rate(sums));
        return figures;
    }

    private void put(Map<String, Number> figures, String name, Number value) {
        Number largest =
                most.merge(name, value, (one, other) -> one.doubleValue() >= other.doubleValue() ? one : other);
        figures.put(name + ".count", value);
        figures.put(name + ".max", largest);
    }

    /** The rate of answered CONNECTs since the last look. */
    private double rate(MeterSums sums) {
        long now = nanoTime.getAsLong();
        if (now - rateNanos >= MIN_RATE_NANOS) {
            double handshakes =
                    sums.get(CONNECTS).orElse(0) + sums.get(REFUSED_CONNECTS).orElse(0);
            handshakesPerSecond = (handshakes - handshakesBefore) * 1e9 / (now - rateNanos);
            handshakesBefore = handshakes;
            rateNanos = now;
        }
        return Math.round(handshakesPerSecond * RATE_DIGITS) / RATE_DIGITS;
    }

    /** The counts since the start. */
    Map<String, Number> metricsNow() {
        MeterSums sums = MeterSums.of(registry, METRICS_METERS);
        Map<String, Number> figures = new TreeMap<>();
        METRICS.forEach((name, sum) -> {
            OptionalDouble value = value(sum, sums);
            if (value.isPresent()) {
                figures.put(name, Math.max(0, (long) value.getAsDouble()));
            }
        });
        return figures;
    }

    /** Empty if one of the meters is missing. */
    private static OptionalDouble value(Sum sum, MeterSums sums) {
        double value = 0;
        for (String meter : sum.plus) {
            OptionalDouble part = sums.get(meter);
            if (part.isEmpty()) {
                return OptionalDouble.empty();
            }
            value += part.getAsDouble();
        }
        for (String meter : sum.minus) {
            OptionalDouble part = sums.get(meter);
            if (part.isEmpty()) {
                return OptionalDouble.empty();
            }
            value -= part.getAsDouble();
        }
        return OptionalDouble.of(value);
    }
}
