package io.godwit.kv.backup;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.disk.DataDirectory;
import io.godwit.kv.disk.DurableFiles;
import io.godwit.kv.raft.GroupBirth;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.raft.log.SharedRaftLog;
import io.godwit.kv.range.change.Split;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.data.RocksResources;
import io.godwit.kv.range.state.RangeState;
import io.godwit.kv.store.RangeDescriptor;
import io.godwit.kv.store.StoreFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the data directory of the first node of a new cluster from a backup. The node then starts as if it had always
 * had these stores. The cluster gets a new id, so nodes of the old cluster are refused. Steps, in order:
 *
 * <ol>
 *   <li>{@code (data).restoring} is deleted if an earlier restore has left it
 *   <li>a data directory with new ids and an empty log is made in it
 *   <li>for each range: the files of the backup are copied into {@code from}, opened and checked. From them, as for the
 *       right part of a split ({@link Split#makeChild}), database, snapshot and log are made of a group with this node
 *       as its only voter. Its state is after index {@link GroupBirth#INDEX} of its log, so a node that joins later
 *       takes a snapshot. The epoch is raised, because the voters have changed. The register is written last
 *   <li>{@code from} is deleted, the log closed, and everything fsynced, because copied and linked files are not yet
 *   <li>it is renamed to {@code (data)}: a crash before leaves nothing there, a crash after leaves complete data
 * </ol>
 */
public final class Restore {
    private static final Logger LOG = LoggerFactory.getLogger(Restore.class);
    private static final long CACHE_BYTES = 64L << 20;
    private static final long WRITE_BUFFER_BYTES = 32L << 20;

    private Restore() {}

    /**
     * A range of a backup.
     *
     * @param database directory with its files, which are only read
     */
    public record Part(String store, long id, RangeBounds bounds, Path database) {}

    /**
     * Creates {@code data}. Blocks.
     *
     * @param parts all ranges of each store
     * @return the id of the new cluster
     * @throws FileAlreadyExistsException if {@code data} exists and is not empty
     * @throws IOException if a database is damaged or does not belong to its range, or if files cannot be written
     */
    public static UUID into(Path data, List<Part> parts) throws IOException {
        // a symbolic link may lead to the intended disk, so it is kept
        Path target =
                Files.exists(data) ? data.toRealPath() : data.toAbsolutePath().normalize();
        if (Files.exists(target) && !isEmptyDirectory(target)) {
            throw new FileAlreadyExistsException(data + " is not empty");
        }
        Path unfinished = target.resolveSibling(target.getFileName() + ".restoring");
        deleteLeftOver(unfinished);
        deleteEmpty(target);
        UUID cluster = write(unfinished, parts);
        DurableFiles.syncTree(unfinished);
        Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
        Path parent = target.getParent();
        if (parent != null) {
            DurableFiles.syncDirectory(parent);
        }
        LOG.info("restored data={} cluster={} ranges={}", data, cluster, parts.size());
        return cluster;
    }

    /** Deletes the empty target before anything is copied: if this fails, the final rename would fail too. */
    private static void deleteEmpty(Path target) throws IOException {
        try {
            Files.deleteIfExists(target);
        } catch (FileSystemException e) {
            throw new IOException(
                    target + " cannot be replaced (" + e.getReason() + "); where a disk is mounted, restore into a new"
                            + " directory on it",
                    e);
        }
    }

    /**
     * Deletes what a killed restore has left. Fails if another restore is using it, or if it is not a data directory.
     */
    private static void deleteLeftOver(Path unfinished) throws IOException {
        if (!Files.exists(unfinished, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (!isEmptyDirectory(unfinished)) {
            if (!DataDirectory.isOne(unfinished)) {
                throw new FileAlreadyExistsException(unfinished + " is not what a restore left: move it away");
            }
            DataDirectory.checkUnclaimed(unfinished);
        }
        DurableFiles.deleteTree(unfinished);
    }

    private static boolean isEmptyDirectory(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return false;
        }
        try (Stream<Path> entries = Files.list(path)) {
            return entries.findAny().isEmpty();
        }
    }

    private static UUID write(Path directory, List<Part> parts) throws IOException {
        FirstFault fault = new FirstFault();
        try (DataDirectory data = DataDirectory.open(directory);
                RocksResources rocks = new RocksResources(CACHE_BYTES, WRITE_BUFFER_BYTES);
                SharedRaftLog log = SharedRaftLog.open(directory.resolve("raft-log"), fault::note)) {
            String self = data.storeId().toString();
            StoreFiles files = new StoreFiles(directory, directory.resolve("raft-log"), log, rocks, self, true);
            Path from = directory.resolve("from");
            for (Part part : parts) {
                copy(part.database(), from);
                restore(part, from, self, files, rocks);
                DurableFiles.deleteTree(from);
            }
            files.found(); // a store that is not in the backup may begin empty, also in a cluster
            fault.check();
            return data.clusterId();
        }
    }

    private static void restore(Part part, Path from, String self, StoreFiles files, RocksResources rocks)
            throws IOException {
        RaftGroup.Membership alone = new RaftGroup.Membership(List.of(self), List.of());
        // the database of a range that was never changed has no state record
        RangeState born = RangeState.first(part.id(), part.bounds(), alone.voters());
        try (RangeDb backedUp = RangeDb.open(from, born, rocks, false)) {
            RangeState was = backedUp.state();
            RangeState state = new RangeState(was.id(), was.epoch() + 1, was.bounds(), alone, new RangeState.Settled());
            files.bear(RangeDescriptor.of(part.store(), state), state, backedUp).close();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    /** The first fault of the log; nothing written after it can be relied on. */
    private static final class FirstFault {
        private String what = "";

        synchronized void note(String fault, Throwable cause) {
            if (what.isEmpty()) {
                what = fault + ": " + cause.getMessage();
            }
        }

        synchronized void check() throws IOException {
            if (!what.isEmpty()) {
                throw new IOException(what);
            }
        }
    }
}
