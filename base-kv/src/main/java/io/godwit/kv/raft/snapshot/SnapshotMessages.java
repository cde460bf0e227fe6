package io.godwit.kv.raft.snapshot;

import com.google.protobuf.ByteString;
import io.godwit.cluster.rpc.BytesMarshaller;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The methods and messages with which a node copies a snapshot from another.
 *
 * <pre>
 * godwit.Snapshot/list   byte format = 1 | utf group | long index
 *                     -> byte format = 1 | int length, JRaft's notes | int count, each: utf name, long size
 * godwit.Snapshot/read   byte format = 1 | utf group | long index | utf name | long offset | int length
 *                     -> int CRC-32C of the bytes | bytes
 * </pre>
 *
 * The reader requests as much as it can take next. So a slow disk on either side delays nothing else, and an
 * interrupted copy continues where it stopped. For a snapshot that is not offered, or no longer, the answer is
 * NOT_FOUND.
 */
public final class SnapshotMessages {
    static final String SERVICE = "godwit.Snapshot";
    static final MethodDescriptor<byte[], byte[]> LIST = method("list");
    public static final MethodDescriptor<byte[], byte[]> READ = method("read");

    private static final int FORMAT = 1;
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
    record Listing(ByteString notes, List<FileSize> files) {}

    record Part(SnapshotName snapshot, String file, long offset, int length) {}

    private static MethodDescriptor<byte[], byte[]> method(String name) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(BytesMarshaller.INSTANCE)
                .setResponseMarshaller(BytesMarshaller.INSTANCE)
                .build();
    }

    private interface Writing {
        void to(DataOutputStream out) throws IOException;
    }

    private static byte[] bytes(Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(FORMAT);
            writing.to(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static DataInputStream reading(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        int format = in.readUnsignedByte();
        if (format != FORMAT) {
            throw new IOException("message of format " + format + ", expected " + FORMAT);
        }
        return in;
    }

    static byte[] encode(SnapshotName name) {
        return bytes(out -> {
            out.writeUTF(name.group());
            out.writeLong(name.index());
        });
    }

    static SnapshotName decodeName(byte[] bytes) throws IOException {
        try (DataInputStream in = reading(bytes)) {
            return new SnapshotName(in.readUTF(), in.readLong());
        }
    }

    static byte[] encode(Listing listing) {
        return bytes(out -> {
            out.writeInt(listing.notes().size());
            listing.notes().writeTo(out);
            out.writeInt(listing.files().size());
            for (FileSize file : listing.files()) {
                out.writeUTF(file.name());
                out.writeLong(file.size());
            }
        });
    }

    static Listing decodeListing(byte[] bytes) throws IOException {
        try (DataInputStream in = reading(bytes)) {
            int length = in.readInt();
            if (length < 0 || length > bytes.length) {
                throw new IOException("notes of " + length + " bytes");
            }
            ByteString notes = ByteString.copyFrom(in.readNBytes(length));
            int count = in.readInt();
            if (count < 0 || count > MAX_FILES) {
                throw new IOException(count + " files");
            }
            List<FileSize> files = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                files.add(new FileSize(in.readUTF(), in.readLong()));
            }
            return new Listing(notes, files);
        }
    }

    static byte[] encode(Part part) {
        return bytes(out -> {
            out.writeUTF(part.snapshot().group());
            out.writeLong(part.snapshot().index());
            out.writeUTF(part.file());
            out.writeLong(part.offset());
            out.writeInt(part.length());
        });
    }

    static Part decodePart(byte[] bytes) throws IOException {
        try (DataInputStream in = reading(bytes)) {
            return new Part(new SnapshotName(in.readUTF(), in.readLong()), in.readUTF(), in.readLong(), in.readInt());
        }
    }

    static int checksum(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }
}
