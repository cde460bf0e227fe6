package io.godwit.inbox.client;

import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A connection's hold on its session. Calls of one thread take effect in order; calls after the end of the attachment
 * have none, but for {@link #distributed}, and their futures fail with {@link io.godwit.kv.client.RangeException}
 * {@code CLOSED}. Where the leader of the inbox was replaced in good order they fail with {@code MOVED}: then they have
 * not had and never will have an effect.
 */
public interface InboxAttachment {
    /**
     * Allows {@code messages} more QoS 1/2 deliveries (receive maximum and the session's own buffer). QoS 0 needs none.
     */
    void request(int messages);

    /** PUBACKs came for these sequences, in any order; unknown ones are ignored. Lazy: a crash may forget them. */
    void acknowledge(long[] sequences);

    /** PUBREC came: complete once that is committed, then PUBREL may be sent. */
    CompletableFuture<Void> received(long sequence);

    /** PUBCOMP came, or PUBREC with an error: the flow is over. Lazy. */
    void complete(long sequence);

    /**
     * Adds or replaces subscriptions; complete when committed, with true per filter that was new. Committed with them
     * is which retained messages they are owed ({@link StoredSubscription#inPlaceOf}); those are then given by
     * {@link #replay}, now or by a later attachment.
     */
    CompletableFuture<List<Boolean>> subscribe(List<StoredSubscription> subscriptions);

    /** Removes them; complete when committed, with true per filter that existed. */
    CompletableFuture<List<Boolean>> unsubscribe(List<TopicFilter> filters);

    /**
     * Appends a retained message that a subscription is owed, and moves on behind it in the same commit: whatever
     * happens, none is given twice or left out. It is passed over if the inbox has been given a newer live one of its
     * topic since the subscription was committed. Steps of one subscription may overlap; when one is not taken, none
     * behind it is. Complete when committed.
     */
    CompletableFuture<ReplayOutcome> replay(ReplayStep step);

    /**
     * The subscription has been given all its retained messages, the last with {@code to}, and all have been answered.
     * Lazy: after a crash a later attachment may be told that it is still owed what follows. Complete when it was taken
     * note of.
     */
    CompletableFuture<Void> replayed(TopicFilter filter, String to);

    /**
     * Commits an inbound QoS 2 message. Complete with the delivery token it is to be distributed under; with the state
     * of the earlier one if the packet id is already known: the publisher repeated itself.
     */
    CompletableFuture<Inbound> receive(int packetId, Message message);

    /**
     * The message of {@code packetId} has reached all receivers: it is not distributed again. Complete when committed;
     * PUBREC may then be sent. Takes effect also after the end of the attachment, so that a distribution under way then
     * is not done again: by the next connection, or by the store, which distributes what a connection has left a second
     * after its end.
     *
     * @param tokenNumber of the message that was distributed: if the packet id stands for another by now, nothing is
     *     marked
     */
    CompletableFuture<Void> distributed(int packetId, long tokenNumber);

    /**
     * PUBREL came: forget the packet id; complete when committed, with whether it was known. PUBCOMP may then be sent.
     */
    CompletableFuture<Boolean> release(int packetId);

    /**
     * Ends the attachment.
     *
     * @param expirySeconds what DISCONNECT said, -1 to keep the value of CONNECT
     * @param publishWill whether the connection ended without a normal DISCONNECT [MQTT5-3.1.2-8], [MQTT5-3.14.4-3]
     * @param sentBelow above the highest sequence of a PUBLISH that has gone out: what was delivered from there on is
     *     as if it had not been, so that another member of a shared group may still get it
     */
    CompletableFuture<Void> detach(long expirySeconds, boolean publishWill, long sentBelow);

    /** All that was delivered went out. */
    default CompletableFuture<Void> detach(long expirySeconds, boolean publishWill) {
        return detach(expirySeconds, publishWill, Long.MAX_VALUE);
    }

    /**
     * State of an inbound QoS 2 packet id.
     *
     * @param isDistributed it needs only a PUBREC
     * @param message null when the one just received is to be distributed. Else the publisher has repeated itself, and
     *     this is the one committed first: to be distributed, and perhaps distributed in part already, from any node
     */
    record Inbound(
            boolean isDistributed,
            @Nullable Message message,
            String tokenOrigin,
            long tokenNumber,
            long tokenFinishedBelow) {}
}
