package io.godwit.broker.sys;

import io.godwit.broker.report.EventKind;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The values below {@code $SYS/broker}, from the broker's meters, with mosquitto's names and formats; values that
 * mosquitto does not have are below {@code inbox/}. Counts start with the process. As in mosquitto, stored messages are
 * retained messages plus queued messages; but a message that waits for several sessions counts once per session, since
 * each queue stores it. For some time after a start, until the queues have been walked, the numbers of queued messages
 * and of disconnected sessions are too small. Of large messages stored before the start, only some of each queue are
 * measured. Confined to one thread.
 */
public final class SysValues {
    private static final List<Integer> LOAD_MINUTES = List.of(1, 5, 15);
    private static final double NANOS_PER_MINUTE = 60e9;

    private final MeterRegistry meters;
    private final String version;
    private final LongSupplier nanos;
    private final long startNanos;
    /** Loads per minute, by name. */
    private final Map<String, Double> loads = new LinkedHashMap<>();
    /** The counts at the last update of the loads. */
    private final Map<String, Double> lastCounts = new LinkedHashMap<>();

    private long lastNanos;
    private long mostConnected;

    /** @param nanos a monotonic clock */
    public SysValues(MeterRegistry meters, String version, LongSupplier nanos) {
        this.meters = meters;
        this.version = version;
        this.nanos = nanos;
        this.startNanos = nanos.getAsLong();
        this.lastNanos = startNanos;
    }

    /** All current values, by name below {@code $SYS/broker/}. */
    Map<String, String> next() {
        long now = nanos.getAsLong();
        Map<String, Double> counts = new LinkedHashMap<>();
        counts.put("connections", count("godwit.mqtt.connects"));
        counts.put("sockets", count("godwit.mqtt.sockets.opened"));
        counts.put("messages/received", count("godwit.mqtt.packets.in"));
        counts.put("messages/sent", count("godwit.mqtt.packets.out"));
        counts.put("publish/received", count("godwit.mqtt.publishes.in"));
        counts.put("publish/sent", count("godwit.mqtt.publishes.out"));
        counts.put(
                "publish/dropped",
                count("godwit.mqtt.messages.dropped") + count("godwit.inbox.dropped") + count("godwit.dist.dropped"));
        counts.put("bytes/received", count("godwit.mqtt.received.bytes"));
        counts.put("bytes/sent", count("godwit.mqtt.sent.bytes"));
        long connected = Math.max(0, (long) (count("godwit.mqtt.connects") - count("godwit.mqtt.disconnects")));
        mostConnected = Math.max(mostConnected, connected);

        Map<String, String> values = new LinkedHashMap<>();
        values.put("version", version);
        values.put("uptime", TimeUnit.NANOSECONDS.toSeconds(now - startNanos) + " seconds");
        values.put("clients/connected", whole(connected));
        values.put("clients/active", whole(connected));
        long disconnected = (long) gauge("godwit.inbox.sessions.detached");
        values.put("clients/disconnected", whole(disconnected));
        values.put("clients/inactive", whole(disconnected));
        values.put("clients/total", whole(connected + disconnected));
        values.put("clients/maximum", whole(mostConnected));
        values.put("clients/expired", whole(expiredSessions()));
        values.put("messages/received", whole(of(counts, "messages/received")));
        values.put("messages/sent", whole(of(counts, "messages/sent")));
        values.put("publish/messages/received", whole(of(counts, "publish/received")));
        values.put("publish/messages/sent", whole(of(counts, "publish/sent")));
        values.put("publish/messages/dropped", whole(of(counts, "publish/dropped")));
        values.put("publish/bytes/received", whole(count("godwit.mqtt.received.payload.bytes")));
        values.put("publish/bytes/sent", whole(count("godwit.mqtt.sent.payload.bytes")));
        values.put("bytes/received", whole(of(counts, "bytes/received")));
        values.put("bytes/sent", whole(of(counts, "bytes/sent")));
        values.put("subscriptions/count", whole(gauge("godwit.dist.subscriptions")));
        double retained = gauge("godwit.retain.messages");
        String stored = whole(retained + gauge("godwit.inbox.messages"));
        values.put("retained messages/count", whole(retained));
        values.put("messages/stored", stored);
        values.put("store/messages/count", stored);
        values.put(
                "store/messages/bytes",
                whole(gauge("godwit.retain.payload.bytes") + gauge("godwit.inbox.payload.bytes")));
        values.put("inbox/copies/stored", whole(count("godwit.inbox.copies.stored")));
        values.put("inbox/copies/cancelled", whole(count("godwit.inbox.copies.cancelled")));
        Runtime runtime = Runtime.getRuntime();
        values.put("heap/current", whole(runtime.totalMemory() - runtime.freeMemory()));
        values.put("heap/maximum", whole(runtime.maxMemory()));
        addLoads(values, counts, now);
        return values;
    }

    /** Exponential moving averages per minute over 1, 5 and 15 minutes. */
    private void addLoads(Map<String, String> values, Map<String, Double> counts, long now) {
        double minutes = (now - lastNanos) / NANOS_PER_MINUTE;
        lastNanos = now;
        counts.forEach((name, count) -> {
            double before = lastCounts.getOrDefault(name, 0.0);
            lastCounts.put(name, count);
            for (int span : LOAD_MINUTES) {
                String topic = "load/" + name + '/' + span + "min";
                double load = loads.getOrDefault(topic, 0.0);
                if (minutes > 0) {
                    double weight = Math.exp(-minutes / span);
                    load = load * weight + (count - before) / minutes * (1 - weight);
                    loads.put(topic, load);
                }
                values.put(topic, String.format(Locale.ROOT, "%.2f", load));
            }
        });
    }

    private static double of(Map<String, Double> counts, String name) {
        return counts.getOrDefault(name, 0.0);
    }

    private static String whole(double value) {
        return Long.toString((long) value);
    }

    private static String whole(long value) {
        return Long.toString(value);
    }

    /** The sum over all tags. */
    private double count(String name) {
        return EventKind.count(meters.find(name));
    }

    private double expiredSessions() {
        return EventKind.count(meters.find("godwit.inbox.sessions.ended").tag("cause", "expired"));
    }

    private double gauge(String name) {
        return meters.find(name).gauges().stream().mapToDouble(Gauge::value).sum();
    }
}
