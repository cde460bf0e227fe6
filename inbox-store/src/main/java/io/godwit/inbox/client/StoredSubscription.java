package io.godwit.inbox.client;

import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * A subscription in the session record (MQTT 5.0, 3.8.3.1).
 *
 * @param retainHandling 0 to 2
 * @param subscriptionId 0 when absent
 * @param retainedFrom position of the retained messages that the subscription is still owed: {@link #ALL_RETAINED} or a
 *     cursor of the retain store; null when it is owed none
 */
public record StoredSubscription(
        TopicFilter filter,
        Qos qos,
        boolean noLocal,
        boolean retainAsPublished,
        int retainHandling,
        int subscriptionId,
        @Nullable String retainedFrom) {
    /** {@link #retainedFrom} of a subscription whose replay has not begun. */
    public static final String ALL_RETAINED = "";

    private static final int SEND = 0;
    private static final int SEND_IF_NEW = 1;

    /** A new subscription that is owed nothing. */
    public StoredSubscription(
            TopicFilter filter,
            Qos qos,
            boolean noLocal,
            boolean retainAsPublished,
            int retainHandling,
            int subscriptionId) {
        this(filter, qos, noLocal, retainAsPublished, retainHandling, subscriptionId, null);
    }

    /** Whether retained messages are still to be delivered to it. */
    public boolean isOwedRetained() {
        return retainedFrom != null;
    }

    /**
     * Whether the subscription asks for all retained messages [MQTT5-3.3.1-9], [MQTT5-3.3.1-10]; a shared subscription
     * never does (MQTT 5.0, 4.8.2). Otherwise it is owed what the subscription that it replaces was owed.
     */
    public boolean asksForRetained(boolean isNew) {
        return !filter.isShared() && (retainHandling == SEND || retainHandling == SEND_IF_NEW && isNew);
    }

    /** The same with another {@link #retainedFrom}. */
    public StoredSubscription owed(@Nullable String from) {
        return new StoredSubscription(filter, qos, noLocal, retainAsPublished, retainHandling, subscriptionId, from);
    }
}
