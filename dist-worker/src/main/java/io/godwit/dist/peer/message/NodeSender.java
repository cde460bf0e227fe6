package io.godwit.dist.peer.message;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Links;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.deliver.MessageOrder;
import io.godwit.dist.index.compact.NodeSet;
import io.godwit.dist.peer.filter.RemoteFilters;
import io.godwit.dist.peer.link.ClusterParts;
import io.godwit.dist.peer.link.PeerCounters;
import io.godwit.dist.peer.wait.ExclusionRequests;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages to nodes that have live subscribers: one frame for each node, encoded once for all nodes that speak
 * the same version. Thread-safe. Links only read a frame, so they can share its arrays.
 *
 * <p>A node may be configured to accept smaller frames than this one. A message that is too large for it is dropped at
 * QoS 0, counted and reported; at QoS 1 and 2 the publish fails.
 *
 * <p>A message of QoS 1 or 2 waits until each node has confirmed. A peer that is over before that may or may not have
 * the message; the publisher gets its answer once this incarnation of the node is excluded, and its live sessions with
 * it. If the same incarnation is linked again instead, the message fails before later ones are sent to it. While a link
 * is full such messages wait ({@link HeldMessages}). A message behind a failed one of its order is refused
 * ({@link MessageOrder}).
 *
 * <p>Messages of one publisher arrive in order ({@link PublisherOrder}); messages of others may overtake a large one.
 */
public final class NodeSender {
    private final Links links;
    private final HeldMessages held;
    private final PeerTokens tokens;
    private final ExclusionRequests exclusions;
    private final PeerCounters counters;
    private final EventListener events;
    private final LongSupplier wallMillis;

    public NodeSender(
            ClusterParts parts,
            HeldMessages held,
            PeerTokens tokens,
            ExclusionRequests exclusions,
            PeerCounters counters,
            EventListener events) {
        this.links = parts.links();
        this.held = held;
        this.tokens = tokens;
        this.exclusions = exclusions;
        this.counters = counters;
        this.events = events;
        this.wallMillis = parts.wallMillis();
    }

    /** See {@link io.godwit.dist.deliver.OtherNodes#deliver}. */
    public CompletableFuture<DistOutcome> deliver(
            ClientInfo publisher, Message message, @Nullable DeliveryToken token, NodeSet nodes, Resend resend) {
        if (message.qos() == Qos.AT_MOST_ONCE && token == null) {
            deliverUnconfirmed(publisher, message, nodes);
            return Deliverer.DELIVERED;
        }
        if (token != null) {
            tokens.given(token, nodes);
        }
        Frames frames = new Frames(publisher, message, token, wallMillis.getAsLong());
        PublisherOrder order = PublisherOrder.of(publisher);
        int size = LiveFrame.sizeAbout(publisher, message);
        Confirmations all = new Confirmations(nodes.size(), token, resend);
        for (int i = 0; i < nodes.size(); i++) {
            Peer peer = nodes.get(i);
            if (isFollowedIn(nodes, peer)) {
                all.one();
            } else if (held.isFull(peer, order, size)) {
                HeldMessages.Sending later = later(publisher, message, token, peer, order, all);
                held.hold(peer, order, size, message.heapBytes(), token, resend, later);
                if (!RemoteFilters.isNotBack(peer, links)) { // perhaps since before HeldMessages.followed() found it
                    MessageOrder.failed(token, resend);
                }
            } else if (MessageOrder.isBehindFailed(token, resend)) {
                // an earlier one that waited for the link was refused in this moment
                all.failed(DistOutcome.OVERLOADED);
            } else {
                send(peer, frames.of(peer.version()), order, all);
            }
        }
        return all.outcome;
    }

    /** Whether the same incarnation gets the message over its next link; its filters may be there twice for a while. */
    private boolean isFollowedIn(NodeSet nodes, Peer peer) {
        if (nodes.size() == 1 || peer.isConnected()) {
            return false;
        }
        Peer now = links.peer(peer.nodeId());
        return now != null && !RemoteFilters.isNotBack(peer, links) && nodes.contains(now);
    }

    private void send(Peer peer, LiveFrame.Parts frame, PublisherOrder order, Confirmations all) {
        if (frame.length() > peer.maxFrameBytes()) {
            counters.tooLarge.increment();
            all.failed(DistOutcome.FAILED);
            return;
        }
        counters.sent.increment();
        peer.send(Lane.LIVE, frame.head(), frame.payload(), order, new Peer.Confirmation() {
            @Override
            public void confirmed() {
                all.one();
            }

            @Override
            public void lost() {
                NodeSender.this.lost(peer, all);
            }
        });
    }

    /** Encodes its own frame: a frame kept while the message waits would take more memory, and contain a wrong age. */
    private HeldMessages.Sending later(
            ClientInfo publisher,
            Message message,
            @Nullable DeliveryToken token,
            Peer peer,
            PublisherOrder order,
            Confirmations all) {
        return new HeldMessages.Sending() {
            @Override
            public void send() {
                long now = wallMillis.getAsLong();
                LiveFrame.Parts frame = LiveFrame.encodeParts(peer.version(), publisher, message, token, now);
                NodeSender.this.send(peer, frame, order, all);
            }

            @Override
            public void refuse(DistOutcome why) {
                counters.refused.increment();
                all.failed(why);
            }
        };
    }

    private void deliverUnconfirmed(ClientInfo publisher, Message message, NodeSet nodes) {
        Frames frames = new Frames(publisher, message, null, wallMillis.getAsLong());
        PublisherOrder order = PublisherOrder.of(publisher);
        int size = LiveFrame.sizeAbout(publisher, message);
        for (int i = 0; i < nodes.size(); i++) {
            Peer peer = nodes.get(i);
            if (held.isFull(peer, order, size)) {
                counters.dropped.increment();
                dropped(publisher, message, peer, DropReason.LINK_FULL);
                continue;
            }
            LiveFrame.Parts frame = frames.of(peer.version());
            if (frame.length() > peer.maxFrameBytes()) {
                counters.tooLarge.increment();
                dropped(publisher, message, peer, DropReason.PACKET_TOO_LARGE);
                continue;
            }
            counters.sent.increment();
            peer.send(Lane.LIVE, frame.head(), frame.payload(), order, null);
        }
    }

    private void dropped(ClientInfo publisher, Message message, Peer peer, DropReason why) {
        if (events.isListening(BrokerEvent.MessageDropped.class)) {
            events.onEvent(new BrokerEvent.MessageDropped(
                    publisher.tenant(), new ClientId(peer.nodeId()), message.topic(), why));
        }
    }

    /** The frames of one message. Most nodes speak the same version, so the last frame is kept. */
    private static final class Frames {
        private final ClientInfo publisher;
        private final Message message;
        private final @Nullable DeliveryToken token;
        private final long nowMillis;
        private int version;
        private LiveFrame.@Nullable Parts last;

        Frames(ClientInfo publisher, Message message, @Nullable DeliveryToken token, long nowMillis) {
            this.publisher = publisher;
            this.message = message;
            this.token = token;
            this.nowMillis = nowMillis;
        }

        LiveFrame.Parts of(int wanted) {
            LiveFrame.Parts parts = last;
            if (parts == null || version != wanted) {
                version = wanted;
                parts = LiveFrame.encodeParts(wanted, publisher, message, token, nowMillis);
                last = parts;
            }
            return parts;
        }
    }

    /** If the node is back already, the message fails before this returns. */
    private void lost(Peer peer, Confirmations all) {
        counters.lost.increment();
        exclusions
                .insist(
                        RemoteFilters.lifeOf(peer),
                        "messages to it were not confirmed",
                        () -> RemoteFilters.isNotBack(peer, links))
                .whenComplete((agreed, failure) -> {
                    if (failure == null) {
                        all.one();
                    } else {
                        all.failed(DistOutcome.FAILED);
                    }
                });
    }

    /** The confirmations of one message. Atomic: several links confirm at once. */
    private static final class Confirmations {
        private final AtomicInteger left;
        private final @Nullable DeliveryToken token;
        private final Resend resend;
        private final CompletableFuture<DistOutcome> outcome = new CompletableFuture<>();

        Confirmations(int nodes, @Nullable DeliveryToken token, Resend resend) {
            this.left = new AtomicInteger(nodes);
            this.token = token;
            this.resend = resend;
        }

        void failed(DistOutcome why) {
            MessageOrder.failed(token, resend);
            outcome.complete(why);
        }

        void one() {
            if (left.decrementAndGet() == 0) {
                outcome.complete(DistOutcome.DELIVERED);
            }
        }
    }
}
