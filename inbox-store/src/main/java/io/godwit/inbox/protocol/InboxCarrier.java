package io.godwit.inbox.protocol;

import io.godwit.inbox.client.InsertRequest;
import org.jspecify.annotations.Nullable;

/**
 * Carries commands to the leaders of their inboxes, and carries answers and deliveries back. Thread-safe; never blocks.
 * Commands of one thread about one inbox reach its leader in order.
 */
public interface InboxCarrier {
    /** @param deliveries stream of the new attachment; null for commands that open none */
    void ask(SessionCommand command, @Nullable DeliveryStream deliveries, Answer answer);

    /** Answered with {@link InboxReply.Inserted}. This carrier must reach the leaders of all targets. */
    void insert(InsertRequest request, Answer answer);

    /** See {@link io.godwit.inbox.client.InboxClient#isCrowded}. */
    default boolean isCrowded() {
        return false;
    }
}
