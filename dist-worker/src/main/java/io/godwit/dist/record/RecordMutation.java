package io.godwit.dist.record;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeWrites;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A change of one record: put or delete, unconditional or only for one revision (compare-and-set). The contents of a
 * record are opaque to the store, so that replicas of different versions write the same bytes, and no proposal can stop
 * a range. A range cannot count the records of a kind, because their keys may be in several ranges; the proposer limits
 * their number.
 *
 * <pre>
 * mutation                                     reply
 * size  field                                  size  field
 * 1     version, 3                             1     version, 3
 * 1     0 put, 1 delete                        1     0 applied, 1 another revision is there, 2 not this range's key,
 * 1     0 whatever is there, 1 the revision          3 not of this layout or out of bounds
 *         that follows                         n     the stored value that is there now (after 0 and 1; nothing when
 * 8     that revision; 0 for no record               there is none)
 * 8     revision of the new value; 0 to delete
 * 2     length of the key
 * n     key, see RecordKeys
 * n     new value, up to 16 KiB; none to delete
 * </pre>
 *
 * The proposer of a value chooses its revision at random. So a record that was deleted and made again has a new
 * revision, and a mutation that comes twice is recognised: when its own revision is stored it answers "applied".
 */
public final class RecordMutation {
    private static final byte PUT = 0;
    private static final byte DELETE = 1;
    private static final byte ANY = 0;
    private static final byte EXACTLY = 1;
    private static final int EXPECTED_AT = 3;
    private static final int REVISION_AT = EXPECTED_AT + Long.BYTES;
    private static final int KEY_LENGTH_AT = REVISION_AT + Long.BYTES;
    private static final int KEY_AT = KEY_LENGTH_AT + Short.BYTES;
    private static final int REPLY_VALUE_AT = 2;

    /** The outcome of a mutation. */
    enum Outcome {
        APPLIED,
        OTHER_REVISION,
        ELSEWHERE,
        REFUSED
    }

    /** @param present the present record; null for none, and when the range does not know */
    record Reply(Outcome outcome, @Nullable StoredRecord present) {}

    private RecordMutation() {}

    /** Whether a mutation changes a record. */
    public static boolean isMutation(byte[] mutation) {
        return mutation.length > 0 && mutation[0] == RecordKeys.VERSION;
    }

    /**
     * Puts {@code value}.
     *
     * @param expected revision to replace, 0 for no record; null for an unconditional put
     * @param revision of the new value, not 0
     */
    static byte[] put(byte[] key, @Nullable Long expected, long revision, byte[] value) {
        return encode(PUT, expected, revision, key, value);
    }

    /**
     * Deletes a record.
     *
     * @param expected revision to delete, 0 for no record; negative for a mutation that changes nothing and asks for
     *     the present record; null for an unconditional delete
     */
    static byte[] delete(byte[] key, @Nullable Long expected) {
        return encode(DELETE, expected, 0, key, new byte[0]);
    }

    private static byte[] encode(byte action, @Nullable Long expected, long revision, byte[] key, byte[] value) {
        return ByteBuffer.allocate(KEY_AT + key.length + value.length)
                .put(RecordKeys.VERSION)
                .put(action)
                .put(expected == null ? ANY : EXACTLY)
                .putLong(expected == null ? 0 : expected)
                .putLong(revision)
                .putShort((short) key.length)
                .put(key)
                .put(value)
                .array();
    }

    /**
     * Carries out a mutation. Deterministic; never throws because of its contents.
     *
     * @param isNewest whether no other replica of this node has newer data for the key; called after the commit
     * @param index updated after the commit
     */
    public static byte[] apply(
            RangeBounds bounds,
            RangeWrites writes,
            byte[] mutation,
            Consumer<Runnable> afterCommit,
            Predicate<byte[]> isNewest,
            RecordIndex index) {
        if (mutation.length < KEY_AT || mutation[1] < PUT || mutation[1] > DELETE) {
            return reply(Outcome.REFUSED, null);
        }
        ByteBuffer in = ByteBuffer.wrap(mutation);
        int keyEnd = KEY_AT + Short.toUnsignedInt(in.getShort(KEY_LENGTH_AT));
        if (keyEnd > mutation.length) {
            return reply(Outcome.REFUSED, null);
        }
        byte[] key = Arrays.copyOfRange(mutation, KEY_AT, keyEnd);
        RecordKeys.Key name = RecordKeys.parse(key);
        if (name == null) {
            return reply(Outcome.REFUSED, null);
        }
        if (!bounds.contains(key)) {
            return reply(Outcome.ELSEWHERE, null);
        }
        boolean isPut = mutation[1] == PUT;
        long revision = in.getLong(REVISION_AT);
        int valueBytes = mutation.length - keyEnd;
        if (isPut ? revision == 0 || valueBytes > RecordKeys.MAX_VALUE_BYTES : revision != 0 || valueBytes > 0) {
            return reply(Outcome.REFUSED, null);
        }
        byte[] present = writes.get(key);
        long found = RecordKeys.revision(present);
        if (isPut && found == revision) {
            return reply(Outcome.APPLIED, present); // it has come before
        }
        if (mutation[2] != ANY && found != in.getLong(EXPECTED_AT)) {
            return reply(Outcome.OTHER_REVISION, present);
        }
        if (!isPut) {
            writes.delete(key);
            afterCommit.accept(() -> {
                if (isNewest.test(key)) {
                    index.gone(name);
                }
            });
            return reply(Outcome.APPLIED, null);
        }
        byte[] next = RecordKeys.stored(revision, Arrays.copyOfRange(mutation, keyEnd, mutation.length));
        writes.put(key, next);
        afterCommit.accept(() -> {
            if (isNewest.test(key)) {
                index.stored(name, next);
            }
        });
        return reply(Outcome.APPLIED, next);
    }

    private static byte[] reply(Outcome outcome, byte @Nullable [] stored) {
        byte[] reply = new byte[REPLY_VALUE_AT + (stored == null ? 0 : stored.length)];
        reply[0] = RecordKeys.VERSION;
        reply[1] = (byte) outcome.ordinal();
        if (stored != null) {
            System.arraycopy(stored, 0, reply, REPLY_VALUE_AT, stored.length);
        }
        return reply;
    }

    /** Fails with {@link IllegalArgumentException} when {@code reply} has another layout. */
    static Reply decodeReply(String name, byte[] reply) {
        if (reply.length < REPLY_VALUE_AT
                || reply[0] != RecordKeys.VERSION
                || reply[1] < 0
                || reply[1] >= Outcome.values().length) {
            throw new IllegalArgumentException("no reply about the record " + name + ": " + reply.length + " bytes");
        }
        byte[] stored = Arrays.copyOfRange(reply, REPLY_VALUE_AT, reply.length);
        return new Reply(Outcome.values()[reply[1]], stored.length == 0 ? null : RecordKeys.read(name, stored));
    }
}
