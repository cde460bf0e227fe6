package io.godwit.broker.cluster;

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
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands over the leadership of ranges before a node stops. The others then need not detect that it is gone, and
 * sessions of their clients go on at the new leaders without losses or refusals. Ranges that no other voter can take
 * stay here.
 */
public final class LeadershipHandover {
    private static final Logger LOG = LoggerFactory.getLogger(LeadershipHandover.class);

    private final NodeOperations node;
    private final Deadline deadline;
    private final AtomicInteger handedOver = new AtomicInteger();
    /** Ranges that had no new leader by the deadline. */
    private final Queue<String> late = new ConcurrentLinkedQueue<>();

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
        List<CompletableFuture<Void>> moves = new ArrayList<>();
        for (String name : node.stores()) {
            node.store(name).ifPresent(store -> moves.addAll(handover.moves(store)));
        }
        // each ends by the deadline, and none fails
        CompletableFuture.allOf(moves.toArray(new CompletableFuture<?>[0])).join();
        if (!moves.isEmpty()) {
            LOG.info("leaders handed over ranges={} of={}", handover.handedOver, moves.size());
        }
        if (!handover.late.isEmpty()) {
            ranOut.accept(handover.late.toString());
        }
    }

    /** Moves all ranges at once; consecutive ranges go to different heirs. */
    private List<CompletableFuture<Void>> moves(StoreOperations store) {
        List<CompletableFuture<Void>> moves = new ArrayList<>();
        for (RangeInfo range : store.ranges()) {
            List<String> heirs = new ArrayList<>(range.voters());
            if (range.leader().equals(node.self()) && heirs.remove(node.self()) && !heirs.isEmpty()) {
                Collections.rotate(heirs, moves.size());
                moves.add(move(store, range, new ArrayDeque<>(heirs)));
            }
        }
        return moves;
    }

    /** Moves the range to the first heir that takes it, until another node leads it. */
    private CompletableFuture<Void> move(StoreOperations store, RangeInfo range, Queue<String> heirs) {
        String heir = heirs.poll();
        boolean isLate = deadline.hasPassed(System.nanoTime());
        if (isLate) {
            late.add(store.name() + "/" + range.id());
        }
        if (heir == null || isLate) {
            return CompletableFuture.completedFuture(null);
        }
        return store.carryOut(new MoveLeader(range.id(), range.epoch(), heir, "the node stops"), deadline)
                .thenCompose(result -> {
                    if (result.isDone() || isLedElsewhere(store, range.id())) {
                        handedOver.incrementAndGet();
                        return CompletableFuture.completedFuture(null);
                    }
                    LOG.info(
                            "not handed over store={} range={} to={} cause={}",
                            store.name(),
                            range.id(),
                            heir,
                            result.detail());
                    return move(store, range, heirs);
                });
    }

    /** Another voter than the heir may have been elected, which is as good. */
    private boolean isLedElsewhere(StoreOperations store, long rangeId) {
        String leader = store.leaderOf(rangeId);
        return !leader.isEmpty() && !leader.equals(node.self());
    }
}
