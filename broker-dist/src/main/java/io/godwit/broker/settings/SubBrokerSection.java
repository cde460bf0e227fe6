package io.godwit.broker.settings;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Unit;
import java.util.List;

/** {@code subBrokerConfig}. */
public record SubBrokerSection(
        @ConfigKey(text = "Names of plugins, the same on all nodes. Empty: none.")
        List<String> plugins,

        @ConfigKey(value = "500", min = 1, max = 10_000, text = """
                    Messages of one batch, and the memory that they take; a larger message is alone in its batch. A
                    subscription has one batch under way.
                    """)
        int maxBatchMessages,

        @ConfigKey(value = "1MB", min = 1, max = 1 << 30, unit = Unit.BYTES)
        long maxBatchBytes,

        @ConfigKey(value = "2000", min = 1, max = 100_000, text = """
                    Messages that one subscription has read out of its queue and not handed over, and the memory that
                    they take; when it is full, no more are read, but for those that were asked for: at most 128, and
                    fewer when messages are large.
                    """)
        int maxHeldMessages,

        @ConfigKey(value = "16MB", min = 1, max = 1 << 30, unit = Unit.BYTES)
        long maxHeldBytes,

        @ConfigKey(value = "30", min = 1, max = 3_600, unit = Unit.SECONDS, text = """
                    A batch that a plugin does not answer in this time is handed over again.
                    """)
        int timeoutSeconds) {}
