package io.godwit.plugin.intercept;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;

/**
 * Sees each copy of a message before it is sent to a client, also retained messages and copies sent again.
 *
 * <p><b>Thread:</b> threads of the plugin, or event loops if the plugin does not block
 * ({@link io.godwit.plugin.context.Plugin#isNonBlocking}), for many copies at once; the copies of one client are sent
 * in their order.
 *
 * <p><b>Cost:</b> a call for each copy: a message for a hundred receivers is a hundred calls. The broker makes one call
 * at a time for each client (two for a client without a stored session: one for QoS 0, one for QoS 1 or 2), so a slow
 * interceptor slows every client. On threads of the plugin a call costs two thread changes.
 *
 * <p><b>Failure:</b> when a call throws, returns null or is not answered within 5 seconds, the copy is dropped. A copy
 * may not reach the plugin at all, for lack of a free thread or while the broker skips the plugin because it did not
 * answer in time. Such a copy is dropped at QoS 0; at QoS 1 and 2 it waits in the queue of the client, and the plugin
 * is called for it again.
 */
@FunctionalInterface
public interface DeliverInterceptor {
    /**
     * Decides about the copy. It may get another payload and other properties. An answer with another topic, QoS or
     * RETAIN flag, or with a message larger than a client may send, counts as no answer. A dropped copy counts as
     * acknowledged, and raises a {@code MessageDropped} with the reason {@code INTERCEPTED}.
     *
     * @param message as its publisher sent it, with the publisher's QoS; its payload must not be modified
     */
    Interception onDeliver(ClientInfo receiver, Message message);
}
