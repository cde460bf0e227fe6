package io.godwit.kv.simulation;

import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import com.google.protobuf.Message;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What JRaft gives a state machine to load and to save a snapshot. The files of a snapshot never change. */
final class SimSnapshots {
    private SimSnapshots() {}

    private static SnapshotMeta meta(long index, long term) {
        return SnapshotMeta.newBuilder()
                .setLastIncludedIndex(index)
                .setLastIncludedTerm(term)
                .build();
    }

    static final class Reader extends SnapshotReader {
        private final SimDisk disk;

        Reader(SimDisk disk) {
            this.disk = disk;
        }

        @Override
        public SnapshotMeta load() {
            return meta(disk.snapshotIndex, disk.snapshotTerm);
        }

        @Override
        public String getPath() {
            return String.valueOf(disk.snapshot);
        }

        @Override
        public String generateURIForCopy() {
            return "";
        }

        @Override
        public Set<String> listFiles() {
            return Set.of();
        }

        @Override
        public @Nullable Message getFileMeta(String fileName) {
            return null;
        }

        @Override
        public boolean init(Void unused) {
            return true;
        }

        @Override
        public void shutdown() {}

        @Override
        public void close() {}
    }

    static final class Writer extends SnapshotWriter {
        private final Path path;
        private final SnapshotMeta meta;
        private final Set<String> files = new TreeSet<>();

        Writer(Path path, long index, long term) {
            this.path = path;
            this.meta = meta(index, term);
        }

        @Override
        public boolean saveMeta(SnapshotMeta saved) {
            return true;
        }

        @Override
        public boolean addFile(String fileName, Message fileMeta) {
            return files.add(fileName);
        }

        @Override
        public boolean removeFile(String fileName) {
            return files.remove(fileName);
        }

        @Override
        public SnapshotMeta getCurrentMeta() {
            return meta;
        }

        @Override
        public void close(boolean keepDataOnError) throws IOException {}

        @Override
        public String getPath() {
            return path.toString();
        }

        @Override
        public Set<String> listFiles() {
            return files;
        }

        @Override
        public @Nullable Message getFileMeta(String fileName) {
            return null;
        }

        @Override
        public boolean init(Void unused) {
            return true;
        }

        @Override
        public void shutdown() {}

        @Override
        public void close() {}
    }
}
