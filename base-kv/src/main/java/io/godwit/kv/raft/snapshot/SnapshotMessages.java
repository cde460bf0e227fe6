package io.godwit.kv.raft.snapshot;

import com.google.protobuf.ByteString;
import io.godwit.kv.protocol.WireBytes;
import io.godwit.kv.wire.SnapshotBytes;
import io.godwit.kv.wire.SnapshotFile;
import io.godwit.kv.wire.SnapshotListing;
import io.godwit.kv.wire.SnapshotPart;
import io.godwit.kv.wire.SnapshotRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The messages with which a node copies a snapshot from another, as values. {@link SnapshotForm} has the methods.
 *
 * <p>The reader requests as much as it can take next. So a slow disk on either side delays nothing else, and an
 * interrupted copy continues where it stopped. For a snapshot that is not offered, or no longer, the answer is
 * NOT_FOUND.
 */
final class SnapshotMessages {
    private static final int MAX_FILES = 1_000_000;

    private SnapshotMessages() {}

    /** Identifies a snapshot on the node that offers it. */
    record SnapshotName(String group, long index) {}

    record FileSize(String name, long size) {}

    /**
     * The files of a snapshot.
     *
     * @param notes JRaft's metadata beside the files: index, term, voters and the names of the files, as its protobuf
     *     message
     */
    record Listing(ByteString notes, List<FileSize> files) {
        /** Tells listings apart; does not depend on the version of the messages. */
        int checksum() {
            return SnapshotMessages.checksum(message(this).toByteArray());
        }
    }

    record Part(SnapshotName snapshot, String file, long offset, int length) {}

    static SnapshotRequest message(SnapshotName name) {
        return SnapshotRequest.newBuilder()
                .setGroup(name.group())
                .setIndex(name.index())
                .build();
    }

    static SnapshotName name(SnapshotRequest in) {
        return new SnapshotName(in.getGroup(), in.getIndex());
    }

    static SnapshotListing message(Listing listing) {
        SnapshotListing.Builder out = SnapshotListing.newBuilder().setNotes(listing.notes());
        for (FileSize file : listing.files()) {
            out.addFiles(SnapshotFile.newBuilder().setName(file.name()).setSize(file.size()));
        }
        return out.build();
    }

    /** @throws IOException if there are too many files, or one has no valid size */
    static Listing listing(SnapshotListing in) throws IOException {
        WireBytes.requireAtMost(in.getFilesCount(), MAX_FILES, "files");
        List<FileSize> files = new ArrayList<>(in.getFilesCount());
        for (SnapshotFile file : in.getFilesList()) {
            if (file.getSize() < 0) {
                throw new IOException(file.getName() + " has a size of " + file.getSize());
            }
            files.add(new FileSize(file.getName(), file.getSize()));
        }
        return new Listing(in.getNotes(), files);
    }

    static SnapshotPart message(Part part) {
        return SnapshotPart.newBuilder()
                .setSnapshot(message(part.snapshot()))
                .setFile(part.file())
                .setOffset(part.offset())
                .setLength(part.length())
                .build();
    }

    /** @throws IOException if the part names no snapshot, or begins before the file */
    static Part part(SnapshotPart in) throws IOException {
        if (!in.hasSnapshot() || in.getOffset() < 0) {
            throw new IOException("part of no snapshot, or at offset " + in.getOffset());
        }
        return new Part(name(in.getSnapshot()), in.getFile(), in.getOffset(), in.getLength());
    }

    /** Refers to {@code bytes}, which nobody may change until the message is encoded. */
    static SnapshotBytes message(byte[] bytes) {
        return SnapshotBytes.newBuilder()
                .setChecksum(checksum(bytes))
                .setContent(WireBytes.wrap(bytes))
                .build();
    }

    /** @throws IOException if the bytes are not those that were sent, or not as many as the part has */
    static byte[] bytes(Part part, SnapshotBytes in) throws IOException {
        byte[] bytes = in.getContent().toByteArray();
        if (bytes.length != part.length() || checksum(bytes) != in.getChecksum()) {
            throw new IOException("checksum does not match of " + part);
        }
        return bytes;
    }

    private static int checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
