package io.godwit.kv.raft.log;

import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.disk.RecordFile;
import io.godwit.kv.disk.RocksFiles;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the WALs of the log's RocksDB before RocksDB opens them, because it ignores some damage: it takes a wrong
 * length in the last 32 KiB of a WAL for the end of the file and drops everything behind it.
 *
 * <p>Every write of the log is synced before the next one enters the WAL, so only the last record of the last WAL can
 * be torn. Anything wrong elsewhere is damage, and so is a last record that is complete, wrong, and below the synced
 * mark. A torn record is cut off here, because a power loss may leave any bytes in its place, and RocksDB refuses some
 * of them.
 *
 * <p>A file that ends within its last record is opened without that record, even if the mark says that it was synced,
 * which happens when a disk lied about an fsync. The loss is logged as an error and reported to the operator. If more
 * than that one record is missing, the start is refused.
 */
public final class WalCheck {
    private static final Logger log = LoggerFactory.getLogger(WalCheck.class);

    private WalCheck() {}

    /**
     * Checks all WALs.
     *
     * @param mark the position up to which the log was synced, null if not known; lowered if the disk has lost a record
     * @return what the disk has lost although it was synced, for an operator; null if nothing
     * @throws DamagedDataException naming the damaged file
     */
    static @Nullable String verify(Path directory, @Nullable SyncedMark mark) throws IOException {
        RocksFiles.verifyManifest(directory);
        NavigableMap<Long, Path> wals = wals(directory);
        while (!wals.isEmpty() && Files.size(wals.lastEntry().getValue()) == 0) {
            wals.pollLastEntry(); // created but not written to
        }
        if (wals.isEmpty()) {
            return null;
        }
        Path last = wals.pollLastEntry().getValue();
        for (Path closed : wals.values()) {
            RecordFile.Scan scan = RecordFile.scanBatches(closed);
            if (scan.ending() != RecordFile.Ending.CLEAN) {
                throw RocksFiles.damaged(closed, scan, "though later files follow");
            }
        }
        return verifyLast(last, RecordFile.scanBatches(last), mark);
    }

    private static @Nullable String verifyLast(Path last, RecordFile.Scan scan, @Nullable SyncedMark mark)
            throws IOException {
        long synced = mark == null ? 0 : mark.sequence();
        @Nullable String lost = null;
        switch (scan.ending()) {
            case CLEAN -> {
                return null;
            }
            case WRONG_BEFORE_MORE -> throw RocksFiles.damaged(last, scan, "though a later record follows");
            case WRONG -> {
                if (scan.lastSequence() < synced) {
                    throw RocksFiles.damaged(last, scan, "though the log had been synced up to sequence " + synced);
                }
            }
            case CUT_SHORT -> {
                if (Math.max(scan.lastSequence(), scan.tornSequence()) < synced && scan.tornSequence() > 0) {
                    throw RocksFiles.damaged(last, scan, "though the log had been synced up to sequence " + synced);
                }
                if (mark != null && scan.lastSequence() < synced) {
                    mark.lower(scan.lastSequence()); // first, because with the tail cut the old mark would refuse it
                    log.error(
                            "the disk has lost a synced write of the log, opened without it file={} offset={} "
                                    + "lastSequence={} syncedSequence={}",
                            last,
                            scan.goodBytes(),
                            scan.lastSequence(),
                            synced);
                    lost = "the disk has lost a write of the log that it had confirmed, so acknowledged "
                            + "data is lost: "
                            + last + " ends at sequence " + scan.lastSequence() + ", it had been synced up to "
                            + synced;
                }
            }
        }
        RocksFiles.cut(last, scan);
        return lost;
    }

    private static NavigableMap<Long, Path> wals(Path directory) throws IOException {
        NavigableMap<Long, Path> wals = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.log")) {
            for (Path file : files) {
                @Nullable Long number = RecordFile.numberOf(file, ".log");
                if (number != null) {
                    wals.put(number, file);
                }
            }
        }
        return wals;
    }
}
