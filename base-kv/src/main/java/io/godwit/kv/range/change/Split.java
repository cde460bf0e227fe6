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
 * Cuts a range in two. The left part stays what it was, but for its bounds; the right part becomes a range of its own
 * with the same members. Both have the epoch after that of the whole.
 *
 * <p>On the leader ({@code Range.change}): the leadership is frozen; what was accepted is proposed, applied and
 * answered; {@code RangeCommand.Split} is appended, with nothing else under way. On every replica, on its apply thread,
 * in this order, with what a crash leaves:
 *
 * <ol>
 *   <li>Whether the right part is registered on this node, or was once, is looked up; then nothing of it is made: the
 *       split is being replayed, and the right part has gone on since, or the replica came by a snapshot.
 *   <li>{@code range-(child)} is deleted: a leftover of a crash before the last of these steps.
 *   <li>{@code range-(child)/db}: a checkpoint of the whole, from which the left part is deleted in one batch that says
 *       what the range is; flushed. It is not in the register, so nobody opens it; the split is replayed, since the
 *       left part's database is still that of the whole.
 *   <li>{@code range-(child)/snapshot} with the same, and the group's log ({@link GroupBirth}).
 *   <li>The register: from here on the child exists on this node. Replayed, the split only cuts the left part.
 *   <li>The left part: its state, the deletion of the rest and the applied index in one batch. In memory until a flush,
 *       as everything applied.
 *   <li>The coprocessor is opened again; the child is opened, routed to and started.
 * </ol>
 *
 * <p>Requests for the child's keys that are at the left part by then are forwarded, and what comes to the child by
 * itself waits for them: no mutation overtakes another of its key. The files that both share, by hard links, are given
 * back as either is compacted.
 */
public final class Split {
    private Split() {}

    /**
     * Makes the files of the right part; see above. On the apply thread of {@code parent}; blocks.
     *
     * @param directory of the child, without what is in it
     * @param database within it
     * @param snapshots within it
     * @return its database, open
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
