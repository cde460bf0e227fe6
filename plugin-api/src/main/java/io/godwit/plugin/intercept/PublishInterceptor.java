package io.godwit.plugin.intercept;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;

/**
 * Sees each message that a client publishes, after authorization and before anyone else gets it. Wills, and messages of
 * the broker, operators and plugins, are not intercepted.
 *
 * <p><b>Thread:</b> threads of the plugin, or event loops if the plugin does not block
 * ({@link io.godwit.plugin.context.Plugin#isNonBlocking}); many messages at once, also several of one client. The
 * broker processes the results for one client in the order of its messages.
 *
 * <p><b>Cost:</b> a call for each PUBLISH, which waits for the answer; its client is read more slowly while many wait.
 * On threads of the plugin a call costs two thread changes, so an interceptor for many messages should not block. A
 * message that its client sends again, because it saw no acknowledgement, may be intercepted again.
 *
 * <p><b>Failure:</b> when a call throws, returns null or is not answered within 5 seconds, or while the broker skips
 * the plugin because it did not answer in time, the publish is refused: an MQTT 5.0 client gets 0x83 at QoS 1 and 2,
 * the connection of an MQTT 3.1.1 client is closed, and QoS 0 is discarded. Each raises a {@code PublishRefused}.
 */
@FunctionalInterface
public interface PublishInterceptor {
    /**
     * Decides about the message. It may get another payload, topic, RETAIN flag and other properties, and a lower QoS.
     * An answer counts as missing when its topic is not a valid topic name, begins with {@code $SYS/} or exceeds the
     * limits of the broker, when its QoS is higher, or when the message is larger than a client may send. The broker
     * does not check whether the client may publish to a changed topic. Topics are the broker's: below the mount point
     * of the client's listener, if it has one.
     *
     * <p>A dropped message is acknowledged (an MQTT 5.0 client gets 0x10, as if nobody had subscribed), and raises a
     * {@code PublishIntercepted}.
     *
     * @param message its payload must not be modified
     */
    Interception onPublish(ClientInfo publisher, Message message);
}
