package io.godwit.mqtt.tenant;

import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;

/** Facts about a connection from which the tenant of its client is determined. */
public interface TenantClues {
    /** The tenant of its listener; empty for none. */
    default String tenant() {
        return "";
    }

    /** The host name that the client sent in the TLS handshake; null for none. */
    default @Nullable String serverName() {
        return null;
    }

    /** The client's certificate, whose key it has proven to hold; null when it showed none. */
    default @Nullable X509Certificate certificate() {
        return null;
    }
}
