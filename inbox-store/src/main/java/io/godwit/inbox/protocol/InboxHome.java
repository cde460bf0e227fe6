package io.godwit.inbox.protocol;

import io.godwit.inbox.client.InsertRequest;
import org.jspecify.annotations.Nullable;

/**
 * The leaders of one node, for commands that shall not wait there for a leader: what no leader of that node has carried
 * out fails with {@code MOVED} or {@code CLOSED}, or is told by {@link InboxReply.InsertedInPart}, and had no effect.
 * Thread-safe; never blocks.
 *
 * <p>Commands of one thread about one inbox are carried out in order, and each has a round: once one is refused, all
 * later ones about that inbox with the same or a lower round are refused too. So who sends several at once and raises
 * the round when it has heard of all of them can send the refused ones again in order ({@link RefusalGate}).
 */
public interface InboxHome {
    /** As {@link InboxCarrier#ask}. */
    void ask(SessionCommand command, long round, @Nullable DeliveryStream deliveries, Answer answer);

    /**
     * As {@link InboxCarrier#insert}; may also be answered with {@link InboxReply.InsertedInPart}.
     *
     * @param rounds for each target; given away
     */
    void insert(InsertRequest request, long[] rounds, Answer answer);

    /** A message of QoS 0 for an attachment was dropped, since there was no room on the way to its connection. */
    void dropped(InboxId inbox, String topic);

    /** Whether it takes messages now; who can wait with one, does. */
    boolean isWritable();
}
