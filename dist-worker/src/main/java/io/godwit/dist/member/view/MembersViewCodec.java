package io.godwit.dist.member.view;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The stored format of a view.
 *
 * <pre>
 * size  field
 * 1     version, 1
 * 8     revision; at this place in every version, because the store compares it
 * 2     number of members, each then:
 *   2     length of the node id
 *   n     node id, UTF-8
 *   8     incarnation
 *   1     state: 1 joining, 2 serving, 3 lapsed
 *   8     since
 * </pre>
 *
 * Numbers are big-endian.
 */
public final class MembersViewCodec {
    static final int REVISION_AT = 1;
    static final int LEAST_BYTES = 1 + Long.BYTES;
    private static final byte VERSION = 1;
    private static final int MAX_NODE_ID_BYTES = 256;
    private static final List<MemberState> STATES =
            List.of(MemberState.JOINING, MemberState.SERVING, MemberState.LAPSED);

    private MembersViewCodec() {}

    public static byte[] encode(MembersView view) {
        int size = LEAST_BYTES + Short.BYTES;
        List<byte[]> ids = new ArrayList<>();
        for (AgreedMember member : view.members()) {
            byte[] id = member.life().nodeId().getBytes(StandardCharsets.UTF_8);
            if (id.length > MAX_NODE_ID_BYTES) {
                throw new IllegalArgumentException("node id of " + id.length + " bytes, at most " + MAX_NODE_ID_BYTES);
            }
            ids.add(id);
            size += Short.BYTES + id.length + Long.BYTES + 1 + Long.BYTES;
        }
        ByteBuffer out = ByteBuffer.allocate(size).put(VERSION).putLong(view.revision());
        out.putShort((short) view.members().size());
        for (int i = 0; i < ids.size(); i++) {
            AgreedMember member = view.members().get(i);
            out.putShort((short) ids.get(i).length).put(ids.get(i));
            out.putLong(member.life().incarnation());
            out.put((byte) (STATES.indexOf(member.state()) + 1)).putLong(member.since());
        }
        return out.array();
    }

    /** Fails with {@link IllegalArgumentException} when {@code bytes} have another layout. */
    static MembersView decode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            byte version = in.get();
            if (version != VERSION) {
                throw new IllegalArgumentException("view of members of version " + version + ", expected " + VERSION);
            }
            long revision = in.getLong();
            int count = in.getShort();
            if (count < 0 || count > MembersView.MAX_MEMBERS) {
                throw new IllegalArgumentException("view of " + count + " members");
            }
            List<AgreedMember> members = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                members.add(member(in));
            }
            if (in.hasRemaining()) {
                throw new IllegalArgumentException("view of members has " + in.remaining() + " bytes too many");
            }
            return new MembersView(revision, members);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("view of members of " + bytes.length + " bytes is cut", e);
        }
    }

    private static AgreedMember member(ByteBuffer in) {
        int length = in.getShort();
        if (length < 0 || length > MAX_NODE_ID_BYTES) {
            throw new IllegalArgumentException("node id of " + length + " bytes");
        }
        byte[] id = new byte[length];
        in.get(id);
        NodeLife life = new NodeLife(new String(id, StandardCharsets.UTF_8), in.getLong());
        int state = in.get();
        if (state < 1 || state > STATES.size()) {
            throw new IllegalArgumentException("member in state " + state);
        }
        return new AgreedMember(life, STATES.get(state - 1), in.getLong());
    }

    /** Revision of a stored value of any version; 0 when it is too short to have one. */
    static long revision(byte[] value) {
        return value.length < LEAST_BYTES ? 0 : ByteBuffer.wrap(value).getLong(REVISION_AT);
    }
}
