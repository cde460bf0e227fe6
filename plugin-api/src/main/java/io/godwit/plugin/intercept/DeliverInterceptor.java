package io.godwit.plugin.intercept;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;

/**
 * Sees each copy of a message before it is sent to a client; retained messages too, and copies that are sent again.
 *
 * <p>Called on threads of the plugin, or on event loops for one that does not block, for many copies at once; those of
 * one client are sent in their order. Many copies of one message are as many calls.
 *
 * <p>When a call throws, answers null or is not answered within 5 seconds, the copy is dropped. A copy may not be given
 * to the plugin at all, for want of a free thread or while the plugin is not called for not answering in time. At QoS 0
 * it is dropped then; at QoS 1 and 2 it waits in the queue of the client, and the plugin is asked about it again.
 */
@FunctionalInterface
public interface DeliverInterceptor {
    /**
     * What becomes of the copy. It may have another payload and other properties; an answer with another topic, QoS or
     * RETAIN flag, or of a message that would be larger than a client may send, is refused as if there was none. A
     * dropped copy counts as acknowledged, and is a {@code MessageDropped} with the reason {@code INTERCEPTED}.
     *
     * @param message as its publisher sent it, with the QoS of that; its payload must not be modified
     */
    Interception onDeliver(ClientInfo receiver, Message message);
}
