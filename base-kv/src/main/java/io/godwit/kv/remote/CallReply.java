package io.godwit.kv.remote;

import io.godwit.kv.client.RangeException;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a call.
 *
 * @param value the reply if the call was carried out
 * @param failure why it was not, or that the outcome is unknown, see {@link RangeException.Cause}. {@code MOVED} means
 *     that the token was not in force and nothing was done
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
