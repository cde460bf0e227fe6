package io.godwit.kv.range.change;

import io.godwit.kv.disk.DurableFiles;
import io.godwit.kv.raft.GroupBirth;
import io.godwit.kv.raft.log.SharedRaftLog;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.data.SnapshotFiles;
import io.godwit.kv.range.state.RangeState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Splits a range in two. The left part stays the same range with new bounds; the right part becomes a range of its own
 * with the same members. Both have the epoch after that of the original range.
 *
 * <p>On the leader ({@code Range.change}): the leadership is frozen; accepted requests are proposed, applied and
 * answered; {@code RangeCommand.Split} is appended while nothing else is in progress. Then on every replica, on its
 * apply thread, in this order, with what a crash leaves:
 *
 * <ol>
 *   <li>If the right part is or was registered on this node, none of the steps for it is done: either the split is
 *       being replayed and the right part has gone on since, or the replica came by a snapshot. If the replica is still
 *       as empty as it was made when the other members called this node, it is made again ({@code Rebirth}).
 *   <li>{@code range-(child)} is deleted: it may be left by a crash before step 5.
 *   <li>{@code range-(child)/db}: a checkpoint of the original range, from which one batch deletes the left part and
 *       sets the state; flushed. It is not in the register, so nobody opens it; after a crash the split is replayed,
 *       because the left part's database is still that of the original range.
 *   <li>{@code range-(child)/snapshot} with the same, and the group's log ({@link GroupBirth}).
 *   <li>The register: from here on the child exists on this node. When replayed, the split only cuts the left part.
 *   <li>The left part: its state, the deletion of the rest and the applied index in one batch; in memory until a flush,
 *       like everything applied.
 *   <li>The coprocessor is told of the new bounds; the child is opened, routed to and started.
 * </ol>
 *
 * <p>Requests for the child's keys that are at the left part by then are forwarded, and direct requests to the child
 * wait for them: no mutation overtakes another of its key. Files that both share by hard links are freed when either
 * range is compacted.
 */
public final class Split {
    private Split() {}

    /**
     * Makes the files of the right part; see above. On the apply thread of {@code parent}; blocks.
     *
     * @param directory directory of the child, which is emptied first
     * @param database path of the database within it
     * @param snapshots path of the snapshots within it
     * @return the open database of the child
     */
    public static RangeDb makeChild(
            RangeDb parent,
            RangeState child,
            String groupId,
            Path directory,
            Path database,
            Path snapshots,
            SharedRaftLog log)
            throws IOException {
        DurableFiles.deleteTree(directory);
        Files.createDirectories(directory);
        RangeDb db = parent.branch(database, child, GroupBirth.INDEX);
        try {
            GroupBirth.write(log, groupId, snapshots, child.members(), snapshot -> {
                Path target = snapshot.resolve(SnapshotFiles.DATABASE);
                db.checkpoint(target);
                return SnapshotFiles.in(target);
            });
            return db;
        } catch (IOException | RuntimeException e) {
            db.close();
            throw e;
        }
    }
}
