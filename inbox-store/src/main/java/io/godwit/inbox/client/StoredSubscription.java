package io.godwit.inbox.client;

import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * A subscription as the session record keeps it (MQTT 5.0, 3.8.3.1).
 *
 * @param retainHandling 0 to 2
 * @param subscriptionId 0 when absent
 * @param retainedFrom where those retained messages begin that it has not been given yet: {@link #ALL_RETAINED} or a
 *     cursor of the retain store; null when it has been given all it is to get
 */
public record StoredSubscription(
        TopicFilter filter,
        Qos qos,
        boolean noLocal,
        boolean retainAsPublished,
        int retainHandling,
        int subscriptionId,
        @Nullable String retainedFrom) {
    /** {@link #retainedFrom} of a subscription whose replay has not got anywhere yet. */
    public static final String ALL_RETAINED = "";

    private static final int SEND = 0;
    private static final int SEND_IF_NEW = 1;

    /** As a client asks for it. */
    public StoredSubscription(
            TopicFilter filter,
            Qos qos,
            boolean noLocal,
            boolean retainAsPublished,
            int retainHandling,
            int subscriptionId) {
        this(filter, qos, noLocal, retainAsPublished, retainHandling, subscriptionId, null);
    }

    /** Whether retained messages are still to be given to it. */
    public boolean isOwedRetained() {
        return retainedFrom != null;
    }

    /**
     * Whether it asks for all retained messages [MQTT5-3.3.1-9], [MQTT5-3.3.1-10], which a shared subscription never
     * does (MQTT 5.0, 4.8.2). One that does not is owed what the one in whose place it comes was.
     */
    public boolean asksForRetained(boolean isNew) {
        return !filter.isShared() && (retainHandling == SEND || retainHandling == SEND_IF_NEW && isNew);
    }

    /** The same with another {@link #retainedFrom}. */
    public StoredSubscription owed(@Nullable String from) {
        return new StoredSubscription(filter, qos, noLocal, retainAsPublished, retainHandling, subscriptionId, from);
    }
}
