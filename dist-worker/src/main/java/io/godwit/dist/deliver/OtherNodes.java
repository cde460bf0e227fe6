package io.godwit.dist.deliver;

import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.index.compact.NodeSet;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The other nodes that serve MQTT with this one, for publishes. Thread-safe. */
public interface OtherNodes {
    /** For a node that is alone. */
    OtherNodes NONE = new OtherNodes() {
        @Override
        public long epoch() {
            return 0;
        }

        @Override
        public boolean mayAcknowledge(long epoch) {
            return true;
        }

        @Override
        public CompletableFuture<Boolean> untilMayAcknowledge() {
            return CompletableFuture.completedFuture(true);
        }

        @Override
        public CompletableFuture<Boolean> untilMayAcknowledge(long epoch) {
            return CompletableFuture.completedFuture(true);
        }

        @Override
        public CompletableFuture<DistOutcome> deliver(
                ClientInfo publisher, Message message, @Nullable DeliveryToken token, NodeSet nodes, Resend resend) {
            return Deliverer.DELIVERED;
        }

        @Override
        public CompletableFuture<List<ChosenElsewhere>> chosen(TenantId tenant, DeliveryToken token) {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public void finished(String tokenOrigin, long tokenNumber) {}
    };

    /** See {@link io.godwit.dist.member.Members#epoch}; call it before a publish is matched. */
    long epoch();

    /** See {@link io.godwit.dist.member.Members#mayAcknowledge(long)}; call it after the match. */
    boolean mayAcknowledge(long epoch);

    /** See {@link io.godwit.dist.member.Members#untilMayAcknowledge()}. */
    CompletableFuture<Boolean> untilMayAcknowledge();

    /** See {@link io.godwit.dist.member.Members#untilMayAcknowledge(long)}. */
    CompletableFuture<Boolean> untilMayAcknowledge(long epoch);

    /**
     * Sends the message to each of {@code nodes}, for its live sessions. Messages of one publisher sent by one thread
     * stay in order; a large one of another publisher may be overtaken. QoS 0 is dropped, counted and reported where
     * the link is full, and complete on return. QoS 1 and 2 wait for room, and complete on any thread, never
     * exceptionally: with DELIVERED when each node has passed it to its sessions, or is excluded together with its
     * sessions; with OVERLOADED when there was no room for too long, or an earlier message of the same order has
     * failed; with FAILED when nothing could be agreed on, or a message with a token was abandoned while it waited.
     */
    CompletableFuture<DistOutcome> deliver(
            ClientInfo publisher, Message message, @Nullable DeliveryToken token, NodeSet nodes, Resend resend);

    /**
     * Asks every other member which members of shared groups it has chosen for the message of {@code token}, which may
     * already be distributed there in part. Completes on any thread, with the answers in any order of the nodes, when
     * each has answered or is excluded; fails with {@link io.godwit.kv.client.RangeException} when an exclusion could
     * not be agreed on.
     */
    CompletableFuture<List<ChosenElsewhere>> chosen(TenantId tenant, DeliveryToken token);

    /** Nothing is published under the token any more. */
    void finished(String tokenOrigin, long tokenNumber);
}
