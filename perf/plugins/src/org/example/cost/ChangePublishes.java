package org.example.cost;

import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.intercept.Interception;
import io.godwit.plugin.intercept.PublishInterceptor;
import io.godwit.plugin.intercept.PublishInterceptorFactory;
import io.godwit.plugin.message.MessageProperties;

/** Replaces each message by one that is marked as text. The payload stays: the load tool reads it. */
public final class ChangePublishes implements PublishInterceptorFactory, Plugin {
    @Override
    public String name() {
        return "cost-change";
    }

    @Override
    public boolean isNonBlocking() {
        return true;
    }

    @Override
    public PublishInterceptor create() {
        return (publisher, message) -> {
            MessageProperties before = message.properties();
            return new Interception.Changed(message.withProperties(new MessageProperties(
                    1,
                    before.messageExpirySeconds(),
                    before.contentType(),
                    before.responseTopic(),
                    before.correlationData(),
                    before.userProperties())));
        };
    }
}
