package io.godwit.broker.cluster;

import io.godwit.kv.balance.ActionOutcome;
import io.godwit.kv.balance.BalanceControl;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.operate.NodeOperations;
import io.godwit.kv.operate.StoreOperations;
import io.godwit.kv.operate.StoreOperations.RangeInfo;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands over the leadership of ranges before a node stops. The others then need not detect that it is gone, and
 * sessions of their clients go on at the new leaders without losses or refusals. Ranges that no other voter can take
 * stay here.
 *
 * <p>First the balancers of this node rest, so that they begin no change that would be in the way. Then it goes on in
 * rounds: each reads the ranges and moves all that this node leads. The next round takes those that were refused
 * because of another change, and those whose leadership came here meanwhile. It ends when nothing is left that may
 * move, or at the deadline.
 */
public final class LeadershipHandover {
    private static final Logger LOG = LoggerFactory.getLogger(LeadershipHandover.class);
    /** Pause before a range is tried again: a change of its voters takes some tenths of a second. */
    private static final long PAUSE_MILLIS = 50;
    /** A balancer may be foreign code and may block its loop. */
    private static final long MOST_REST_MILLIS = 500;

    private final NodeOperations node;
    private final Deadline deadline;
    private final Set<RangeName> tried = ConcurrentHashMap.newKeySet();
    private final Set<RangeName> handedOver = ConcurrentHashMap.newKeySet();
    /** Ranges that no voter has taken. */
    private final Map<RangeName, Refused> refused = new ConcurrentHashMap<>();
    /** Refusals that are in the log, each once. */
    private final Set<String> logged = ConcurrentHashMap.newKeySet();
    /** Ranges that had no new leader by the deadline. */
    private final Queue<RangeName> late = new ConcurrentLinkedQueue<>();

    /** @param rounds in a row in which it was refused at this epoch */
    private record Refused(long epoch, int rounds) {}

    private record RangeName(String store, long id) {
        @Override
        public String toString() {
            return store + "/" + id;
        }
    }

    private LeadershipHandover(NodeOperations node, Deadline deadline) {
        this.node = node;
        this.deadline = deadline;
    }

    /**
     * Blocks until all ranges that can move have moved, at most for {@code patience}.
     *
     * @param ranOut receives the ranges that were left when {@code patience} was over
     */
    public static void handOver(NodeOperations node, Duration patience, Consumer<String> ranOut) {
        LeadershipHandover handover = new LeadershipHandover(node, Deadline.afterMillis(patience.toMillis()));
        List<StoreOperations> stores = node.stores().stream()
                .flatMap(name -> node.store(name).stream())
                .toList();
        CompletableFuture.allOf(stores.stream().map(LeadershipHandover::rest).toArray(CompletableFuture<?>[]::new))
                .completeOnTimeout(null, MOST_REST_MILLIS, TimeUnit.MILLISECONDS)
                .join();
        handover.run(stores);
        if (!handover.tried.isEmpty()) {
            LOG.info("leaders handed over ranges={} of={}", handover.handedOver.size(), handover.tried.size());
        }
        if (!handover.late.isEmpty()) {
            ranOut.accept(handover.late.toString());
        }
    }

    /** The balancers rest for good. Never fails: a loop that is closed has none that act. */
    private static CompletableFuture<Void> rest(StoreOperations store) {
        BalanceControl balance = store.balance();
        return balance.list()
                .thenCompose(all -> CompletableFuture.allOf(
                        all.stream().map(each -> balance.rest(each.name())).toArray(CompletableFuture<?>[]::new)))
                .exceptionally(closed -> null);
    }

    private void run(List<StoreOperations> stores) {
        boolean isLastRound;
        List<CompletableFuture<Void>> moves;
        do {
            isLastRound = deadline.hasPassed(System.nanoTime());
            moves = new ArrayList<>();
            for (StoreOperations store : stores) {
                moves.addAll(moves(store));
            }
            // each ends by the deadline, and none fails
            CompletableFuture.allOf(moves.toArray(new CompletableFuture<?>[0])).join();
            if (!moves.isEmpty() && !isLastRound) {
                pause();
            }
        } while (!moves.isEmpty() && !isLastRound);
    }

    private static void pause() {
        new CompletableFuture<Void>()
                .completeOnTimeout(null, PAUSE_MILLIS, TimeUnit.MILLISECONDS)
                .join();
    }

    /** Moves all ranges at once; consecutive ranges go to different heirs. */
    private List<CompletableFuture<Void>> moves(StoreOperations store) {
        List<CompletableFuture<Void>> moves = new ArrayList<>();
        for (RangeInfo range : store.ranges()) {
            List<String> heirs = new ArrayList<>(range.voters());
            RangeName name = new RangeName(store.name(), range.id());
            if (range.leader().equals(node.self())
                    && heirs.remove(node.self())
                    && !heirs.isEmpty()
                    && !isLeft(name, range)) {
                Collections.rotate(heirs, moves.size());
                tried.add(name);
                moves.add(move(store, range, new ArrayDeque<>(heirs)));
            }
        }
        return moves;
    }

    /**
     * Whether it was refused twice though nothing was under way: a change that was begun before the balancers rested
     * may be the reason for the first time.
     */
    private boolean isLeft(RangeName name, RangeInfo range) {
        Refused known = refused.get(name);
        return known != null
                && known.epoch() == range.epoch()
                && known.rounds() > 1
                && range.change().isEmpty();
    }

    private void refuse(RangeName name, RangeInfo range) {
        refused.compute(name, (same, known) -> {
            int rounds = known != null && known.epoch() == range.epoch() ? known.rounds() : 0;
            return new Refused(range.epoch(), range.change().isEmpty() ? rounds + 1 : 0);
        });
    }

    /** Moves the range to the first heir that takes it, until another node leads it. */
    private CompletableFuture<Void> move(StoreOperations store, RangeInfo range, Queue<String> heirs) {
        RangeName name = new RangeName(store.name(), range.id());
        String heir = heirs.poll();
        if (deadline.hasPassed(System.nanoTime())) {
            late.add(name);
            return CompletableFuture.completedFuture(null);
        }
        if (heir == null) {
            refuse(name, range);
            return CompletableFuture.completedFuture(null);
        }
        return store.carryOut(new MoveLeader(range.id(), range.epoch(), heir, "the node stops"), deadline)
                .thenCompose(result -> {
                    if (result.isDone() || isLedElsewhere(store, range.id())) {
                        handedOver.add(name);
                        return CompletableFuture.completedFuture(null);
                    }
                    if (logged.add(name + heir + result.detail())) {
                        LOG.info(
                                "not handed over store={} range={} to={} cause={}",
                                store.name(),
                                range.id(),
                                heir,
                                result.detail());
                    }
                    if (result.outcome() == ActionOutcome.STALE) {
                        refuse(name, range);
                        return CompletableFuture.completedFuture(null); // the next round knows its epoch
                    }
                    return move(store, range, heirs);
                });
    }

    /** Another voter than the heir may have been elected, which is as good. */
    private boolean isLedElsewhere(StoreOperations store, long rangeId) {
        String leader = store.leaderOf(rangeId);
        return !leader.isEmpty() && !leader.equals(node.self());
    }
}
