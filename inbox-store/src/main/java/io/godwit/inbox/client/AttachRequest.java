package io.godwit.inbox.client;

import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientInfo;
import org.jspecify.annotations.Nullable;

/**
 * @param cleanStart discard a stored session [MQTT5-3.1.2-4]
 * @param expirySeconds Session Expiry Interval, 0 to 4,294,967,295, the last meaning never
 * @param attempt names this CONNECT in the cluster, so that it takes nothing over from itself when it is asked again; 0
 *     when it is asked once
 * @param resend abandoned when the connection has ended
 */
public record AttachRequest(
        ClientInfo client,
        boolean cleanStart,
        long expirySeconds,
        @Nullable Will will,
        long attempt,
        Resend resend) {
    /** The Session Expiry Interval that never ends. */
    public static final long NEVER = 0xFFFF_FFFFL;

    /** One that is asked once. */
    public AttachRequest(ClientInfo client, boolean cleanStart, long expirySeconds, @Nullable Will will) {
        this(client, cleanStart, expirySeconds, will, 0, Resend.ALWAYS);
    }

    /** The same with a name. */
    public AttachRequest named(long name) {
        return new AttachRequest(client, cleanStart, expirySeconds, will, name, resend);
    }
}
