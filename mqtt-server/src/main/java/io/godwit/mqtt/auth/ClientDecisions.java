package io.godwit.mqtt.auth;

import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.ClientInfo;

/**
 * A provider of the broker that wraps another one. Its answers may become invalid for single clients, and it may learn
 * only later that the other provider does not know an authentication method.
 */
public interface ClientDecisions extends AuthProvider {
    /** The answer to an exchange with an unknown method; the client gets "bad authentication method". */
    ConnectResult.Refused UNKNOWN_METHOD =
            new ConnectResult.Refused(RefusalReason.NOT_AUTHORIZED, "unknown authentication method");

    /** As {@link AuthProvider#rulesVersion}, for the remembered answers of this client. */
    long rulesVersion(ClientInfo client);
}
