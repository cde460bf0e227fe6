package io.godwit.inbox.client;

import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientInfo;
import org.jspecify.annotations.Nullable;

/**
 * A CONNECT as the store sees it.
 *
 * @param cleanStart discard a stored session [MQTT5-3.1.2-4]
 * @param expirySeconds Session Expiry Interval, 0 to 4,294,967,295, the last meaning never
 * @param attempt identifies this CONNECT in the cluster, so that a repeated request does not take the session over from
 *     itself; 0 when the request is never repeated
 * @param resend abandoned when the connection has ended
 */
public record AttachRequest(
        ClientInfo client,
        boolean cleanStart,
        long expirySeconds,
        @Nullable Will will,
        long attempt,
        Resend resend) {
    /** The Session Expiry Interval of a session that never expires. */
    public static final long NEVER = 0xFFFF_FFFFL;

    /** A request that is never repeated. */
    public AttachRequest(ClientInfo client, boolean cleanStart, long expirySeconds, @Nullable Will will) {
        this(client, cleanStart, expirySeconds, will, 0, Resend.ALWAYS);
    }

    /** The same with {@link #attempt} set. */
    public AttachRequest named(long name) {
        return new AttachRequest(client, cleanStart, expirySeconds, will, name, resend);
    }
}
