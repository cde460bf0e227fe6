package io.godwit.dist.client;

import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * One copy of a message for one session: its overlapping subscriptions merged [MQTT5-3.3.4-2].
 *
 * @param qos the highest granted QoS of the matching subscriptions; the delivery uses the lower of this and the
 *     published one
 * @param retainAsPublished whether one of them asked for it [MQTT5-3.3.1-12]
 * @param subscriptionIds the identifiers of all of them, empty when none has one [MQTT5-3.3.4-3]; shared, never
 *     modified
 * @param sharedBy the shared subscription that the receiver was chosen for; null when it gets the message by
 *     subscriptions of its own. A session may be given one copy under each (MQTT 5.0, 4.8.2), and this tells those
 *     copies apart.
 */
@SuppressWarnings("ArrayRecordComponent")
public record Match(
        Receiver receiver,
        Qos qos,
        boolean retainAsPublished,
        int[] subscriptionIds,
        @Nullable TopicFilter sharedBy) {
    /** Shared value of "no identifier". */
    public static final int[] NO_IDS = {};

    /** By subscriptions that are not shared. */
    public Match(Receiver receiver, Qos qos, boolean retainAsPublished, int[] subscriptionIds) {
        this(receiver, qos, retainAsPublished, subscriptionIds, null);
    }
}
