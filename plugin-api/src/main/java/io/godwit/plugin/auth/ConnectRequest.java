package io.godwit.plugin.auth;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.UserProperty;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A CONNECT to be checked.
 *
 * @param client as the client names itself; nothing of it is proven, except the user name if {@code isUserProven}
 * @param isUserProven whether the user name comes from a certificate whose key the client has proven to hold; the
 *     client then needs no password
 * @param password null when absent; read only, must not be kept or logged
 * @param userProperties of the CONNECT, in its order
 * @param certificate the client's certificate, whose key it has proven to hold and whose issuer the listener
 *     trusts; null when it showed none
 */
@SuppressWarnings("ArrayRecordComponent") // shared by contract, compared nowhere
public record ConnectRequest(
        ClientInfo client,
        boolean isUserProven,
        byte @Nullable [] password,
        List<UserProperty> userProperties,
        @Nullable X509Certificate certificate) {
    public ConnectRequest {
        userProperties = List.copyOf(userProperties);
    }

    /** For a client without a certificate. */
    public ConnectRequest(
            ClientInfo client, boolean isUserProven, byte @Nullable [] password, List<UserProperty> userProperties) {
        this(client, isUserProven, password, userProperties, null);
    }

    /** Leaves out the password. */
    @Override
    public String toString() {
        return "ConnectRequest[client=" + client + ", password=" + (password != null) + "]";
    }
}
