package io.godwit.kv.balance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.balance.SimCluster.Node;
import io.godwit.kv.balance.policy.VoterCount;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.Merge;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.BalanceAction.Split;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * Carries out what the balance loops of a {@link SimCluster} decide. An action takes some seconds and may fail.
 *
 * <p>Asserted with every action: it leaves a majority of the voters that it can know to be alive.
 */
final class SimActions {
    private static final int MAX_SECONDS = 3;
    /** For so long after a change of the cluster, nodes may act on the state before it. */
    private static final int UNNOTICED_SECONDS = 2 * (SimCluster.MAX_LAG + MAX_SECONDS);

    private final SimCluster cluster;

    SimActions(SimCluster cluster) {
        this.cluster = cluster;
    }

    /** Begins an action that a node has decided on. Completes when it has ended. */
    CompletableFuture<ActionOutcome> execute(Node node, BalanceAction action) {
        cluster.begun.add(action);
        cluster.lastBegunAt = cluster.now;
        cluster.log(node.id + " " + action);
        CompletableFuture<ActionOutcome> answer = new CompletableFuture<>();
        SimRange range = cluster.ranges.get(action.rangeId());
        if (range == null || !range.isLedBy(node.id) || range.epoch != action.epoch() || range.change != null) {
            answer.complete(ActionOutcome.STALE);
            return answer;
        }
        range.change = ActionWatch.changeOf(action);
        Duration lasts = Duration.ofSeconds(1 + cluster.random.nextInt(MAX_SECONDS));
        cluster.timer.after(lasts, () -> {
            ActionOutcome outcome = end(node, action);
            cluster.log(node.id + " " + outcome + " range " + action.rangeId());
            answer.complete(outcome);
        });
        return answer;
    }

    private ActionOutcome end(Node node, BalanceAction action) {
        SimRange range = cluster.ranges.get(action.rangeId());
        if (range == null) {
            return ActionOutcome.STALE;
        }
        if (!node.isAlive || !range.isLedBy(node.id) || range.epoch != action.epoch()) {
            return ActionOutcome.STALE; // the present leader began with no action in progress
        }
        range.change = null;
        if (cluster.random.nextDouble() < cluster.failureShare || !cluster.hasMajority(range, 0)) {
            return ActionOutcome.FAILED;
        }
        ActionOutcome outcome = apply(range, action);
        if (outcome == ActionOutcome.DONE) {
            cluster.done.add(action);
        }
        return outcome;
    }

    private ActionOutcome apply(SimRange range, BalanceAction action) {
        if (action instanceof Split split) {
            return split(range, split);
        }
        if (action instanceof Merge merge) {
            return merge(range, merge);
        }
        if (action instanceof MoveLeader move) {
            SimReplica to = range.replicas.get(move.to());
            if (to == null || !to.isVoter || to.missingBytes > 0 || !range.takesPart(move.to())) {
                return ActionOutcome.REFUSED;
            }
            range.leader = move.to();
            range.measuredSince = cluster.now;
            return ActionOutcome.DONE;
        }
        return change(range, (ChangeReplica) action);
    }

    private ActionOutcome split(SimRange range, Split split) {
        int at = split.key().map(SimCluster::point).orElseGet(() -> middle(range));
        if (at <= range.from || at >= range.to) {
            return ActionOutcome.REFUSED;
        }
        SimRange right = new SimRange(cluster, cluster.newRangeId(), at, range.to, range.epoch + 1);
        range.replicas.forEach((store, replica) -> right.replicas.put(store, replica.copy()));
        right.leader = range.leader;
        cluster.ranges.put(right.id, right);
        range.to = at;
        range.changed();
        range.measuredSince = cluster.now;
        return ActionOutcome.DONE;
    }

    private int middle(SimRange range) {
        long half = range.bytes() / 2;
        long below = 0;
        for (int i = range.from; i < range.to; i++) {
            below += cluster.bytesAt[i];
            if (below >= half) {
                return i + 1;
            }
        }
        return range.from;
    }

    private ActionOutcome merge(SimRange range, Merge merge) {
        SimRange right = cluster.ranges.get(merge.rightId());
        if (right == null || right.epoch != merge.rightEpoch() || right.change != null || right.from != range.to) {
            return ActionOutcome.STALE;
        }
        if (!List.copyOf(new TreeSet<>(range.voters())).equals(List.copyOf(new TreeSet<>(right.voters())))) {
            return ActionOutcome.REFUSED;
        }
        cluster.ranges.remove(right.id);
        range.to = right.to;
        range.epoch = Math.max(range.epoch, right.epoch);
        range.changed();
        range.measuredSince = cluster.now;
        return ActionOutcome.DONE;
    }

    private ActionOutcome change(SimRange range, ChangeReplica change) {
        SimReplica replica = range.replicas.get(change.store());
        switch (change.step()) {
            case ADD_LEARNER -> {
                if (replica != null) {
                    return ActionOutcome.REFUSED;
                }
                range.replicas.put(change.store(), new SimReplica(false, 1 + range.bytes()));
            }
            case PROMOTE -> {
                if (replica == null || replica.isVoter || replica.hasStopped() || replica.missingBytes > 0) {
                    return ActionOutcome.REFUSED;
                }
                replica.isVoter = true;
            }
            case DEMOTE, REMOVE -> {
                if (replica == null || range.isLedBy(change.store())) {
                    return ActionOutcome.REFUSED;
                }
                if (replica.isVoter) {
                    checkLostVoter(range, change);
                }
                if (change.step() == ChangeReplica.Step.REMOVE) {
                    range.replicas.remove(change.store());
                } else {
                    replica.isVoter = false;
                }
            }
        }
        assertThat(cluster.hasMajority(range, SimCluster.SUSPECT_AFTER + UNNOTICED_SECONDS))
                .as(() -> "after " + change + " a majority of " + range.voters() + " is alive; " + cluster.describe())
                .isTrue();
        range.changed();
        return ActionOutcome.DONE;
    }

    /**
     * A voter may be removed only while there is a surplus; a voter on a node that is down only after the grace period.
     */
    private void checkLostVoter(SimRange range, ChangeReplica change) {
        Node node = cluster.node(change.store());
        int voters = range.voters().size();
        SimReplica replica = range.replicas.get(change.store());
        if (replica.hasStopped()) {
            assertThat(cluster.now - replica.stoppedAt)
                    .as(() -> "seconds that the voter of " + change + " has stopped; " + cluster.describe())
                    .isGreaterThanOrEqualTo(SimCluster.GRACE_SECONDS);
            return; // there may be one too few for a while, because it did not vote
        }
        if (!node.isAlive && cluster.now - node.since > UNNOTICED_SECONDS) {
            assertThat(cluster.now - node.since)
                    .as(() -> "seconds that the voter of " + change + " was down; " + cluster.describe())
                    .isGreaterThanOrEqualTo(SimCluster.GRACE_SECONDS);
        }
        if (!node.isDraining() && cluster.now - cluster.wantsChangedAt > UNNOTICED_SECONDS) {
            assertThat(voters)
                    .as(() -> "voters before " + change + "; " + cluster.describe())
                    .isGreaterThan(
                            VoterCount.of(cluster.goal.voters(), lasting()).ceiling());
        }
    }

    private int lasting() {
        return (int) cluster.nodes.values().stream()
                .filter(node -> !node.isDraining())
                .count();
    }
}
