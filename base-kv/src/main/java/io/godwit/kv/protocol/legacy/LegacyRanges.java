package io.godwit.kv.protocol.legacy;

import io.godwit.kv.wire.DescriptionMessage;
import io.godwit.kv.wire.RangeName;
import io.godwit.kv.wire.ResetVoters;
import io.godwit.kv.wire.TakeOver;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Questions about ranges.
 *
 * <pre>
 * name         utf store | long range id
 * description  long epoch | byte version = 2 | utf store | long id | long created epoch | bytes start
 *              | boolean hasEnd [bytes end] | texts voters | long joined epoch, not in version 1
 * reset        utf store | long range id | texts voters
 * take over    utf leader | texts groups
 * </pre>
 */
final class LegacyRanges {
    /** The version of the description. */
    static final int DESCRIPTION_VERSION = 2;

    private static final int WITHOUT_JOINED_EPOCH = 1;

    private LegacyRanges() {}

    static void write(DataOutputStream out, RangeName name) throws IOException {
        out.writeUTF(name.getStore());
        out.writeLong(name.getRangeId());
    }

    static RangeName name(DataInputStream in) throws IOException {
        return RangeName.newBuilder()
                .setStore(in.readUTF())
                .setRangeId(in.readLong())
                .build();
    }

    static void write(DataOutputStream out, DescriptionMessage description) throws IOException {
        out.writeLong(description.getEpoch());
        out.writeByte(DESCRIPTION_VERSION);
        out.writeUTF(description.getStore());
        out.writeLong(description.getRangeId());
        out.writeLong(description.getCreatedEpoch());
        LegacyBytes.bytes(out, description.getStart());
        LegacyBytes.optional(out, description.hasEnd(), description.getEnd());
        LegacyBytes.texts(out, description.getVotersList());
        out.writeLong(description.getJoinedEpoch());
    }

    static DescriptionMessage description(DataInputStream in) throws IOException {
        DescriptionMessage.Builder description = DescriptionMessage.newBuilder().setEpoch(in.readLong());
        int version = in.readUnsignedByte();
        if (version != DESCRIPTION_VERSION && version != WITHOUT_JOINED_EPOCH) {
            throw new IOException("range descriptor of version " + version + ", expected " + DESCRIPTION_VERSION);
        }
        description
                .setStore(in.readUTF())
                .setRangeId(in.readLong())
                .setCreatedEpoch(in.readLong())
                .setStart(LegacyBytes.bytes(in));
        if (in.readBoolean()) {
            description.setEnd(LegacyBytes.bytes(in));
        }
        return description
                .addAllVoters(LegacyBytes.texts(in))
                .setJoinedEpoch(version == WITHOUT_JOINED_EPOCH ? 0 : in.readLong())
                .build();
    }

    static void write(DataOutputStream out, ResetVoters reset) throws IOException {
        out.writeUTF(reset.getStore());
        out.writeLong(reset.getRangeId());
        LegacyBytes.texts(out, reset.getVotersList());
    }

    static ResetVoters reset(DataInputStream in) throws IOException {
        return ResetVoters.newBuilder()
                .setStore(in.readUTF())
                .setRangeId(in.readLong())
                .addAllVoters(LegacyBytes.texts(in))
                .build();
    }

    static void write(DataOutputStream out, TakeOver takeOver) throws IOException {
        out.writeUTF(takeOver.getLeader());
        LegacyBytes.texts(out, takeOver.getGroupsList());
    }

    static TakeOver takeOver(DataInputStream in) throws IOException {
        return TakeOver.newBuilder()
                .setLeader(in.readUTF())
                .addAllGroups(LegacyBytes.texts(in))
                .build();
    }
}
