package io.godwit.dist.client;

import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * One copy of a message for one session: its overlapping subscriptions merged [MQTT5-3.3.4-2].
 *
 * @param qos the highest granted QoS of the matching subscriptions; the delivery uses the lower of this and the
 *     published one
 * @param retainAsPublished whether one of the subscriptions asked for it [MQTT5-3.3.1-12]
 * @param subscriptionIds identifiers of all these subscriptions, empty when none has one [MQTT5-3.3.4-3]; shared, never
 *     modified
 * @param sharedBy the shared subscription that the receiver was chosen for; null for its plain subscriptions. A session
 *     may get one copy for each (MQTT 5.0, 4.8.2), which this field distinguishes
 */
@SuppressWarnings("ArrayRecordComponent")
public record Match(
        Receiver receiver,
        Qos qos,
        boolean retainAsPublished,
        int[] subscriptionIds,
        @Nullable TopicFilter sharedBy) {
    /** The shared value for no identifier. */
    public static final int[] NO_IDS = {};

    /** A match of plain subscriptions. */
    public Match(Receiver receiver, Qos qos, boolean retainAsPublished, int[] subscriptionIds) {
        this(receiver, qos, retainAsPublished, subscriptionIds, null);
    }
}
