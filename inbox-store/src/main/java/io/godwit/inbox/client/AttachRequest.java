package io.godwit.inbox.client;

import io.godwit.plugin.client.ClientInfo;
import org.jspecify.annotations.Nullable;

/**
 * @param cleanStart discard a stored session [MQTT5-3.1.2-4]
 * @param expirySeconds Session Expiry Interval, 0 to 4,294,967,295, the last meaning never
 */
public record AttachRequest(
        ClientInfo client,
        boolean cleanStart,
        long expirySeconds,
        @Nullable Will will) {
    /** The Session Expiry Interval that never ends. */
    public static final long NEVER = 0xFFFF_FFFFL;
}
