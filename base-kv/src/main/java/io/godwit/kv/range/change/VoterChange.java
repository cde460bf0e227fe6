package io.godwit.kv.range.change;

import com.alipay.sofa.jraft.Closure;
import io.godwit.kv.raft.RaftGroup;
import java.util.concurrent.CompletableFuture;

/**
 * Changes one member of a range's group, on its leader, one at a time:
 *
 * <ol>
 *   <li>Before anything else the caller asks a store that is to get a replica to make an empty one. If the change
 *       fails, the store removes it when it hears of a later epoch without it.
 *   <li>The Raft group's members are changed by Raft's own rules. Meanwhile no other change of the range is begun, but
 *       requests go on.
 *   <li>{@code RangeCommand.Replicas} is appended with the group's members at that time. When applied, it raises the
 *       epoch on every replica.
 *   <li>The stores hear of the new epoch. A store that has a replica and is not a member removes it.
 * </ol>
 *
 * <p>The leader may die between any two steps. The next leader finds that the group's members differ from those in the
 * state, and does the third step with the group's members. A change from learner to voter or back takes two changes of
 * the group, and in between the store is not a member. If the leader dies there, the store loses its replica, which is
 * copied again, and the range has one member less than wanted, but its majority of voters is not affected.
 */
public final class VoterChange {
    private final RangeChanges changes;

    public VoterChange(RangeChanges changes) {
        this.changes = changes;
    }

    /**
     * Makes a store with an empty replica a learner, which gets all entries. Done when the group has the new member;
     * the copying may go on after that.
     */
    public CompletableFuture<ChangeOutcome> addLearner(long epoch, String storeId) {
        return changes.change(epoch, (group, done) -> group.addLearner(storeId, done));
    }

    /** Makes a learner that has caught up a voter. */
    public CompletableFuture<ChangeOutcome> promote(long epoch, String storeId) {
        return changes.change(epoch, (group, done) -> group.addVoter(storeId, done));
    }

    /** Makes a voter that does not lead a learner. */
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

    /** Removes a learner, or a voter that does not lead. */
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
