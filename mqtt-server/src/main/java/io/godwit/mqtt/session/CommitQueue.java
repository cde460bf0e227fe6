package io.godwit.mqtt.session;

import io.godwit.dist.client.DeliveryOrder;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.transport.Connection;
import io.godwit.mqtt.transport.OnEventLoop;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.retain.client.RetainClient;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The publishes of one connection that a store must have before they are distributed, and those behind them. A QoS 2
 * message of a persistent session is first committed by the inbox store ({@code receive}), a retained one by the retain
 * store ({@code set}): a subscriber of the next moment then either finds it retained or gets it live. Since publishes
 * of one connection must not overtake each other [MQTT5-4.6.0-5], whatever arrives while an earlier one waits for its
 * commit waits behind it. Confined to the connection's loop.
 */
final class CommitQueue {
    private final Session session;
    private final Connection connection;
    private final @Nullable InboxAttachment attachment;
    private final InboundAcks acks;
    private final Unstored unstored;
    private final Distribution distribution;

    /** Publishes that wait for a commit, theirs or an earlier one's; in the order of arrival. */
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(0);
    /**
     * Those in {@link #waiting} whose retain set has not begun; while there are any, later ones must not begin theirs.
     */
    private int retainsToBegin;
    /** Of the messages that have a token; null until the first. A failure ends the connection, and with it this. */
    private @Nullable DeliveryOrder order;

    /** @param attachment keeps QoS 2 messages; null without a stored session */
    CommitQueue(
            Session session,
            @Nullable InboxAttachment attachment,
            InboundAcks acks,
            Unstored unstored,
            Distribution distribution) {
        this.session = session;
        this.connection = session.connection;
        this.attachment = attachment;
        this.acks = acks;
        this.unstored = unstored;
        this.distribution = distribution;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /**
     * @param slot null at QoS 0
     * @param packetId 0 unless QoS 2
     * @param isCounted whether the tenant's account counts it as one to be retained, until it is or will not be
     */
    void add(Message message, AckQueue.@Nullable Slot slot, int packetId, boolean mustRetain, boolean isCounted) {
        unstored.begin(message);
        Waiting entry = new Waiting(message, slot, packetId);
        entry.isCounted = isCounted;
        waiting.addLast(entry);
        if (mustRetain) {
            entry.mustBeginRetain = true;
            retainsToBegin++;
        }
        if (attachment != null && packetId != 0) {
            entry.commits++;
            OnEventLoop.whenComplete(
                    connection,
                    attachment.receive(packetId, message),
                    (inbound, failure) -> received(entry, inbound, failure));
        } else if (mustRetain && retainsToBegin == 1) {
            beginRetain(entry);
        }
        advance();
    }

    private void received(Waiting entry, InboxAttachment.Inbound inbound, @Nullable Throwable failure) {
        if (failure != null) {
            entry.refusal = distribution.refusal(entry.taken, failure);
            entry.mustClose = mustCloseAfter(entry.packetId, failure);
        } else if (inbound.isDistributed()) {
            entry.isDistributed = true;
        } else {
            Message first = inbound.message();
            if (first != null) {
                entry.message = first;
            }
            entry.token = order().token(
                            inbound.tokenOrigin(), inbound.tokenNumber(), inbound.tokenFinishedBelow(), first != null);
        }
        committed(entry);
    }

    private DeliveryOrder order() {
        if (order == null) {
            order = new DeliveryOrder();
        }
        return order;
    }

    /** After a time-out a store may have it: at QoS 2 only a new connection can ask again. */
    private static boolean mustCloseAfter(int packetId, Throwable failure) {
        return packetId != 0 && DistOutcome.ofFailure(failure) != DistOutcome.OVERLOADED;
    }

    private void beginRetain(Waiting entry) {
        entry.mustBeginRetain = false;
        retainsToBegin--;
        entry.commits++;
        RetainClient retain = session.services.retain;
        TenantId tenant = session.client().tenant();
        // with a token it is on record: refused for want of disk it would only come again, and the connection be closed
        // each time
        DeliveryToken token = entry.token;
        CompletableFuture<Void> stored = token == null
                ? retain.set(tenant, entry.message)
                : retain.setRecorded(tenant, entry.message, token.origin(), token.number(), RetainClient.NEWEST);
        OnEventLoop.whenComplete(connection, stored, (done, failure) -> {
            uncount(entry);
            if (failure != null) {
                entry.refusal = distribution.refusal(entry.message, failure);
                entry.mustClose = entry.token != null || mustCloseAfter(entry.packetId, failure);
            }
            committed(entry);
        });
    }

    private void committed(Waiting entry) {
        entry.commits--;
        if (session.isClosed() && entry.slot != null) {
            if (entry.commits == 0) {
                unstored.end(entry.taken); // close() has taken it out of the queue
            }
            return;
        }
        advance();
    }

    private void advance() {
        for (Waiting head = waiting.peekFirst(); head != null && head.commits == 0; head = waiting.peekFirst()) {
            if (head.mustBeginRetain && head.refusal == null && !head.isDistributed) {
                beginRetain(head);
                continue; // its commit count tells whether it is done already
            }
            giveUpRetain(head);
            waiting.removeFirst();
            leave(head);
        }
    }

    private void giveUpRetain(Waiting entry) {
        if (entry.mustBeginRetain) {
            entry.mustBeginRetain = false;
            retainsToBegin--;
            uncount(entry);
        }
    }

    private void uncount(Waiting entry) {
        if (entry.isCounted) {
            entry.isCounted = false;
            session.account.retained(entry.taken.payload().length);
        }
    }

    private void leave(Waiting entry) {
        ReasonCode refusal = entry.refusal;
        if (entry.slot != null && !connection.isOpen()) {
            // an earlier one was refused: the client sends both again, in their order
            unstored.end(entry.taken);
        } else if (refusal != null) {
            unstored.end(entry.taken);
            acks.refuse(entry.slot, entry.packetId, refusal, entry.mustClose);
        } else if (entry.isDistributed) {
            unstored.end(entry.taken);
            acks.settle(entry.slot, entry.packetId, ReasonCode.SUCCESS);
        } else {
            distribution.distribute(entry.message, entry.slot, entry.packetId, entry.token);
            unstored.end(entry.taken);
        }
    }

    /** The connection is over: gives up those that are to be acknowledged. */
    void close() {
        List<Waiting> unacknowledged =
                waiting.stream().filter(entry -> entry.slot != null).toList();
        waiting.removeAll(unacknowledged);
        for (Waiting entry : unacknowledged) {
            giveUpRetain(entry);
            if (entry.commits == 0) {
                unstored.end(entry.taken);
            }
        }
        advance();
    }

    /** A publish that waits. */
    private static final class Waiting {
        private final Message taken;
        /** What to distribute: for a repeated QoS 2 message the one committed first. */
        private Message message;

        private final AckQueue.@Nullable Slot slot;
        /** 0 unless QoS 2. */
        private final int packetId;

        /** Commits under way. */
        private int commits;

        private boolean mustBeginRetain;
        private boolean isCounted;
        private boolean isDistributed;
        private boolean mustClose;
        private @Nullable DeliveryToken token;
        private @Nullable ReasonCode refusal;

        private Waiting(Message message, AckQueue.@Nullable Slot slot, int packetId) {
            this.taken = message;
            this.message = message;
            this.slot = slot;
            this.packetId = packetId;
        }
    }
}
