package io.godwit.plugin.auth;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.UserProperty;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A CONNECT to be checked.
 *
 * @param client who it says it is; nothing of it is proven but, perhaps, the user name
 * @param isUserProven whether the user name comes out of a certificate that the client has proven to hold; it then
 *     needs no password
 * @param password null when absent; read only, and not to be kept or logged
 * @param userProperties of the CONNECT, in its order
 * @param certificate that the client has proven to hold, and whose issuer the listener trusts; null when it showed none
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

    /** Of a client without a certificate. */
    public ConnectRequest(
            ClientInfo client, boolean isUserProven, byte @Nullable [] password, List<UserProperty> userProperties) {
        this(client, isUserProven, password, userProperties, null);
    }

    /** Names no password. */
    @Override
    public String toString() {
        return "ConnectRequest[client=" + client + ", password=" + (password != null) + "]";
    }
}
