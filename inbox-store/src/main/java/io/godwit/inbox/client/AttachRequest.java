package io.godwit.inbox.client;

import io.godwit.plugin.client.ClientInfo;
import org.jspecify.annotations.Nullable;

/**
 * @param cleanStart discard a stored session [MQTT5-3.1.2-4]
 * @param expirySeconds Session Expiry Interval, 0 to 4,294,967,295, the last meaning never
 * @param replacesStored whether the will takes the place of something stored, which is deleted once it is: then it is
 *     taken while free disk is below the low-water mark, too
 */
public record AttachRequest(
        ClientInfo client,
        boolean cleanStart,
        long expirySeconds,
        @Nullable Will will,
        boolean replacesStored) {
    /** The Session Expiry Interval that never ends. */
    public static final long NEVER = 0xFFFF_FFFFL;

    /** Of a client. */
    public AttachRequest(ClientInfo client, boolean cleanStart, long expirySeconds, @Nullable Will will) {
        this(client, cleanStart, expirySeconds, will, false);
    }
}
