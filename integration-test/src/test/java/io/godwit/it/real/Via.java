package io.godwit.it.real;

import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * What a client speaks below MQTT.
 *
 * @param trust whom it trusts; null for no TLS
 * @param isWebSocket whether over WebSocket at the path {@code /mqtt}
 */
record Via(@Nullable TrustManagerFactory trust, boolean isWebSocket) {
    static final Via TCP = new Via(null, false);

    boolean isTls() {
        return trust != null;
    }

    /** Of {@code host:port}, as Paho's clients want it. */
    String uri(String address) {
        if (isWebSocket) {
            return (isTls() ? "wss://" : "ws://") + address + "/mqtt";
        }
        return (isTls() ? "ssl://" : "tcp://") + address;
    }

    SSLSocketFactory sockets() {
        if (trust == null) {
            throw new IllegalStateException("no TLS");
        }
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
