package io.godwit.inbox.queue;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;

/**
 * A will as the session record keeps it.
 *
 * @param incarnation of the session whose connection left it
 * @param number of its delivery token
 * @param publisher the connection that left it
 */
record StoredWill(long incarnation, long number, ClientInfo publisher, Message message, long delaySeconds) {}
