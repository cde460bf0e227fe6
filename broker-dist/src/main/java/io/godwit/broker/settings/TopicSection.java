package io.godwit.broker.settings;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Section;
import io.godwit.broker.config.key.Unit;
import io.godwit.mqtt.topic.AutoSubscription;
import io.godwit.mqtt.topic.RewriteRule;
import java.util.List;

/** {@code topicConfig}. */
public record TopicSection(
        @ConfigKey(commas = false, text = """
                    Topics that get another name before anything else is done with them. A list, each entry of four
                    words:
                      publish, subscribe, all   for topics of PUBLISH and wills, for filters of SUBSCRIBE and
                                                UNSUBSCRIBE, or for both
                      a topic filter            which topics
                      a regular expression      what must be found in the topic
                      the new name              $1 to $9 are groups of the expression, %c is the client id, %u the
                                                user name
                    The first entry that is for a topic counts. A name that would not be valid is not given; nor is
                    one with %c or %u to a client whose id or user name has a /, + or #. Whether a client may
                    publish is judged by the new name. What is delivered keeps it. An example:
                      - all devices/+/raw ^devices/(.+)/raw$ raw/$1
                    """) List<RewriteRule> rewrite,
        @ConfigKey(commas = false, text = """
                    What every client is subscribed to when it connects, beside what it asks for: a list of filters,
                    each followed by its QoS (0 when left out); %c and %u as above. An example:
                      - clients/%c/commands 1
                    """) List<AutoSubscription> autoSubscriptions,
        @ConfigKey(value = "false", text = """
                    Whether $exclusive/filter may be subscribed to: one client at most has it, a second one is
                    refused (0x97; 0x80 under MQTT 3.1.1) until the first unsubscribes or its session ends. The
                    filter is matched without $exclusive/. With false such filters are refused as not valid.
                    """) boolean exclusiveSubscriptions,
        @Section(text = """
                    Messages for $delayed/{seconds}/{topic}: published to the topic that much later, once, also when
                    the broker was restarted meanwhile; the acknowledgement means that they are stored.
                    """) DelayedPublishSection delayedPublish,

        @ConfigKey(value = "0", min = 0, max = 86_400, unit = Unit.SECONDS, text = """
                    How often $SYS/broker/... is published, as retained messages, with the names mosquitto gives
                    them: version, uptime, clients, messages, what is stored, bytes, subscriptions, load. Clients
                    then can not publish to $SYS (0x87). To count what is stored, all queues are read once after a
                    start, slowly; until then too little is told. 0 = never.
                    """)
        int sysIntervalSeconds) {}
