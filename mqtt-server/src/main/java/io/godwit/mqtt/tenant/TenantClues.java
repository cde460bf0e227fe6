package io.godwit.mqtt.tenant;

import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;

/** What a connection tells of the tenant of its client. */
public interface TenantClues {
    /** The tenant that its listener is for; empty for none. */
    default String tenant() {
        return "";
    }

    /** The host that the client has asked for in the TLS handshake; null for none. */
    default @Nullable String serverName() {
        return null;
    }

    /** What the client has proven to have the key of; null when it showed none. */
    default @Nullable X509Certificate certificate() {
        return null;
    }
}
