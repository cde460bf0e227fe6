package io.godwit.plugin.auth;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.UserProperty;
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
 */
@SuppressWarnings("ArrayRecordComponent") // shared by contract, compared nowhere
public record ConnectRequest(
        ClientInfo client, boolean isUserProven, byte @Nullable [] password, List<UserProperty> userProperties) {
    public ConnectRequest {
        userProperties = List.copyOf(userProperties);
    }

    /** Names no password. */
    @Override
    public String toString() {
        return "ConnectRequest[client=" + client + ", password=" + (password != null) + "]";
    }
}
