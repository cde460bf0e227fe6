package io.godwit.broker.settings;

import io.godwit.broker.config.key.ConfigKey;
import java.util.List;

/** {@code pluginConfig}. */
public record PluginSection(
        @ConfigKey(text = """
                    Plugins that are told of events, in any number. Each has a queue and a thread of its own.
                    """) List<String> eventListeners,
        @ConfigKey(text = """
                    Plugins that see each message that a client publishes, in this order: they may change it or drop
                    it. One that fails has the publish refused.
                    """) List<String> publishInterceptors,
        @ConfigKey(text = """
                    Plugins that see each copy of a message before it is sent to a client, in this order: they may
                    change it or drop it. One that fails has the copy dropped.
                    """) List<String> deliverInterceptors,
        @ConfigKey(text = """
                    Plugins that add and remove user properties of messages, behind those above.
                    """) List<String> userProperties) {}
