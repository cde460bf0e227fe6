package io.godwit.mqtt.session.inbound;

import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.core.SessionCore;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.trace.Tracer;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import io.godwit.plugin.event.PublishRefusalCause;
import io.godwit.plugin.message.Message;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Passes one connection's publishes to the dist-worker, marks those of QoS 2 as distributed, and answers them with the
 * outcome. Confined to the connection's loop.
 */
final class Distribution {
    private final SessionCore session;
    private final SessionServices services;
    private final Connection connection;
    private final @Nullable InboxAttachment attachment;
    private final InboundAcks acks;
    private final Unstored unstored;

    /** @param attachment keeps QoS 2 messages; null without a stored session */
    Distribution(SessionCore session, @Nullable InboxAttachment attachment, InboundAcks acks, Unstored unstored) {
        this.session = session;
        this.services = session.services;
        this.connection = session.connection;
        this.attachment = attachment;
        this.acks = acks;
        this.unstored = unstored;
    }

    /**
     * @param slot null at QoS 0
     * @param packetId 0 unless QoS 2
     * @param token of a QoS 2 message that the attachment keeps
     */
    void distribute(Message message, AckQueue.@Nullable Slot slot, int packetId, @Nullable DeliveryToken token) {
        connection.loop().takeHold(); // clears the hold of an earlier publish that could not wait
        var outcome = session.publisher.publish(message, token);
        if (outcome.isDone() && slot == null && outcome.getNow(DistOutcome.FAILED) == DistOutcome.DELIVERED) {
            reportAccepted(message, DistOutcome.DELIVERED);
            return; // nobody waits for an answer at QoS 0
        }
        if (outcome.isDone()) {
            distributed(message, slot, packetId, token, outcome.getNow(DistOutcome.FAILED));
            return;
        }
        unstored.begin(message);
        boolean isHeldBack = connection.loop().takeHold() || services.inbox.isCrowded();
        if (isHeldBack) {
            unstored.holdBack();
        }
        OnEventLoop.whenComplete(connection, outcome, (value, failure) -> {
            distributed(message, slot, packetId, token, failure == null ? value : DistOutcome.FAILED);
            unstored.end(message);
            if (isHeldBack) {
                unstored.letGo();
            }
        });
    }

    private void distributed(
            Message message,
            AckQueue.@Nullable Slot slot,
            int packetId,
            @Nullable DeliveryToken token,
            DistOutcome outcome) {
        ReasonCode code = switch (outcome) {
            case DELIVERED -> ReasonCode.SUCCESS;
            case NO_MATCH -> ReasonCode.NO_MATCHING_SUBSCRIBERS;
            case OVERLOADED -> ReasonCode.QUOTA_EXCEEDED;
            case FAILED -> ReasonCode.UNSPECIFIED_ERROR;
        };
        Tracer tracer = services.tracing.active();
        if (tracer != null) {
            tracer.distributed(session.client(), message, code);
        }
        if (code.isError()) {
            // at QoS 0 the dist-worker reports each missed receiver, but a message for later has none yet
            if (slot != null || services.topicRules().isDelayed(message.topic())) {
                reportRefused(message, causeOf(outcome), outcome.name());
            }
            if (token != null) {
                token.failed();
            }
            // some receivers may have it: if a QoS 2 message were refused, the client would publish it anew and they
            // would get it twice
            acks.refuse(slot, packetId, code, packetId != 0);
            return;
        }
        if (token == null || attachment == null) {
            reportAccepted(message, outcome);
            acks.settle(slot, packetId, code);
            return;
        }
        // even if the connection is closed by now: else the next one would distribute the message again
        unstored.begin(message);
        OnEventLoop.whenComplete(connection, attachment.distributed(packetId, token.number()), (done, failure) -> {
            if (failure == null) {
                reportAccepted(message, outcome);
                services.dist.finished(token.origin(), token.number()); // the store informs only its own node
                acks.settle(slot, packetId, code);
            } else if (!session.isClosed()) {
                acks.refuse(slot, packetId, refusal(message, failure), true);
            }
            unstored.end(message);
        });
    }

    /**
     * Distributes a QoS 0 message whose client sent it and disconnected before it was authorized: nobody would send it
     * again.
     */
    void distributeLate(Message message, boolean mustRetain) {
        unstored.begin(message);
        CompletableFuture<?> stored = mustRetain
                ? services.retain.set(session.client().tenant(), message)
                : CompletableFuture.completedFuture(true);
        OnEventLoop.whenComplete(
                connection,
                stored.thenCompose(done -> session.publisher.publish(message, null)),
                (outcome, failure) -> {
                    if (failure != null) {
                        reportRefused(message, failure);
                    } else {
                        reportAccepted(message, outcome);
                    }
                    unstored.end(message);
                });
    }

    /** The reason code for a publish that a store failed to take; counts and reports it. */
    ReasonCode refusal(Message message, Throwable failure) {
        reportRefused(message, failure);
        return DistOutcome.ofFailure(failure) == DistOutcome.OVERLOADED
                ? ReasonCode.QUOTA_EXCEEDED
                : ReasonCode.UNSPECIFIED_ERROR;
    }

    private void reportAccepted(Message message, DistOutcome outcome) {
        if (outcome == DistOutcome.DELIVERED || outcome == DistOutcome.NO_MATCH) {
            services.reports.publishAccepted(session.client(), message, outcome == DistOutcome.DELIVERED);
        }
    }

    private void reportRefused(Message message, Throwable failure) {
        reportRefused(message, causeOf(DistOutcome.ofFailure(failure)), String.valueOf(failure.getMessage()));
    }

    private void reportRefused(Message message, PublishRefusalCause cause, String detail) {
        services.reports.publishRefused(session.client(), message.topic(), cause, detail);
    }

    private static PublishRefusalCause causeOf(DistOutcome outcome) {
        return outcome == DistOutcome.OVERLOADED ? PublishRefusalCause.OVERLOADED : PublishRefusalCause.STORE_FAILED;
    }
}
