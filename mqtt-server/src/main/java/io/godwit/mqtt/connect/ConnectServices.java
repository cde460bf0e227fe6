package io.godwit.mqtt.connect;

import io.godwit.inbox.client.SessionDirectory;
import io.godwit.mqtt.session.SessionServices;
import io.godwit.mqtt.transport.Bans;
import io.godwit.mqtt.transport.OpenCount;
import java.util.function.Supplier;

/**
 * What all connections of a node share before they have a session.
 *
 * @param clientIds makes client ids for clients that bring none; nobody can guess them; called on any loop
 * @param open counts sessions that have not ended
 */
public record ConnectServices(
        SessionServices session, SessionDirectory directory, Supplier<String> clientIds, OpenCount open, Bans bans) {}
