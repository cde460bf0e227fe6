package io.godwit.plugin.intercept;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.UserProperty;
import java.util.List;

/**
 * Adds user properties to messages and removes them, on their way in and out. It is called as
 * {@link PublishInterceptor} and {@link DeliverInterceptor} are, behind those, and when it fails the same becomes of
 * the message. One that leaves a method out is not called for it.
 */
public interface UserPropertiesCustomizer {
    /**
     * The user properties that the broker takes in.
     *
     * @return all of them; {@code message.properties().userProperties()} itself when nothing changes
     */
    default List<UserProperty> onPublish(ClientInfo publisher, Message message) {
        return message.properties().userProperties();
    }

    /**
     * The user properties that are sent to a client.
     *
     * @return all of them; {@code message.properties().userProperties()} itself when nothing changes
     */
    default List<UserProperty> onDeliver(ClientInfo receiver, Message message) {
        return message.properties().userProperties();
    }
}
