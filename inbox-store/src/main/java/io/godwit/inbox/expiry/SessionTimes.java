package io.godwit.inbox.expiry;

import io.godwit.inbox.client.AttachRequest;

/**
 * When a detached session ends and when its will is due. Milliseconds of the wall clock; {@link Long#MAX_VALUE} is
 * never.
 */
public final class SessionTimes {
    private SessionTimes() {}

    /** [MQTT5-3.1.2-23] */
    public static long endsAt(long detachedAtMillis, long expirySeconds) {
        return expirySeconds >= AttachRequest.NEVER ? Long.MAX_VALUE : detachedAtMillis + expirySeconds * 1000;
    }

    /** The end of its delay or of the session, whichever is first [MQTT5-3.1.3-9]. */
    public static long willDueAt(long detachedAtMillis, long delaySeconds, long expirySeconds) {
        return Math.min(detachedAtMillis + delaySeconds * 1000, endsAt(detachedAtMillis, expirySeconds));
    }
}
