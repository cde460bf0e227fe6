package io.godwit.kv.range.state;

import io.godwit.kv.raft.RaftGroup;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Encodes keys and members, in the state of a range and in its commands. */
final class StateBytes {
    private static final int MAX_KEY_BYTES = 1 << 20;
    private static final int MAX_MEMBERS = 1 << 10;

    private StateBytes() {}

    static void writeMembers(DataOutputStream out, RaftGroup.Membership members) throws IOException {
        writeTexts(out, members.voters());
        writeTexts(out, members.learners());
    }

    static RaftGroup.Membership readMembers(DataInputStream in) throws IOException {
        return new RaftGroup.Membership(readTexts(in), readTexts(in));
    }

    private static void writeTexts(DataOutputStream out, List<String> texts) throws IOException {
        out.writeInt(texts.size());
        for (String text : texts) {
            out.writeUTF(text);
        }
    }

    private static List<String> readTexts(DataInputStream in) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > MAX_MEMBERS) {
            throw new IOException(count + " members");
        }
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(in.readUTF());
        }
        return texts;
    }

    static void writeEnd(DataOutputStream out, byte @Nullable [] end) throws IOException {
        out.writeBoolean(end != null);
        if (end != null) {
            writeBytes(out, end);
        }
    }

    static byte @Nullable [] readEnd(DataInputStream in) throws IOException {
        return in.readBoolean() ? readBytes(in) : null;
    }

    static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    /** Reads a key. */
    static byte[] readBytes(DataInputStream in) throws IOException {
        return readBytes(in, MAX_KEY_BYTES);
    }

    static byte[] readBytes(DataInputStream in, int maxBytes) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > maxBytes) {
            throw new IOException("length of " + length + " bytes");
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new IOException("length of " + length + " bytes, there are " + bytes.length);
        }
        return bytes;
    }
}
