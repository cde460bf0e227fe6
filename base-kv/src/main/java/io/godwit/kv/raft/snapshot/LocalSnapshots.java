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
 * JRaft's snapshots of one group in local files. Of JRaft it differs in what a snapshot means that cannot be written,
 * as on a full disk: JRaft would stop the group. Nothing is lost with it: the log is whole, and the next snapshot may
 * succeed. So that JRaft learns of it in time, whoever writes a snapshot ends with {@link #complete}, which writes all
 * that JRaft would write later; JRaft finds it written. A snapshot that cannot be <em>read</em> stops the group as
 * ever.
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

    /** Where a snapshot is put together, before it gets its name. */
    final Path temp() {
        return directory.resolve(TEMP);
    }

    /** For a snapshot of this replica's own state. One that cannot be begun is a writer that says so. */
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
     * Writes the notes of a snapshot whose files are all there.
     *
     * @throws IOException if it cannot be begun or completed: the snapshot has failed, and the group goes on
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

    /** Writes its notes once. */
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
