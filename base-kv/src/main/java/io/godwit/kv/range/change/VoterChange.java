package io.godwit.kv.range.change;

import com.alipay.sofa.jraft.Closure;
import io.godwit.kv.raft.RaftGroup;
import java.util.concurrent.CompletableFuture;

/**
 * Changes one member of a range's group, on its leader, one at a time:
 *
 * <ol>
 *   <li>A store that is to get a replica is asked to make a blank one, by whoever calls this, before anything else.
 *       Left over, it is given up when the store hears of a later epoch without it.
 *   <li>The Raft group's members are changed, by Raft's own rules. No other change of the range is begun meanwhile, but
 *       requests go on.
 *   <li>{@code RangeCommand.Replicas} is appended with the members the group has then. Applied, it raises the epoch, on
 *       every replica.
 *   <li>The stores hear of the new epoch. One that has a replica and is no member gives it up.
 * </ol>
 *
 * <p>The leader may die between any two steps. Whoever leads next finds, when it begins, that the group's members are
 * not those noted, and does the third step with what it finds. From learner to voter and back takes two changes of the
 * group, between which the store is no member: a leader that dies there leaves the store without a replica, to be
 * copied anew, and the range with one member less than was wanted, never with one less than it had voters for its
 * majority.
 */
public final class VoterChange {
    private final RangeChanges changes;

    public VoterChange(RangeChanges changes) {
        this.changes = changes;
    }

    /**
     * Has a store, which has a blank replica, get all entries; done when the group knows of it, while the copying goes
     * on.
     */
    public CompletableFuture<ChangeOutcome> addLearner(long epoch, String storeId) {
        return changes.change(epoch, (group, done) -> group.addLearner(storeId, done));
    }

    /** Makes a learner a voter, when it has caught up. */
    public CompletableFuture<ChangeOutcome> promote(long epoch, String storeId) {
        return changes.change(epoch, (group, done) -> group.addVoter(storeId, done));
    }

    /** Makes a voter, not the leader, a learner. */
    public CompletableFuture<ChangeOutcome> demote(long epoch, String storeId) {
        return changes.change(
                epoch,
                (group, done) -> group.removeVoter(storeId, status -> {
                    if (status.isOk()) {
                        group.addLearner(storeId, done);
                    } else {
                        done.run(status);
                    }
                }));
    }

    /** Gives up a learner, or a voter that does not lead. */
    public CompletableFuture<ChangeOutcome> remove(long epoch, String storeId) {
        return changes.change(epoch, (group, done) -> remove(group, storeId, done));
    }

    private static void remove(RaftGroup group, String storeId, Closure done) {
        if (group.membership().voters().contains(storeId)) {
            group.removeVoter(storeId, done);
        } else {
            group.removeLearner(storeId, done);
        }
    }
}
