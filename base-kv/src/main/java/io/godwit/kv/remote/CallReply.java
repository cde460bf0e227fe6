package io.godwit.kv.remote;

import io.godwit.kv.client.RangeException;
import org.jspecify.annotations.Nullable;

/**
 * What came of a call.
 *
 * @param value when it was done
 * @param failure when it was not, or when nobody knows: its cause says which, as in {@link RangeException.Cause}.
 *     {@code MOVED} means that the token was not in force, and nothing was done
 */
@SuppressWarnings("ArrayRecordComponent")
record CallReply(byte @Nullable [] value, @Nullable RangeException failure) {
    static CallReply done(byte[] value) {
        return new CallReply(value, null);
    }

    static CallReply failed(RangeException failure) {
        return new CallReply(null, failure);
    }

    static CallReply of(byte @Nullable [] value, @Nullable Throwable thrown) {
        if (thrown == null && value != null) {
            return done(value);
        }
        return failed(
                thrown instanceof RangeException own
                        ? own
                        : new RangeException(RangeException.Cause.STORE_FAILED, String.valueOf(thrown)));
    }

    boolean isMoved() {
        return failure != null && failure.reason() == RangeException.Cause.MOVED;
    }
}
