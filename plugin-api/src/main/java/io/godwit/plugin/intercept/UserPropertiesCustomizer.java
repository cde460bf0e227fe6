package io.godwit.plugin.intercept;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.UserProperty;
import java.util.List;

/**
 * Adds and removes user properties of messages, on their way in and out. Called like {@link PublishInterceptor} and
 * {@link DeliverInterceptor}, after them; a failure has the same effect on the message. The broker does not call a
 * method that the class does not override.
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
