package io.godwit.inbox.client;

import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A connection's hold on its session. Calls of one thread take effect in order; calls after the end of the attachment have none, and their
 * futures fail with {@link io.godwit.kv.client.RangeException} {@code CLOSED}.
 */
public interface InboxAttachment {
    /** Allows {@code messages} more QoS 1/2 deliveries (receive maximum and the session's own buffer). QoS 0 needs none. */
    void request(int messages);

    /** PUBACKs came for these sequences, in any order; unknown ones are ignored. Lazy: a crash may forget them. */
    void acknowledge(long[] sequences);

    /** PUBREC came: complete once that is committed, then PUBREL may be sent. */
    CompletableFuture<Void> received(long sequence);

    /** PUBCOMP came, or PUBREC with an error: the flow is over. Lazy. */
    void complete(long sequence);

    /** Adds or replaces subscriptions; complete when committed, with true per filter that was new. */
    CompletableFuture<List<Boolean>> subscribe(List<StoredSubscription> subscriptions);

    /** Removes them; complete when committed, with true per filter that existed. */
    CompletableFuture<List<Boolean>> unsubscribe(List<TopicFilter> filters);

    /**
     * Begins a replay of retained messages: from here on the topics of live inserts are remembered for it, so that it can skip them. Replays may be
     * begun while others are open; they run one after the other, in the order in which they were begun.
     */
    void beginReplay();

    /** Ends the oldest open replay. */
    void endReplay();

    /**
     * Commits an inbound QoS 2 message. Complete with the delivery token it is to be distributed under; with the state of the earlier one if the
     * packet id is already known: the publisher repeated itself.
     */
    CompletableFuture<Inbound> receive(int packetId, Message message);

    /** The message of {@code packetId} has reached all receivers: it is not distributed again. Complete when committed; PUBREC may then be sent. */
    CompletableFuture<Void> distributed(int packetId);

    /** PUBREL came: forget the packet id; complete when committed, with whether it was known. PUBCOMP may then be sent. */
    CompletableFuture<Boolean> release(int packetId);

    /**
     * Ends the attachment.
     *
     * @param expirySeconds what DISCONNECT said, -1 to keep the value of CONNECT
     * @param publishWill whether the connection ended without a normal DISCONNECT [MQTT5-3.1.2-8], [MQTT5-3.14.4-3]
     */
    CompletableFuture<Void> detach(long expirySeconds, boolean publishWill);

    /**
     * State of an inbound QoS 2 packet id.
     *
     * @param isDistributed it needs only a PUBREC
     * @param message what to distribute otherwise: the one committed first
     */
    record Inbound(
            boolean isDistributed,
            @Nullable Message message,
            String tokenOrigin,
            long tokenNumber,
            long tokenFinishedBelow) {}
}
