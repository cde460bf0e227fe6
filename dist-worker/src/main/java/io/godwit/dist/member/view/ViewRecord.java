package io.godwit.dist.member.view;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeWrites;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The view of members in the dist store: one record, changed by compare-and-set on its revision. Everything but the
 * revision is opaque to the store, so that replicas of different versions write the same bytes, and no proposal can
 * stop a range.
 *
 * <pre>
 * key: byte 2, then "view"; behind all routes, whose keys begin with 1. The value is as MembersViewCodec has it.
 *
 * mutation                                 reply
 * size  field                              size  field
 * 1     version, 2                         1     version, 2
 * 8     revision that is to be replaced    1     0 applied, 1 another revision is there, 2 not this range's key,
 * n     new value, of the next revision          3 not of this layout
 *                                          n     the value that is there (after 0 and 1; nothing when there is none)
 * </pre>
 */
public final class ViewRecord {
    /** First byte of mutations and keys of this kind. */
    public static final byte VERSION = 2;

    private static final byte[] KEY = {VERSION, 'v', 'i', 'e', 'w'};
    private static final int EXPECTED_AT = 1;
    private static final int VALUE_AT = EXPECTED_AT + Long.BYTES;
    private static final int REPLY_VALUE_AT = 2;
    private static final int MAX_VALUE_BYTES = 512 * 1024;

    /** The outcome of a mutation. */
    public enum Outcome {
        APPLIED,
        OTHER_REVISION,
        ELSEWHERE,
        REFUSED
    }

    /** @param view the present view; {@link MembersView#NONE} when the range does not know */
    public record Reply(Outcome outcome, MembersView view) {}

    private ViewRecord() {}

    public static byte[] key() {
        return KEY.clone();
    }

    /** Whether a stored key is the key of this record. */
    public static boolean isKey(byte[] key) {
        return Arrays.equals(KEY, key);
    }

    /** Whether a mutation changes this record. */
    public static boolean isMutation(byte[] mutation) {
        return mutation.length > 0 && mutation[0] == VERSION;
    }

    public static byte[] mutation(MembersView next) {
        byte[] value = MembersViewCodec.encode(next);
        return ByteBuffer.allocate(VALUE_AT + value.length)
                .put(VERSION)
                .putLong(next.revision() - 1)
                .put(value)
                .array();
    }

    /**
     * Carries out a mutation. Deterministic; never throws because of its contents.
     *
     * @param told gets the new value after the commit
     */
    public static byte[] apply(
            RangeBounds bounds, RangeWrites writes, byte[] mutation, Consumer<Runnable> afterCommit, CurrentView told) {
        if (!bounds.contains(KEY)) {
            return reply(Outcome.ELSEWHERE, null);
        }
        int length = mutation.length - VALUE_AT;
        if (length < MembersViewCodec.LEAST_BYTES || length > MAX_VALUE_BYTES) {
            return reply(Outcome.REFUSED, null);
        }
        long expected = ByteBuffer.wrap(mutation).getLong(EXPECTED_AT);
        byte[] next = Arrays.copyOfRange(mutation, VALUE_AT, mutation.length);
        if (MembersViewCodec.revision(next) != expected + 1) {
            return reply(Outcome.REFUSED, null);
        }
        byte[] present = writes.get(KEY);
        if ((present == null ? 0 : MembersViewCodec.revision(present)) != expected) {
            return reply(Outcome.OTHER_REVISION, present);
        }
        writes.put(KEY, next);
        afterCommit.accept(() -> told.stored(next));
        return reply(Outcome.APPLIED, next);
    }

    private static byte[] reply(Outcome outcome, byte @Nullable [] value) {
        byte[] reply = new byte[REPLY_VALUE_AT + (value == null ? 0 : value.length)];
        reply[0] = VERSION;
        reply[1] = (byte) outcome.ordinal();
        if (value != null) {
            System.arraycopy(value, 0, reply, REPLY_VALUE_AT, value.length);
        }
        return reply;
    }

    /** Fails with {@link IllegalArgumentException} when {@code reply} has another layout. */
    public static Reply decodeReply(byte[] reply) {
        if (reply.length < REPLY_VALUE_AT
                || reply[0] != VERSION
                || reply[1] < 0
                || reply[1] >= Outcome.values().length) {
            throw new IllegalArgumentException("no reply about the view of members: " + Arrays.toString(reply));
        }
        return new Reply(
                Outcome.values()[reply[1]],
                reply.length == REPLY_VALUE_AT
                        ? MembersView.NONE
                        : MembersViewCodec.decode(Arrays.copyOfRange(reply, REPLY_VALUE_AT, reply.length)));
    }
}
