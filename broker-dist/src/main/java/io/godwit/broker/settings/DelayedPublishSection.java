package io.godwit.broker.settings;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Unit;

/** {@code topicConfig.delayedPublish}. */
public record DelayedPublishSection(
        @ConfigKey(value = "0", min = 0, max = 0xFFFF_FFFFL, unit = Unit.SECONDS, text = """
                    The longest delay (and never more than sessionConfig.maxExpirySeconds). A longer one, a topic
                    that is not of this form, or one that is delayed twice, is refused (0x90; under MQTT 3.1.1 the
                    message is acknowledged and dropped, and reported). 0 = the topics have no special meaning.
                    """)
        long maxSeconds,

        @ConfigKey(value = "100000", min = 1, text = """
                    Messages that wait at once; more are refused (0x97; under MQTT 3.1.1 the connection is closed).
                    One tenant may have nine tenths of what the others leave. One of QoS 2 counts for a minute longer.
                    """) int maxMessages) {}
