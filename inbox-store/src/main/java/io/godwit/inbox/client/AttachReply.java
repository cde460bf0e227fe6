package io.godwit.inbox.client;

import java.util.List;

/**
 * The successful answer to an attach.
 *
 * @param sessionPresent for CONNACK [MQTT5-3.2.2-3]
 * @param incarnation of the session; part of its routes
 * @param attachNumber rises with each attachment of the session; part of its routes. 0 while the session has never been
 *     in a cluster. In a cluster no other attachment has it, because the answer waits for the commit
 * @param subscriptions of the stored session; the caller makes sure that their routes exist
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

    /** With attach number 0. */
    public AttachReply(
            boolean sessionPresent,
            long incarnation,
            List<StoredSubscription> subscriptions,
            int[] inbound,
            InboxAttachment attachment) {
        this(sessionPresent, incarnation, 0, subscriptions, inbound, attachment);
    }
}
