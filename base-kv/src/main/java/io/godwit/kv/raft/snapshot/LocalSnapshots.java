package io.godwit.kv.raft.snapshot;

import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.option.NodeOptions;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import com.alipay.sofa.jraft.storage.snapshot.local.LocalSnapshotStorage;
import com.alipay.sofa.jraft.storage.snapshot.local.LocalSnapshotWriter;
import io.godwit.kv.disk.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * JRaft's snapshots of one group in local files. It differs from JRaft's own storage when a snapshot cannot be written,
 * for example on a full disk: JRaft would stop the group. But nothing is lost: the log is complete, and the next
 * snapshot may succeed. To make JRaft see the failure in time, the writer of a snapshot ends with {@link #complete},
 * which writes everything that JRaft would write later; JRaft then finds it written. A snapshot that cannot be
 * <em>read</em> still stops the group.
 */
public class LocalSnapshots extends LocalSnapshotStorage {
    private static final String TEMP = "temp";

    private final Path directory;
    private final NodeOptions options;

    public LocalSnapshots(NodeOptions options) {
        super(options.getSnapshotUri(), options.getSnapshotTempUri(), options.getRaftOptions());
        this.directory = Path.of(options.getSnapshotUri());
        this.options = options;
    }

    /** Directory in which a snapshot is assembled before it gets its name. */
    final Path temp() {
        return directory.resolve(TEMP);
    }

    /**
     * Creates the writer for a snapshot of this replica's own state. If it cannot be created, the writer is returned
     * with an error.
     */
    @Override
    public SnapshotWriter create() {
        Writer writer = new Writer(temp(), this, options);
        try {
            DurableFiles.deleteTree(temp());
            if (!writer.init(null)) {
                writer.setError(RaftError.EINTERNAL, "%s cannot be made", temp());
            }
        } catch (IOException e) {
            writer.setError(RaftError.EINTERNAL, "%s cannot be emptied: %s", temp(), e);
        }
        return writer;
    }

    /**
     * Writes the metadata of a snapshot whose files are all there.
     *
     * @throws IOException if the snapshot could not be begun or completed: it has failed, and the group goes on
     */
    static void complete(SnapshotWriter writer, SnapshotMeta meta) throws IOException {
        if (!writer.isOk()) {
            throw new IOException("snapshot not begun: " + writer.getErrorMsg());
        }
        writer.saveMeta(meta);
        if (writer instanceof Writer own && !own.sync()) {
            throw new IOException("notes of the snapshot not written in " + writer.getPath());
        }
    }

    /** Writes its metadata only once. */
    private static final class Writer extends LocalSnapshotWriter {
        private @Nullable SnapshotMeta written;
        private @Nullable SnapshotMeta meta;

        Writer(Path directory, LocalSnapshots storage, NodeOptions options) {
            super(directory.toString(), storage, options.getRaftOptions());
        }

        @Override
        public boolean saveMeta(SnapshotMeta changed) {
            meta = changed;
            return super.saveMeta(changed);
        }

        @Override
        public boolean sync() throws IOException {
            SnapshotMeta now = meta;
            if (now != null && now.equals(written)) {
                return true;
            }
            boolean done = super.sync();
            written = done ? now : null;
            return done;
        }
    }
}
