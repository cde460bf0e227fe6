package io.godwit.broker.settings;

import io.godwit.broker.config.key.Key;
import java.util.List;

/** {@code pluginConfig}. */
public record PluginSection(
        @Key(text = """
                    Plugins that are told of events, in any number. Each has a queue and a thread of its own.
                    """) List<String> eventListeners,
        @Key(text = """
                    Plugins that see each message that a client publishes, in this order: they may change it or drop
                    it. One that fails has the publish refused.
                    """) List<String> publishInterceptors,
        @Key(text = """
                    Plugins that see each copy of a message before it is sent to a client, in this order: they may
                    change it or drop it. One that fails has the copy dropped.
                    """) List<String> deliverInterceptors,
        @Key(text = """
                    Plugins that add and remove user properties of messages, behind those above.
                    """) List<String> userProperties) {}
