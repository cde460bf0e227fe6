package io.godwit.broker.admin.backup;

import io.godwit.broker.admin.action.Pauses;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.AdminMethods;
import io.godwit.broker.admin.rpc.CopyFrame;
import io.godwit.broker.admin.rpc.CopySender;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Takes a backup of a store in use, range by range, each as of the moment when its leader copies it; or of all stores
 * of one node as of one moment ({@link #takeAll}), one backup each. The steps, and what a crash of this program or of
 * a node leaves:
 *
 * <ol>
 *   <li>the files of every range arrive; each is compared with its checksum and fsynced. After a crash here they are no
 *       backup, since there is no manifest
 *   <li>if splits, merges or other changes leave the copies with gaps or overlaps, the new ranges are copied too, into
 *       directories of their own; a restore ignores directories that are not in the manifest
 *   <li>{@code BACKUP}, the manifest, is written atomically: from here on it is a backup
 * </ol>
 */
public final class Backup {
    private static final int MAX_ROUNDS = 5;
    /** A range may be without a leader, or be merged, for a while. */
    private static final int MAX_ATTEMPTS = 60;

    private static final long ATTEMPT_MILLIS = 500;

    private final AdminClient client;
    private final String store;
    private final BackupTarget target;
    private final Pauses pace;
    private final List<BackupManifest.Range> copied = new ArrayList<>();
    private int directories;
    private String clusterId = "";
    private String release = "";

    public Backup(AdminClient client, String store, BackupTarget target) {
        this(client, store, target, Pauses::sleep);
    }

    /** @param pace waits between two attempts at one range */
    Backup(AdminClient client, String store, BackupTarget target, Pauses pace) {
        this.client = client;
        this.store = store;
        this.target = target;
        this.pace = pace;
    }

    public BackupManifest take() throws AdminException, IOException {
        String taken = Instant.now().toString();
        String gap = "";
        for (int round = 0; round < MAX_ROUNDS; round++) {
            List<Messages.Range> ranges = client.rangesByKey(store);
            for (Messages.Range range : ranges) {
                if (copyOf(range) == null) {
                    copied.add(copy(range.id()));
                }
            }
            List<BackupManifest.Range> chosen = new ArrayList<>();
            for (Messages.Range range : ranges) {
                BackupManifest.Range copy = copyOf(range);
                if (copy != null) {
                    chosen.add(copy);
                }
            }
            gap = BackupManifest.gap(chosen);
            if (gap.isEmpty()) {
                BackupManifest manifest = new BackupManifest(clusterId, store, release, taken, chosen);
                target.finish(manifest.encode());
                return manifest;
            }
        }
        throw new AdminException(Kind.STALE, "the ranges of " + store + " change too often for a backup: " + gap);
    }

    /** Opens the target of a store's backup. */
    public interface Place {
        BackupTarget of(String store) throws IOException;
    }

    /**
     * Takes a backup of each of {@code stores}, with all ranges as of one moment. The asked node must lead them all.
     *
     * @return the manifests by store
     */
    public static Map<String, BackupManifest> takeAll(AdminClient client, List<String> stores, Place place)
            throws AdminException, IOException {
        String taken = Instant.now().toString();
        Map<String, Backup> backups = new LinkedHashMap<>();
        Map<String, BackupManifest> manifests = new LinkedHashMap<>();
        try {
            Iterator<byte[]> frames = null;
            int ranges = 0;
            for (int attempt = 1; frames == null; attempt++) {
                frames = client.stream(AdminMethods.COPY_STORES, new Messages.OfStores(stores));
                try {
                    byte[] head = client.next(frames);
                    check(head, CopyFrame.STORES);
                    ranges =
                            CopyFrame.message(head, Messages.CopiedStores.class).ranges();
                } catch (AdminException e) {
                    frames = null; // a split or merge may be under way
                    if (e.kind() != Kind.REFUSED || attempt == MAX_ROUNDS) {
                        throw new AdminException(
                                e.kind(),
                                "the stores were not copied at one moment: " + e.getMessage()
                                        + " (one store alone may be copied from several nodes: backup STORE)",
                                e);
                    }
                    Pauses.sleep(ATTEMPT_MILLIS);
                }
            }
            for (String store : stores) {
                backups.put(store, new Backup(client, store, place.of(store)));
            }
            for (int i = 0; i < ranges; i++) {
                Messages.CopiedRange head =
                        CopyFrame.message(expect(client, frames, CopyFrame.RANGE), Messages.CopiedRange.class);
                Backup backup = backups.get(head.store());
                if (backup == null) {
                    throw new AdminException(
                            Kind.FAILED, "the node sent a range of " + head.store() + ", which was not requested");
                }
                backup.copied.add(backup.receive(frames, head));
            }
            for (Map.Entry<String, Backup> each : backups.entrySet()) {
                Backup backup = each.getValue();
                String gap = BackupManifest.gap(backup.copied);
                if (!gap.isEmpty()) {
                    throw new AdminException(
                            Kind.FAILED, "the ranges of " + each.getKey() + " came with a gap: " + gap);
                }
                BackupManifest manifest = new BackupManifest(
                        backup.clusterId, backup.store, backup.release, taken, List.copyOf(backup.copied));
                manifests.put(each.getKey(), manifest);
            }
            for (Map.Entry<String, Backup> each :
                    backups.entrySet()) { // last: a crash before leaves no finished backup
                each.getValue().target.finish(manifest(manifests, each.getKey()).encode());
            }
            return manifests;
        } finally {
            for (Backup backup : backups.values()) {
                backup.target.close();
            }
        }
    }

    private static BackupManifest manifest(Map<String, BackupManifest> manifests, String store) {
        return Objects.requireNonNull(manifests.get(store));
    }

    /** The newest copy of a range with its current bounds; null if there is none. */
    private BackupManifest.@Nullable Range copyOf(Messages.Range range) {
        for (int i = copied.size() - 1; i >= 0; i--) {
            BackupManifest.Range copy = copied.get(i);
            if (copy.id() == range.id()
                    && copy.start().equals(range.start())
                    && Objects.equals(copy.end(), range.end())) {
                return copy;
            }
        }
        return null;
    }

    /** Copies a range from its current leader. Tries again, since the leader may change. */
    private BackupManifest.Range copy(long rangeId) throws AdminException, IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                return copy(client.range(store, rangeId));
            } catch (AdminException e) {
                boolean isHopeless = e.kind() == Kind.UNKNOWN || e.kind() == Kind.DAMAGED || e.kind() == Kind.FAILED;
                if (isHopeless || attempt == MAX_ATTEMPTS) {
                    throw new AdminException(
                            e.kind(), "range " + rangeId + " of " + store + " was not copied: " + e.getMessage(), e);
                }
                pace.pause(ATTEMPT_MILLIS);
            }
        }
    }

    private BackupManifest.Range copy(Messages.Range range) throws AdminException, IOException {
        Iterator<byte[]> frames =
                client.stream(AdminMethods.COPY_RANGE, new Messages.OfRange(store, range.id(), range.leader()));
        return receive(frames, CopyFrame.message(expect(client, frames, CopyFrame.RANGE), Messages.CopiedRange.class));
    }

    private BackupManifest.Range receive(Iterator<byte[]> frames, Messages.CopiedRange head)
            throws AdminException, IOException {
        String directory = "range-" + head.id() + "-" + ++directories;
        clusterId = head.clusterId();
        release = head.release();
        List<BackupManifest.File> files = new ArrayList<>();
        byte[] frame = client.next(frames);
        while (CopyFrame.kind(frame) == CopyFrame.FILE) {
            files.add(receive(frames, directory, CopyFrame.message(frame, Messages.CopiedFile.class)));
            frame = client.next(frames);
        }
        check(frame, CopyFrame.END);
        if (CopyFrame.message(frame, Messages.CopyEnd.class).files() != files.size()) {
            throw new AdminException(Kind.FAILED, "the node did not send all files of range " + head.id());
        }
        return new BackupManifest.Range(head.id(), head.epoch(), head.start(), head.end(), directory, files);
    }

    private BackupManifest.File receive(Iterator<byte[]> frames, String directory, Messages.CopiedFile file)
            throws AdminException, IOException {
        MessageDigest digest = CopySender.sha256();
        byte[] frame = client.next(frames);
        try (OutputStream out = target.file(directory, BackupManifest.name(file.name()), file.bytes())) {
            while (CopyFrame.kind(frame) == CopyFrame.DATA) {
                byte[] data = CopyFrame.data(frame);
                digest.update(data);
                out.write(data);
                frame = client.next(frames);
            }
        }
        check(frame, CopyFrame.FILE_END);
        String sum = HexFormat.of().formatHex(digest.digest());
        String expected = CopyFrame.message(frame, Messages.FileEnd.class).sha256();
        if (!sum.equals(expected)) {
            throw new AdminException(
                    Kind.DAMAGED, "file " + file.name() + " came with checksum " + sum + ", expected " + expected);
        }
        return new BackupManifest.File(file.name(), file.bytes(), sum);
    }

    private static byte[] expect(AdminClient client, Iterator<byte[]> frames, byte kind) throws AdminException {
        byte[] frame = client.next(frames);
        check(frame, kind);
        return frame;
    }

    private static void check(byte[] frame, byte kind) throws AdminException {
        if (CopyFrame.kind(frame) != kind) {
            throw new AdminException(
                    Kind.FAILED,
                    "the copy has a part of kind " + (char) CopyFrame.kind(frame) + " where " + (char) kind
                            + " was expected");
        }
    }
}
