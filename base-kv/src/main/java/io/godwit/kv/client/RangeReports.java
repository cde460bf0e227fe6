package io.godwit.kv.client;

import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.LeadershipEndCause;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Counts and reports what happens to the ranges of a node: elections, splits, merges, changes of replicas, faults. None
 * of them happens for a single mutation. Thread-safe; never blocks.
 */
public final class RangeReports {
    private final EventListener events;
    /** By store. Not changed after the constructor. */
    private final Map<String, Counters> counters = new HashMap<>();

    private record Counters(
            Counter begun, Counter ended, Counter splits, Counter merges, Counter replicas, Counter faults) {
        static Counters of(String store, MeterRegistry meters) {
            return new Counters(
                    counter("leaderships", "times that a replica of this node began to lead its range", store, meters),
                    counter("leaderships.ended", "times that it ceased to lead", store, meters),
                    counter("splits", "ranges split while this node led them", store, meters),
                    counter("merges", "ranges merged while this node led them", store, meters),
                    counter("replicas.changed", "changes of replicas of ranges that this node led", store, meters),
                    counter("replica.faults", "replicas of this node that stopped after a fault", store, meters));
        }

        private static Counter counter(String name, String description, String store, MeterRegistry meters) {
            return Counter.builder("godwit.kv." + name)
                    .description(description)
                    .tag("store", store)
                    .register(meters);
        }
    }

    /** @param stores whose ranges are counted; the counters exist from the beginning, at 0 */
    public RangeReports(EventListener events, MeterRegistry meters, List<String> stores) {
        this.events = events;
        stores.forEach(store -> counters.put(store, Counters.of(store, meters)));
    }

    /** For a node without a listener and without meters. */
    public static RangeReports none() {
        return new RangeReports(EventListener.NONE, new CompositeMeterRegistry(), List.of());
    }

    /** A replica of this node was elected. */
    public void leads(String store, long rangeId, long epoch, long term) {
        count(store, Counters::begun);
        if (events.isListening(BrokerEvent.RangeLeadershipBegan.class)) {
            events.onEvent(new BrokerEvent.RangeLeadershipBegan(store, rangeId, epoch, term));
        }
    }

    /** It no longer leads. */
    public void leadsNoMore(String store, long rangeId, long term, LeadershipEndCause cause) {
        count(store, Counters::ended);
        if (events.isListening(BrokerEvent.RangeLeadershipEnded.class)) {
            events.onEvent(new BrokerEvent.RangeLeadershipEnded(store, rangeId, term, cause));
        }
    }

    /** @param epoch of both parts */
    public void split(String store, long rangeId, long newRangeId, long epoch) {
        count(store, Counters::splits);
        if (events.isListening(BrokerEvent.RangeSplit.class)) {
            events.onEvent(new BrokerEvent.RangeSplit(store, rangeId, newRangeId, epoch));
        }
    }

    /** @param mergedRangeId of the right neighbour, whose keys now belong to {@code rangeId} */
    public void merged(String store, long rangeId, long mergedRangeId, long epoch) {
        count(store, Counters::merges);
        if (events.isListening(BrokerEvent.RangesMerged.class)) {
            events.onEvent(new BrokerEvent.RangesMerged(store, rangeId, mergedRangeId, epoch));
        }
    }

    /** The range has these members now. */
    public void replicasChanged(String store, long rangeId, long epoch, List<String> voters, List<String> learners) {
        count(store, Counters::replicas);
        if (events.isListening(BrokerEvent.RangeReplicasChanged.class)) {
            events.onEvent(new BrokerEvent.RangeReplicasChanged(store, rangeId, epoch, voters, learners));
        }
    }

    /** A replica of this node stopped after a fault, or could not be opened. */
    public void stopped(String store, long rangeId, String cause) {
        count(store, Counters::faults);
        if (events.isListening(BrokerEvent.ReplicaStopped.class)) {
            events.onEvent(new BrokerEvent.ReplicaStopped(store, rangeId, cause));
        }
    }

    /** A store that the constructor was not given is not counted. */
    private void count(String store, Function<Counters, Counter> which) {
        Counters counted = counters.get(store);
        if (counted != null) {
            which.apply(counted).increment();
        }
    }
}
