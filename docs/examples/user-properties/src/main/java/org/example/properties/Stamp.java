package org.example.properties;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.intercept.UserPropertiesCustomizer;
import io.godwit.plugin.intercept.UserPropertiesCustomizerFactory;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.UserProperty;
import java.util.ArrayList;
import java.util.List;

/** Messages tell who published them; properties for use inside only, "internal-...", are not sent to clients. */
public final class Stamp implements UserPropertiesCustomizerFactory, Plugin {
    private static final String PUBLISHER = "publisher";

    @Override
    public String name() {
        return "stamp";
    }

    @Override
    public boolean isNonBlocking() {
        return true;
    }

    @Override
    public UserPropertiesCustomizer create() {
        return new UserPropertiesCustomizer() {
            @Override
            public List<UserProperty> onPublish(ClientInfo publisher, Message message) {
                List<UserProperty> all = new ArrayList<>(message.properties().userProperties());
                all.removeIf(each -> each.name().equals(PUBLISHER)); // nobody says this of himself
                all.add(new UserProperty(PUBLISHER, publisher.clientId().value()));
                return all;
            }

            @Override
            public List<UserProperty> onDeliver(ClientInfo receiver, Message message) {
                List<UserProperty> before = message.properties().userProperties();
                boolean hasInternal = before.stream().anyMatch(Stamp::isInternal);
                return hasInternal
                        ? before.stream().filter(each -> !isInternal(each)).toList()
                        : before;
            }
        };
    }

    private static boolean isInternal(UserProperty property) {
        return property.name().startsWith("internal-");
    }
}
