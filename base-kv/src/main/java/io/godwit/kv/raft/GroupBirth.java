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
 * Begins a group whose first state comes from elsewhere than its log: out of another group, or out of a backup. Its
 * replicas on all members begin alike, with a snapshot of that state at index {@link #INDEX} of term {@link #TERM} and
 * a log that is empty behind it. So a replica that has nothing is sent that snapshot, or a later one, and never a log
 * without what it stands on.
 *
 * <p>Crash points, in order; whoever begins the group does all of it again until the group is registered, and starts it
 * only then:
 *
 * <ol>
 *   <li>the directory of snapshots, emptied: nothing yet
 *   <li>the snapshot, written to JRaft's {@code temp}, then renamed
 *   <li>the log's first index and the term, in the shared log
 * </ol>
 */
public final class GroupBirth {
    /** Of the state that the group begins with; its first entry has the next. */
    public static final long INDEX = 1;

    private static final long TERM = 1;

    private GroupBirth() {}

    /** Puts the files of the first state into a directory. */
    @FunctionalInterface
    public interface Content {
        /**
         * @param snapshot exists
         * @return the files' names in it
         */
        List<String> writeTo(Path snapshot) throws IOException;
    }

    /**
     * Begins {@code groupId}, which must not be running here. Blocks.
     *
     * @param snapshots directory of the group's snapshots; what is in it is deleted
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
     * The voters of a group that is not running, as its last configuration in the log has them, or else its snapshot.
     *
     * @return empty when neither says
     */
    public static List<String> votersOf(SharedRaftLog log, String groupId, Path snapshots) {
        List<String> voters = log.votersIn(groupId);
        return voters.isEmpty() ? SnapshotSeal.votersIn(snapshots) : voters;
    }
}
