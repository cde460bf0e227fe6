package io.godwit.mqtt.session.inbound;

import io.godwit.dist.client.DeliveryOrder;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.core.SessionCore;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.retain.client.RetainClient;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The publishes of one connection that a store must commit before they are distributed, and those after them. The inbox
 * store first commits a QoS 2 message of a persistent session ({@code receive}); the retain store first commits a
 * retained message ({@code set}), so that a new subscriber either finds it retained or gets it live. Publishes of one
 * connection must not overtake each other [MQTT5-4.6.0-5], so a publish that arrives while an earlier one waits for its
 * commit waits too. Confined to the connection's loop.
 */
final class CommitQueue {
    private final SessionCore session;
    private final Connection connection;
    private final @Nullable InboxAttachment attachment;
    private final InboundAcks acks;
    private final Unstored unstored;
    private final Distribution distribution;

    /** Publishes that wait for their own or an earlier one's commit, in the order of arrival. */
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(0);
    /**
     * Publishes in {@link #waiting} whose retain set has not begun; while there are any, later ones must not begin
     * theirs.
     */
    private int retainsToBegin;
    /**
     * The order of messages with a token; null until the first. A failure ends the connection, and with it this queue.
     */
    private @Nullable DeliveryOrder order;

    /** @param attachment keeps QoS 2 messages; null without a stored session */
    CommitQueue(
            SessionCore session,
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
     * @param mustRetain whether the message must be retained, or may have to be, which the stored message decides
     * @param isCounted whether the tenant's account counts it as being retained, until it is retained or given up
     * @param isRepeated whether an earlier connection had sent it, so that the store has it
     */
    void add(
            Message message,
            AckQueue.@Nullable Slot slot,
            int packetId,
            boolean mustRetain,
            boolean isCounted,
            boolean isRepeated) {
        unstored.begin(message);
        Waiting entry = new Waiting(message, slot, packetId);
        entry.isRepeated = isRepeated;
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
            // an error would free the packet id, under which the store has the message
            entry.mustClose = entry.isRepeated || mustCloseAfter(entry.packetId, failure);
        } else if (inbound.isDistributed()) {
            entry.isDistributed = true;
        } else {
            Message first = inbound.message();
            if (first != null) {
                entry.message = first;
            }
            if (!session.mustRetain(entry.message)) {
                giveUpRetain(entry);
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

    /** After a timeout the store may have the message: at QoS 2 only a new connection can find out. */
    private static boolean mustCloseAfter(int packetId, Throwable failure) {
        return packetId != 0 && DistOutcome.ofFailure(failure) != DistOutcome.OVERLOADED;
    }

    private void beginRetain(Waiting entry) {
        entry.mustBeginRetain = false;
        retainsToBegin--;
        entry.commits++;
        RetainClient retain = session.services.retain;
        TenantId tenant = session.client().tenant();
        // with a token it is recorded: refused for lack of disk, it would come again and close the connection each time
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
                unstored.end(entry.taken); // close() has removed it from the queue
            }
            return;
        }
        advance();
    }

    private void advance() {
        for (Waiting head = waiting.peekFirst(); head != null && head.commits == 0; head = waiting.peekFirst()) {
            if (head.mustBeginRetain && head.refusal == null && !head.isDistributed) {
                beginRetain(head);
                continue; // its commit count shows whether it is already done
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
            // an earlier one was refused: the client sends both again in order
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

    /** The connection is over: gives up publishes that need an acknowledgement. */
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
        /** The message to distribute: for a repeated QoS 2 message the one committed first. */
        private Message message;

        private final AckQueue.@Nullable Slot slot;
        /** 0 unless QoS 2. */
        private final int packetId;

        /** Commits under way. */
        private int commits;

        private boolean mustBeginRetain;
        private boolean isCounted;
        private boolean isRepeated;
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
