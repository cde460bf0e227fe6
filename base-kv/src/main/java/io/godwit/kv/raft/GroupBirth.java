package io.godwit.kv.raft;

import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import com.alipay.sofa.jraft.storage.snapshot.local.LocalSnapshotStorage;
import io.godwit.kv.disk.DurableFiles;
import io.godwit.kv.raft.log.SharedRaftLog;
import io.godwit.kv.raft.snapshot.SnapshotSeal;
import io.godwit.kv.raft.wire.PeerIds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Creates a group whose first state does not come from its log, but from another group or a backup. Its replicas on all
 * members begin with a snapshot of that state at index {@link #INDEX} of term {@link #TERM} and an empty log after it.
 * So an empty replica is always sent that snapshot or a later one, and never a log without its base.
 *
 * <p>Crash points, in order. The caller repeats all steps until the group is registered, and starts it only then:
 *
 * <ol>
 *   <li>the directory of snapshots is emptied: nothing exists yet
 *   <li>the snapshot is written to JRaft's {@code temp}, then renamed
 *   <li>the log's first index and the term are written to the shared log
 * </ol>
 */
public final class GroupBirth {
    /** Index of the state that the group begins with; its first log entry has the next index. */
    public static final long INDEX = 1;

    private static final long TERM = 1;

    private GroupBirth() {}

    /** Writes the files of the first state into a directory. */
    @FunctionalInterface
    public interface Content {
        /**
         * Writes the files.
         *
         * @param snapshot an existing directory
         * @return the names of the files in it
         */
        List<String> writeTo(Path snapshot) throws IOException;
    }

    /**
     * Creates {@code groupId}, which must not be running here. Blocks.
     *
     * @param snapshots directory of the group's snapshots, which is emptied first
     */
    public static void write(
            SharedRaftLog log, String groupId, Path snapshots, RaftGroup.Membership members, Content content)
            throws IOException {
        DurableFiles.deleteTree(snapshots);
        DurableFiles.createDirectories(snapshots);
        LocalSnapshotStorage storage = new LocalSnapshotStorage(snapshots.toString(), null, new RaftOptions());
        if (!storage.init(null)) {
            throw new IOException("snapshots of " + groupId + " in " + snapshots + ": directory cannot be used");
        }
        try (SnapshotWriter writer = storage.create()) {
            if (writer == null) {
                throw new IOException("snapshot of " + groupId + " in " + snapshots + " cannot be written");
            }
            SnapshotMeta.Builder meta =
                    SnapshotMeta.newBuilder().setLastIncludedIndex(INDEX).setLastIncludedTerm(TERM);
            members.voters().forEach(voter -> meta.addPeers(PeerIds.peer(voter).toString()));
            members.learners()
                    .forEach(learner -> meta.addLearners(PeerIds.peer(learner).toString()));
            SnapshotMeta notes = meta.build();
            content.writeTo(Path.of(writer.getPath())).forEach(writer::addFile);
            SnapshotSeal.add(writer, notes);
            if (!writer.saveMeta(notes)) {
                throw new IOException("snapshot of " + groupId + " in " + snapshots + ": " + writer.getErrorMsg());
            }
        }
        if (!Files.isDirectory(snapshots.resolve("snapshot_" + INDEX))) {
            throw new IOException("snapshot of " + groupId + " in " + snapshots + " was not completed");
        }
        DurableFiles.syncDirectory(snapshots);
        storage.shutdown();
        log.begin(groupId, INDEX + 1, TERM);
    }

    /**
     * The voters of a group that is not running: those of the last configuration in its log, otherwise those of its
     * snapshot.
     *
     * @return empty if neither has any
     */
    public static List<String> votersOf(SharedRaftLog log, String groupId, Path snapshots) {
        List<String> voters = log.votersIn(groupId);
        return voters.isEmpty() ? SnapshotSeal.votersIn(snapshots) : voters;
    }
}
