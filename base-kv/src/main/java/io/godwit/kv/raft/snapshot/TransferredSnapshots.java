package io.godwit.kv.raft.snapshot;

import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.option.NodeOptions;
import com.alipay.sofa.jraft.option.SnapshotCopierOptions;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotCopier;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.google.protobuf.Message;
import io.godwit.kv.raft.snapshot.SnapshotMessages.SnapshotName;
import io.godwit.kv.raft.snapshot.SnapshotTransfer.Source;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JRaft's snapshots of one group in local files, which {@link SnapshotTransfer} offers to other nodes and copies from
 * them.
 */
public final class TransferredSnapshots extends LocalSnapshots {
    private static final Logger LOG = LoggerFactory.getLogger(TransferredSnapshots.class);

    private final SnapshotTransfer transfer;
    private final String groupId;

    public TransferredSnapshots(SnapshotTransfer transfer, String groupId, NodeOptions options) {
        super(options);
        this.transfer = transfer;
        this.groupId = groupId;
    }

    /**
     * JRaft empties {@code temp} at a start unless told that a copy will continue with it. Only an unfinished copy
     * continues; an unfinished snapshot of this replica's own state does not.
     */
    @Override
    public boolean init(Void nothing) {
        if (PartialCopy.isIn(temp())) {
            setFilterBeforeCopyRemote();
        }
        return super.init(null);
    }

    @Override
    public @Nullable SnapshotReader open() {
        SnapshotReader reader = super.open();
        return reader == null ? null : new Offered(reader);
    }

    @Override
    public @Nullable SnapshotCopier startToCopyFrom(String uri, SnapshotCopierOptions options) {
        Source source = Source.parse(uri);
        if (source == null) {
            LOG.warn("snapshot not taken in: unknown address group={} uri={}", groupId, uri);
            return null;
        }
        SnapshotCopy copy = new SnapshotCopy(transfer, source, this, options.getRaftOptions());
        copy.start();
        return copy;
    }

    @Override
    public @Nullable SnapshotReader copyFrom(String uri, SnapshotCopierOptions options) {
        throw new UnsupportedOperationException("JRaft starts a copy and waits for it by itself");
    }

    /** Offered to other nodes from JRaft's request for its address until it is closed. */
    private final class Offered extends SnapshotReader {
        private final SnapshotReader files;
        private @Nullable SnapshotName offered;

        Offered(SnapshotReader files) {
            this.files = files;
        }

        @Override
        public @Nullable String generateURIForCopy() {
            SnapshotMeta meta = files.load();
            if (meta == null) {
                return null;
            }
            SnapshotName name = new SnapshotName(groupId, meta.getLastIncludedIndex());
            if (offered == null) {
                offered = name;
                transfer.files().offer(name, Path.of(getPath()), listFiles());
            }
            return transfer.here(name).uri();
        }

        @Override
        public void close() throws IOException {
            SnapshotName name = offered;
            if (name != null) {
                offered = null;
                transfer.files().withdraw(name);
            }
            files.close();
        }

        @Override
        public SnapshotMeta load() {
            return files.load();
        }

        @Override
        public String getPath() {
            return files.getPath();
        }

        @Override
        public Set<String> listFiles() {
            return files.listFiles();
        }

        @Override
        public Message getFileMeta(String fileName) {
            return files.getFileMeta(fileName);
        }

        @Override
        public boolean init(Void nothing) {
            return true; // initialised when it was opened
        }

        @Override
        public void shutdown() {
            files.shutdown();
        }
    }
}
