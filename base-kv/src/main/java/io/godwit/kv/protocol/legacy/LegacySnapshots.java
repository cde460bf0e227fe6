package io.godwit.kv.protocol.legacy;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.godwit.kv.protocol.WireCodec;
import io.godwit.kv.wire.SnapshotBytes;
import io.godwit.kv.wire.SnapshotFile;
import io.godwit.kv.wire.SnapshotListing;
import io.godwit.kv.wire.SnapshotPart;
import io.godwit.kv.wire.SnapshotRequest;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The messages with which a node copies a snapshot.
 *
 * <pre>
 * godwit.Snapshot/list   byte format = 1 | utf group | long index
 *                     -> byte format = 1 | bytes, JRaft's notes | int count, each: utf name, long size
 * godwit.Snapshot/read   byte format = 1 | utf group | long index | utf name | long offset | int length
 *                     -> int CRC-32C of the bytes | bytes
 * </pre>
 */
public final class LegacySnapshots {
    private static final String WHAT = "message about a snapshot";

    public static final WireCodec<SnapshotRequest> REQUESTS = new WireCodec<>() {
        @Override
        public byte[] encode(SnapshotRequest request) {
            return LegacyBytes.write(64, out -> {
                out.writeByte(LegacyBytes.VERSION);
                name(out, request);
            });
        }

        @Override
        public SnapshotRequest decode(byte[] encoded) throws IOException {
            return LegacyBytes.read(encoded, in -> {
                LegacyBytes.version(in, WHAT);
                return name(in);
            });
        }
    };

    public static final WireCodec<SnapshotListing> LISTINGS = new WireCodec<>() {
        @Override
        public byte[] encode(SnapshotListing listing) {
            return LegacyBytes.write(1_024, out -> {
                out.writeByte(LegacyBytes.VERSION);
                LegacyBytes.bytes(out, listing.getNotes());
                out.writeInt(listing.getFilesCount());
                for (SnapshotFile file : listing.getFilesList()) {
                    out.writeUTF(file.getName());
                    out.writeLong(file.getSize());
                }
            });
        }

        @Override
        public SnapshotListing decode(byte[] encoded) throws IOException {
            return LegacyBytes.read(encoded, in -> {
                LegacyBytes.version(in, WHAT);
                SnapshotListing.Builder listing = SnapshotListing.newBuilder().setNotes(LegacyBytes.bytes(in));
                for (int left = LegacyBytes.count(in); left > 0; left--) {
                    listing.addFiles(
                            SnapshotFile.newBuilder().setName(in.readUTF()).setSize(in.readLong()));
                }
                return listing.build();
            });
        }
    };

    public static final WireCodec<SnapshotPart> PARTS = new WireCodec<>() {
        @Override
        public byte[] encode(SnapshotPart part) {
            return LegacyBytes.write(128, out -> {
                out.writeByte(LegacyBytes.VERSION);
                name(out, part.getSnapshot());
                out.writeUTF(part.getFile());
                out.writeLong(part.getOffset());
                out.writeInt(part.getLength());
            });
        }

        @Override
        public SnapshotPart decode(byte[] encoded) throws IOException {
            return LegacyBytes.read(encoded, in -> {
                LegacyBytes.version(in, WHAT);
                return SnapshotPart.newBuilder()
                        .setSnapshot(name(in))
                        .setFile(in.readUTF())
                        .setOffset(in.readLong())
                        .setLength(in.readInt())
                        .build();
            });
        }
    };

    public static final WireCodec<SnapshotBytes> BYTES = new WireCodec<>() {
        @Override
        public byte[] encode(SnapshotBytes bytes) {
            ByteBuffer encoded =
                    ByteBuffer.allocate(Integer.BYTES + bytes.getContent().size());
            encoded.putInt(bytes.getChecksum());
            bytes.getContent().copyTo(encoded);
            return encoded.array();
        }

        @Override
        public SnapshotBytes decode(byte[] encoded) throws IOException {
            if (encoded.length < Integer.BYTES) {
                throw new IOException("part of " + encoded.length + " bytes");
            }
            ByteString content =
                    UnsafeByteOperations.unsafeWrap(encoded, Integer.BYTES, encoded.length - Integer.BYTES);
            return SnapshotBytes.newBuilder()
                    .setChecksum(ByteBuffer.wrap(encoded).getInt())
                    .setContent(content)
                    .build();
        }
    };

    private LegacySnapshots() {}

    private static void name(DataOutputStream out, SnapshotRequest request) throws IOException {
        out.writeUTF(request.getGroup());
        out.writeLong(request.getIndex());
    }

    private static SnapshotRequest name(DataInputStream in) throws IOException {
        return SnapshotRequest.newBuilder()
                .setGroup(in.readUTF())
                .setIndex(in.readLong())
                .build();
    }
}
