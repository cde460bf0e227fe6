package io.godwit.cluster.member;

import io.godwit.cluster.config.HostPort;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;

/**
 * The messages that members exchange, beside JGroups' own.
 *
 * <pre>
 * byte format = 1 | byte kind
 *   1 announcement  long revision | boolean joined | boolean wantsAnswer | utf nodeId | long incarnation
 *                   | utf rpcHost | int rpcPort
 *                   | utf version | utf env | short count, each: utf key, utf value
 *   2 leaving
 *   3 leaving seen
 * </pre>
 */
sealed interface MemberMessage {
    int FORMAT = 1;
    int MAX_ATTRIBUTES = 64;

    /**
     * A member's description of itself.
     *
     * @param revision rises with every change
     * @param joined whether the sender knows all members, and no other has its node id
     * @param wantsAnswer whether the sender lacks the receiver's announcement
     */
    record Announcement(long revision, boolean joined, boolean wantsAnswer, Member member) implements MemberMessage {}

    /** The sender leaves as soon as everybody has confirmed this. */
    record Leaving() implements MemberMessage {}

    record LeavingSeen() implements MemberMessage {}

    default byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(FORMAT);
            if (this instanceof Announcement announcement) {
                out.writeByte(1);
                write(out, announcement);
            } else {
                out.writeByte(this instanceof Leaving ? 2 : 3);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void write(DataOutputStream out, Announcement announcement) throws IOException {
        Member member = announcement.member();
        out.writeLong(announcement.revision());
        out.writeBoolean(announcement.joined());
        out.writeBoolean(announcement.wantsAnswer());
        out.writeUTF(member.nodeId());
        out.writeLong(member.incarnation());
        out.writeUTF(member.rpc().host());
        out.writeInt(member.rpc().port());
        out.writeUTF(member.version());
        out.writeUTF(member.env());
        out.writeShort(member.attributes().size());
        for (Map.Entry<String, String> attribute : member.attributes().entrySet()) {
            out.writeUTF(attribute.getKey());
            out.writeUTF(attribute.getValue());
        }
    }

    /** @throws IOException if {@code bytes} are not a message of this format */
    static MemberMessage decode(byte[] bytes) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int format = in.readUnsignedByte();
            if (format != FORMAT) {
                throw new IOException("message of format " + format + ", expected " + FORMAT);
            }
            int kind = in.readUnsignedByte();
            return switch (kind) {
                case 1 -> announcement(in);
                case 2 -> new Leaving();
                case 3 -> new LeavingSeen();
                default -> throw new IOException("message of kind " + kind);
            };
        } catch (IllegalArgumentException e) { // thrown by the records
            throw new IOException(e.getMessage(), e);
        }
    }

    private static Announcement announcement(DataInputStream in) throws IOException {
        long revision = in.readLong();
        boolean joined = in.readBoolean();
        boolean wantsAnswer = in.readBoolean();
        String nodeId = in.readUTF();
        long incarnation = in.readLong();
        HostPort rpc = new HostPort(in.readUTF(), in.readInt());
        String version = in.readUTF();
        String env = in.readUTF();
        int count = in.readUnsignedShort();
        if (count > MAX_ATTRIBUTES) {
            throw new IOException(count + " attributes, at most " + MAX_ATTRIBUTES);
        }
        Map<String, String> attributes = new HashMap<>();
        for (int i = 0; i < count; i++) {
            attributes.put(in.readUTF(), in.readUTF());
        }
        return new Announcement(
                revision, joined, wantsAnswer, new Member(nodeId, incarnation, rpc, version, env, attributes));
    }
}
