package io.godwit.plugin.intercept;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;

/**
 * Sees each message that a client publishes, after it was allowed and before anybody else has it. Wills and what the
 * broker, operators and plugins publish are not intercepted.
 *
 * <p>Called on threads of the plugin, or on event loops for one that does not block, for many messages at once, several
 * of one client among them; what becomes of the messages of a client keeps their order. A message that its client sends
 * again, since it saw no acknowledgement, may be intercepted again.
 *
 * <p>When a call throws, answers null or is not answered within 5 seconds, or while the plugin is not called for
 * not answering in time, the publish is refused: MQTT 5.0 is told 0x83 at QoS 1 and 2, the connection of a client of
 * MQTT 3.1.1 is closed, and QoS 0 is discarded. Each is a {@code PublishRefused}.
 */
@FunctionalInterface
public interface PublishInterceptor {
    /**
     * What becomes of the message. It may have another payload, topic, RETAIN flag and other properties, and a lower
     * QoS. An answer is refused as if there was none when the topic is no topic name, begins with {@code $SYS/} or is
     * over the limits of the broker, when the QoS is higher, or when the message would be larger than a client may
     * send. Nobody is asked whether the client may publish to another topic. A topic is called as the broker calls it:
     * below the mount point of the client's listener, if that has one.
     *
     * <p>A dropped message is acknowledged (MQTT 5.0 is told 0x10, as if nobody had subscribed), and is a
     * {@code PublishIntercepted}.
     *
     * @param message its payload must not be modified
     */
    Interception onPublish(ClientInfo publisher, Message message);
}
