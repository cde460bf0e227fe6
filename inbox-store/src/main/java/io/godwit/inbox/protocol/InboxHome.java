package io.godwit.inbox.protocol;

import io.godwit.inbox.client.InsertRequest;
import org.jspecify.annotations.Nullable;

/**
 * The leaders of one node, for commands that must not wait there for a leader. A command that no leader of that node
 * has carried out had no effect and fails with {@code MOVED} or {@code CLOSED}, or is listed as such in
 * {@link InboxReply.InsertedInPart}. Thread-safe; never blocks.
 *
 * <p>Commands of one thread about one inbox are carried out in order, and each has a round: once one is refused, all
 * later ones about that inbox with the same or a lower round are refused too. A sender may therefore send several at
 * once: it raises the round when all are answered, and sends the refused ones again in order ({@link RefusalGate}).
 */
public interface InboxHome {
    /** As {@link InboxCarrier#ask}. */
    void ask(SessionCommand command, long round, @Nullable DeliveryStream deliveries, Answer answer);

    /**
     * As {@link InboxCarrier#insert}; may also be answered with {@link InboxReply.InsertedInPart}.
     *
     * @param rounds one for each target; the callee owns the array
     */
    void insert(InsertRequest request, long[] rounds, Answer answer);

    /** A QoS 0 message for an attachment was dropped because the way to its connection was full. */
    void dropped(InboxId inbox, String topic);

    /** Whether it takes messages now. Senders that can wait should wait while it is false. */
    boolean isWritable();
}
