package io.godwit.mqtt.auth;

import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.ClientInfo;

/**
 * An auth provider of the broker that asks another one, whose answers may cease to hold for one client, and which may
 * only learn after a while that the other one does not know an authentication method.
 */
public interface ClientDecisions extends AuthProvider {
    /** The answer to an exchange whose method is not known: the client is told so. */
    ConnectResult.Refused UNKNOWN_METHOD =
            new ConnectResult.Refused(RefusalReason.NOT_AUTHORIZED, "unknown authentication method");

    /** As {@link AuthProvider#rulesVersion}, for what is remembered of this client. */
    long rulesVersion(ClientInfo client);
}
