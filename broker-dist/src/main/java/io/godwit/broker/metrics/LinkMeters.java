package io.godwit.broker.metrics;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LinkStats;
import io.godwit.cluster.link.contact.PeerLinks;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Meters of the links to other nodes, by lane: sums over the nodes, and the slowest round trip. Thread-safe. */
public final class LinkMeters {
    private static final double NANOS_PER_SECOND = 1e9;

    private final Supplier<? extends Collection<LinkStats>> links;
    private final Lately<Map<Lane, Sums>> sums;
    /** The counts of each link at the last look. Guarded by the lock of {@link #sums}. */
    private Map<LinkKey, LinkStats> before = Map.of();
    /** The totals; guarded likewise. Include nodes that have left the cluster, since a counter must not decrease. */
    private final Map<Lane, Counts> counted = new EnumMap<>(Lane.class);

    private record LinkKey(String nodeId, Lane lane) {}

    /** Values that only grow. */
    private record Counts(long sentFrames, long sentBytes, long resentFrames, long receivedFrames, long receivedBytes) {
        static final Counts NONE = new Counts(0, 0, 0, 0, 0);

        Counts plus(LinkStats now, @Nullable LinkStats before) {
            if (before == null
                    || now.sentFrames() < before.sentFrames()
                    || now.receivedFrames() < before.receivedFrames()) {
                return plus(now, new LinkStats(now.nodeId(), now.lane(), false, false, 0, 0, 0, 0, 0, 0, 0));
            }
            return new Counts(
                    sentFrames + now.sentFrames() - before.sentFrames(),
                    sentBytes + now.sentBytes() - before.sentBytes(),
                    resentFrames + now.resentFrames() - before.resentFrames(),
                    receivedFrames + now.receivedFrames() - before.receivedFrames(),
                    receivedBytes + now.receivedBytes() - before.receivedBytes());
        }
    }

    private record Sums(Counts counts, long waitingBytes, int peers, int connected, long slowestNanos) {
        static final Sums NONE = new Sums(Counts.NONE, 0, 0, 0, 0);

        Sums plus(LinkStats link) {
            return new Sums(
                    counts,
                    waitingBytes + link.unconfirmedBytes(),
                    peers + (link.isLinked() ? 1 : 0),
                    connected + (link.isConnected() ? 1 : 0),
                    link.isConnected() ? Math.max(slowestNanos, link.roundTripNanos()) : slowestNanos);
        }

        Sums with(Counts now) {
            return new Sums(now, waitingBytes, peers, connected, slowestNanos);
        }
    }

    private LinkMeters(Supplier<? extends Collection<LinkStats>> links, LongSupplier nanoTime) {
        this.links = links;
        this.sums = new Lately<>(this::look, nanoTime);
    }

    /** @param links can still be read after they were closed */
    public static void register(MeterRegistry meters, PeerLinks links) {
        register(meters, links::stats, System::nanoTime);
    }

    static void register(MeterRegistry meters, Supplier<List<LinkStats>> links, LongSupplier nanoTime) {
        LinkMeters made = new LinkMeters(links, nanoTime);
        for (Lane lane : Lane.values()) {
            made.register(meters, lane);
        }
    }

    private Map<Lane, Sums> look() {
        Map<Lane, Sums> found = new EnumMap<>(Lane.class);
        Map<LinkKey, LinkStats> now = new HashMap<>();
        for (LinkStats link : links.get()) {
            LinkKey key = new LinkKey(link.nodeId(), link.lane());
            Counts counts = counted.getOrDefault(link.lane(), Counts.NONE);
            counted.put(link.lane(), counts.plus(link, before.get(key)));
            found.put(link.lane(), found.getOrDefault(link.lane(), Sums.NONE).plus(link));
            now.put(key, link);
        }
        before = now;
        for (Lane lane : Lane.values()) {
            found.put(lane, found.getOrDefault(lane, Sums.NONE).with(counted.getOrDefault(lane, Counts.NONE)));
        }
        return found;
    }

    private void register(MeterRegistry meters, Lane lane) {
        String bytes = BaseUnits.BYTES;
        counter(meters, lane, "sent.frames", null, "frames sent to other nodes, again included", Counts::sentFrames);
        counter(meters, lane, "sent", bytes, "bytes of frames sent to other nodes, again included", Counts::sentBytes);
        counter(
                meters,
                lane,
                "resent.frames",
                null,
                "frames sent again after a connection broke",
                Counts::resentFrames);
        counter(meters, lane, "received.frames", null, "frames of other nodes", Counts::receivedFrames);
        counter(meters, lane, "received", bytes, "bytes of frames of other nodes", Counts::receivedBytes);
        gauge(
                meters,
                lane,
                "waiting",
                bytes,
                "bytes of frames to be sent, or in flight: the other node has not confirmed them",
                Sums::waitingBytes);
        gauge(meters, lane, "peers", null, "other nodes there is a link to, connected or not", Sums::peers);
        gauge(meters, lane, "connected", null, "other nodes whose link is connected now", Sums::connected);
        gauge(
                meters,
                lane,
                "round.trip",
                "seconds",
                "from a frame to its confirmation, lately, of the slowest connected link",
                now -> now.slowestNanos / NANOS_PER_SECOND);
    }

    private void counter(
            MeterRegistry meters,
            Lane lane,
            String name,
            @Nullable String unit,
            String description,
            ToDoubleFunction<Counts> value) {
        FunctionCounter.builder("godwit.links." + name, this, self -> value.applyAsDouble(self.of(lane).counts))
                .description(description)
                .baseUnit(unit)
                .tag("lane", lane.name().toLowerCase(Locale.ROOT))
                .register(meters);
    }

    private void gauge(
            MeterRegistry meters,
            Lane lane,
            String name,
            @Nullable String unit,
            String description,
            ToDoubleFunction<Sums> value) {
        Gauge.builder("godwit.links." + name, () -> value.applyAsDouble(of(lane))) // the lambda holds this
                .description(description)
                .baseUnit(unit)
                .tag("lane", lane.name().toLowerCase(Locale.ROOT))
                .register(meters);
    }

    private Sums of(Lane lane) {
        return Objects.requireNonNull(sums.get().get(lane));
    }
}
