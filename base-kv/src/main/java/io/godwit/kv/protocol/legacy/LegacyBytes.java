package io.godwit.kv.protocol.legacy;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * What the layouts have in common.
 *
 * <pre>
 * utf     as {@link DataOutputStream#writeUTF}
 * bytes   int length, then the bytes
 * texts   int count, each: utf
 * </pre>
 */
final class LegacyBytes {
    /** The version byte of every layout but that of a range. */
    static final int VERSION = 1;

    private static final int MAX_COUNT = 1 << 20;

    private LegacyBytes() {}

    /** Writes the fields of a message. */
    interface Writing {
        void to(DataOutputStream out) throws IOException;
    }

    /** Reads the fields of a message. */
    interface Reading<M> {
        M from(DataInputStream in) throws IOException;
    }

    static byte[] write(int size, Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(size);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            writing.to(out);
        } catch (IOException e) { // a text of more than 65,535 bytes
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static <M> M read(byte[] encoded, Reading<M> reading) throws IOException {
        return read(encoded, 0, reading);
    }

    static <M> M read(byte[] encoded, int from, Reading<M> reading) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded, from, encoded.length - from))) {
            return reading.from(in);
        }
    }

    static void version(DataInputStream in, String what) throws IOException {
        int version = in.readUnsignedByte();
        if (version != VERSION) {
            throw new IOException(what + " of version " + version + ", expected " + VERSION);
        }
    }

    static void bytes(DataOutputStream out, ByteString bytes) throws IOException {
        out.writeInt(bytes.size());
        bytes.writeTo(out);
    }

    static ByteString bytes(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw new IOException(length + " bytes announced, " + in.available() + " left");
        }
        return UnsafeByteOperations.unsafeWrap(in.readNBytes(length));
    }

    /** Bytes that may be missing. */
    static void optional(DataOutputStream out, boolean isThere, ByteString bytes) throws IOException {
        out.writeBoolean(isThere);
        if (isThere) {
            bytes(out, bytes);
        }
    }

    static void texts(DataOutputStream out, Collection<String> texts) throws IOException {
        out.writeInt(texts.size());
        for (String text : texts) {
            out.writeUTF(text);
        }
    }

    static List<String> texts(DataInputStream in) throws IOException {
        int count = count(in);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(in.readUTF());
        }
        return texts;
    }

    static int count(DataInputStream in) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > MAX_COUNT) {
            throw new IOException("count of " + count);
        }
        return count;
    }
}
