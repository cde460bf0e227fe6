package org.example.balance;

import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.RangeBalancer;
import io.godwit.plugin.balance.RangeBalancerFactory;
import io.godwit.plugin.balance.RangeView;
import io.godwit.plugin.balance.Replica;
import io.godwit.plugin.balance.StoreView;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/** Moves the leaders of ranges into one zone, where most clients are, as long as it has a voter that can lead. */
public final class LeadersInZone implements RangeBalancerFactory {
    @Override
    public String name() {
        return "leaders-in-zone";
    }

    @Override
    public Map<String, String> defaults() {
        return Map.of("zone", "", "settleSeconds", "60");
    }

    @Override
    public RangeBalancer create(Map<String, String> settings) {
        String zone = settings.get("zone");
        if (zone.isEmpty()) {
            throw new IllegalArgumentException("zone: must name the zone that leaders belong in");
        }
        return new Balancer(zone, Duration.ofSeconds(Long.parseLong(settings.get("settleSeconds"))));
    }

    /**
     * @param settle how long a store must be alive before it is given a leader: one that comes and goes would draw
     *     leaders to and fro
     */
    private record Balancer(String zone, Duration settle) implements RangeBalancer {
        @Override
        public Optional<BalanceAction> next(ClusterView view) {
            if (view.store(view.self()).orElseThrow().zone().equals(zone)) {
                return Optional.empty(); // what is led here is where it belongs
            }
            for (RangeView range : view.actionable()) {
                Optional<String> to = range.replicas().stream()
                        .filter(replica -> replica.isVoter() && replica.isCaughtUp())
                        .map(Replica::store)
                        .filter(store -> canLead(view.store(store).orElseThrow()))
                        .min(Comparator.comparingLong((String store) -> ledBy(view, store))
                                .thenComparing(Comparator.naturalOrder()));
                if (to.isPresent()) {
                    return Optional.of(
                            new MoveLeader(range.id(), range.epoch(), to.get(), "leaders belong in zone " + zone));
                }
            }
            return Optional.empty();
        }

        private boolean canLead(StoreView store) {
            return store.zone().equals(zone)
                    && store.isAlive()
                    && !store.isDraining()
                    && store.livenessFor().compareTo(settle) >= 0;
        }

        private static long ledBy(ClusterView view, String store) {
            return view.ranges().stream().filter(range -> range.isLedBy(store)).count();
        }
    }
}
