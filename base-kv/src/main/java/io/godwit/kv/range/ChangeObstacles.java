package io.godwit.kv.range;

import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.range.change.ChangeOutcome;
import io.godwit.kv.range.change.RangeChanges;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.leader.LeaderRole;
import io.godwit.kv.range.replica.RangeEnvironment;
import io.godwit.kv.range.replica.Replica;
import io.godwit.kv.range.state.RangeState;
import io.godwit.plugin.balance.Key;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What keeps a range from being changed now: another change, the disk, or its keys. Has no state. Any thread. */
final class ChangeObstacles {
    private final Replica replica;
    private final RangeDb db;
    private final RangeCoprocessor coprocessor;
    private final RangeEnvironment environment;
    private final LeaderRole role;
    private final RangeChanges changes;

    ChangeObstacles(
            Replica replica,
            RangeDb db,
            RangeCoprocessor coprocessor,
            RangeEnvironment environment,
            LeaderRole role,
            RangeChanges changes) {
        this.replica = replica;
        this.db = db;
        this.coprocessor = coprocessor;
        this.environment = environment;
        this.role = role;
        this.changes = changes;
    }

    /** See {@link Range#changeUnderWay}. */
    String underWay() {
        String now = changes.underWay();
        if (!now.isEmpty()) {
            return now;
        } else if (!db.state().isSettled()) {
            return "MERGE";
        }
        return role.leading() != null && !areMembersNoted() ? "REPLICAS" : "";
    }

    /** Whether the range's state has the same members as the group. */
    private boolean areMembersNoted() {
        RaftGroup started = replica.group();
        RaftGroup.Membership members = started == null ? null : started.membership();
        return members == null
                || members.voters().isEmpty()
                || members.isSameAs(db.state().members());
    }

    /** Whether changes that make new files are refused: once a change is in the log, it must be carried out. */
    boolean isDiskLow() {
        return !environment.disk().get().takes(false);
    }

    /** See {@link Range#whyNotSplit}. */
    String whyNotSplit(long epoch, byte @Nullable [] key, ChangeOutcome outcome) {
        RangeState now = db.state();
        if (isDiskLow()) {
            return "the disk is nearly full";
        } else if (now.epoch() != epoch) {
            return "the range has epoch " + now.epoch() + " by now, not " + epoch;
        } else if (outcome == ChangeOutcome.BUSY) {
            String underWay = underWay();
            return underWay.isEmpty()
                    ? "this node no longer leads the range, or Raft refused: see the log"
                    : "another change of the range is under way: " + underWay.toLowerCase(Locale.ROOT);
        } else if (key == null) {
            return "the range has no key to split at: it is empty, or all its keys belong together, such as those of "
                    + "one session";
        }
        Key cut = Key.of(coprocessor.splitPoint(key));
        String where =
                cut.equals(Key.of(key)) ? "" : ", which moves to " + cut + ", the first of keys that belong together,";
        return "the key " + Key.of(key) + where + " does not lie after the first key of the range, which is "
                + now.bounds();
    }
}
