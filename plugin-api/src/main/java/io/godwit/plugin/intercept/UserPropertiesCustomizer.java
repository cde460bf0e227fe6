package io.godwit.plugin.intercept;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.UserProperty;
import java.util.List;

/**
 * Adds and removes user properties of messages, on their way in and out, after the interceptors.
 *
 * <p><b>Thread:</b> those of {@link PublishInterceptor} and {@link DeliverInterceptor}.
 *
 * <p><b>Cost:</b> a call for each PUBLISH and for each copy, which wait for the answer. The broker does not call a
 * method that the class does not override, so such a method costs nothing.
 *
 * <p><b>Failure:</b> the effect on the message is that of a failed {@link PublishInterceptor} or
 * {@link DeliverInterceptor}: the publish is refused, the copy is dropped.
 */
public interface UserPropertiesCustomizer {
    /**
     * The user properties of a message that a client publishes.
     *
     * @return all of them; {@code message.properties().userProperties()} itself when nothing changes
     */
    default List<UserProperty> onPublish(ClientInfo publisher, Message message) {
        return message.properties().userProperties();
    }

    /**
     * The user properties of a message sent to a client.
     *
     * @return all of them; {@code message.properties().userProperties()} itself when nothing changes
     */
    default List<UserProperty> onDeliver(ClientInfo receiver, Message message) {
        return message.properties().userProperties();
    }
}
