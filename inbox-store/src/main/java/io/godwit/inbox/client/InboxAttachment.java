package io.godwit.inbox.client;

import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A connection's hold on its session. Calls of one thread take effect in order. After the end of the attachment, calls
 * except {@link #distributed} have no effect, and their futures fail with {@link io.godwit.kv.client.RangeException}
 * {@code CLOSED}. If an orderly change of leader ended it, they fail with {@code MOVED} and certainly had no effect.
 */
public interface InboxAttachment {
    /**
     * Allows {@code messages} more QoS 1/2 deliveries (receive maximum and the session's own buffer). QoS 0 needs no
     * credit.
     */
    void request(int messages);

    /**
     * PUBACKs came for these sequences, in any order; unknown ones are ignored. Written lazily: a crash may lose them.
     */
    void acknowledge(long[] sequences);

    /** PUBREC came. Complete when committed; PUBREL may then be sent. */
    CompletableFuture<Void> received(long sequence);

    /** PUBCOMP came, or PUBREC with an error: the flow is over. Written lazily: a crash may lose it. */
    void complete(long sequence);

    /**
     * Adds or replaces subscriptions. Complete when committed, with true for each filter that was new. The same commit
     * records which retained messages they are owed ({@link StoredSubscription#asksForRetained}); {@link #replay}
     * delivers those, in this attachment or a later one.
     */
    CompletableFuture<List<Boolean>> subscribe(List<StoredSubscription> subscriptions);

    /** Removes subscriptions. Complete when committed, with true for each filter that existed. */
    CompletableFuture<List<Boolean>> unsubscribe(List<TopicFilter> filters);

    /**
     * Appends a retained message that a subscription is owed, and records in the same commit that the replay has passed
     * it, so that no message is given twice or left out. The message is skipped if the inbox was given a newer live
     * message of its topic since the subscription was committed. Steps of one subscription may overlap; when one is
     * refused, all later ones are refused too. Complete when committed.
     */
    CompletableFuture<ReplayOutcome> replay(ReplayStep step);

    /**
     * The subscription has been given all its retained messages, the last with {@code to}, and the client has
     * acknowledged them all. Written lazily: after a crash a later attachment may find the subscription still owed what
     * follows. Complete when the leader has noted it.
     */
    CompletableFuture<Void> replayed(TopicFilter filter, String to);

    /**
     * Commits an inbound QoS 2 message. Completes with the delivery token for its distribution. If the packet id is
     * already known, the publisher repeated the message: then it completes with the state of the first one.
     */
    CompletableFuture<Inbound> receive(int packetId, Message message);

    /**
     * The message of {@code packetId} has reached all receivers and must not be distributed again. Complete when
     * committed; PUBREC may then be sent. It also works after the end of the attachment, so that a distribution still
     * under way is not repeated: by the next connection, or by the store, which distributes a connection's unfinished
     * messages one second after its end.
     *
     * @param tokenNumber of the distributed message: if the packet id now belongs to another message, nothing is marked
     */
    CompletableFuture<Void> distributed(int packetId, long tokenNumber);

    /**
     * PUBREL came: forgets the packet id. Complete when committed, with whether it was known. PUBCOMP may then be sent.
     */
    CompletableFuture<Boolean> release(int packetId);

    /**
     * Ends the attachment.
     *
     * @param expirySeconds Session Expiry Interval of the DISCONNECT, -1 to keep that of the CONNECT
     * @param publishWill whether the connection ended without a normal DISCONNECT [MQTT5-3.1.2-8], [MQTT5-3.14.4-3]
     * @param sentBelow greater than the highest sequence that was sent as a PUBLISH. Messages from {@code sentBelow} on
     *     count as not delivered, so that another member of a shared group may still get them
     */
    CompletableFuture<Void> detach(long expirySeconds, boolean publishWill, long sentBelow);

    /** Detaches when all that was delivered has been sent. */
    default CompletableFuture<Void> detach(long expirySeconds, boolean publishWill) {
        return detach(expirySeconds, publishWill, Long.MAX_VALUE);
    }

    /**
     * State of an inbound QoS 2 packet id.
     *
     * @param isDistributed whether only a PUBREC is left to send
     * @param message null when the message just received is to be distributed. Otherwise the publisher has repeated
     *     itself, and this is the message committed first: it is to be distributed, and may have been in part already,
     *     by any node
     */
    record Inbound(
            boolean isDistributed,
            @Nullable Message message,
            String tokenOrigin,
            long tokenNumber,
            long tokenFinishedBelow) {}
}
