package io.godwit.inbox.protocol;

import io.godwit.inbox.client.InsertRequest;
import org.jspecify.annotations.Nullable;

/**
 * Brings commands to the leaders of their inboxes, and back what they answer and deliver. Thread-safe; never blocks.
 * Commands of one thread about one inbox reach its leader in order.
 */
public interface InboxCarrier {
    /** @param deliveries of an attachment; null for commands that ask for none */
    void ask(SessionCommand command, @Nullable DeliveryStream deliveries, Answer answer);

    /**
     * Answered with {@link InboxReply.Inserted}. All targets are for leaders that this carrier reaches.
     */
    void insert(InsertRequest request, Answer answer);

    /** See {@link io.godwit.inbox.client.InboxClient#isCrowded}. */
    default boolean isCrowded() {
        return false;
    }
}
