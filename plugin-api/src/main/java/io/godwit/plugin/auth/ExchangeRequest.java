package io.godwit.plugin.auth;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.UserProperty;
import java.util.List;

/**
 * The start of an extended authentication.
 *
 * @param method the Authentication Method of the CONNECT
 * @param client at a CONNECT as the client names itself; at a re-authentication as it was authenticated
 * @param userProperties of the CONNECT or AUTH that begins it, in their order
 * @param isReauthentication whether the client is connected already (MQTT 5.0, 4.12.1)
 */
public record ExchangeRequest(
        String method, ClientInfo client, List<UserProperty> userProperties, boolean isReauthentication) {
    public ExchangeRequest {
        userProperties = List.copyOf(userProperties);
    }
}
