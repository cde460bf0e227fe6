package io.godwit.inbox.client;

import java.util.List;

/**
 * The session is open.
 *
 * @param sessionPresent for CONNACK [MQTT5-3.2.2-3]
 * @param incarnation of the session; goes into its routes
 * @param attachNumber tells this attachment of the session from earlier ones, whose numbers are smaller; goes into its
 *     routes. 0 while the session has never been in a cluster. Where the leader is lost before it has committed the
 *     attachment, the next one may have the number again
 * @param subscriptions what the stored session had; the caller makes sure that their routes exist
 * @param inbound QoS 2 packet ids received and not yet released, ascending [MQTT5-4.3.3-9]; shared, never modified
 */
@SuppressWarnings("ArrayRecordComponent")
public record AttachReply(
        boolean sessionPresent,
        long incarnation,
        long attachNumber,
        List<StoredSubscription> subscriptions,
        int[] inbound,
        InboxAttachment attachment) {
    public AttachReply {
        subscriptions = List.copyOf(subscriptions);
    }

    /** Without a number. */
    public AttachReply(
            boolean sessionPresent,
            long incarnation,
            List<StoredSubscription> subscriptions,
            int[] inbound,
            InboxAttachment attachment) {
        this(sessionPresent, incarnation, 0, subscriptions, inbound, attachment);
    }
}
