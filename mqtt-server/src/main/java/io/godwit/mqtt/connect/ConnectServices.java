package io.godwit.mqtt.connect;

import io.godwit.inbox.client.SessionDirectory;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.tenant.TenantNaming;
import io.godwit.mqtt.transport.limit.Bans;
import io.godwit.mqtt.transport.limit.OpenCount;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all connections of a node share before they have a session.
 *
 * @param clientIds makes unguessable client ids for clients without one; called on any loop
 * @param pending the memory budget of waiting CONNECTs
 * @param open counts sessions that have not ended
 * @param tenantNaming finds the tenant of a client
 * @param placing null when every client is served here
 */
public record ConnectServices(
        SessionServices session,
        SessionDirectory directory,
        Supplier<String> clientIds,
        PendingConnects pending,
        OpenCount open,
        Bans bans,
        TenantNaming tenantNaming,
        @Nullable ClientPlacing placing) {
    /**
     * @param maxPendingBytes heap that waiting CONNECTs may take, not counting those of 4 KiB and less; 0 for no limit
     */
    public ConnectServices(
            SessionServices session,
            SessionDirectory directory,
            Supplier<String> clientIds,
            long maxPendingBytes,
            OpenCount open,
            Bans bans,
            TenantNaming tenantNaming) {
        this(session, directory, clientIds, new PendingConnects(maxPendingBytes), open, bans, tenantNaming, null);
    }

    /** For new connections; budgets over all connections stay the same objects. */
    public ConnectServices reconfigured(SessionServices next) {
        return new ConnectServices(next, directory, clientIds, pending, open, bans, tenantNaming, placing);
    }

    /** Call before there are connections. */
    public ConnectServices placedBy(ClientPlacing given) {
        return new ConnectServices(session, directory, clientIds, pending, open, bans, tenantNaming, given);
    }
}
