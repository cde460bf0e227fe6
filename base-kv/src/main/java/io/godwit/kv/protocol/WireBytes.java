package io.godwit.kv.protocol;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.godwit.kv.coprocessor.RangeBounds;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Byte fields of messages. */
public final class WireBytes {
    private WireBytes() {}

    /** The bytes without a copy: nobody may change them until the message is encoded. */
    public static ByteString wrap(byte[] bytes) {
        return UnsafeByteOperations.unsafeWrap(bytes);
    }

    /** Bounds of a range, from two fields of a message. */
    public static RangeBounds bounds(ByteString start, boolean hasEnd, ByteString end) {
        byte @Nullable [] last = hasEnd ? end.toByteArray() : null;
        return new RangeBounds(start.toByteArray(), last);
    }

    /** @throws IOException if {@code count} is above {@code most} */
    public static int requireAtMost(int count, int most, String what) throws IOException {
        if (count > most) {
            throw new IOException(what + ": count of " + count + ", at most " + most);
        }
        return count;
    }
}
