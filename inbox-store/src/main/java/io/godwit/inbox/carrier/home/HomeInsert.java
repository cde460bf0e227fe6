package io.godwit.inbox.carrier.home;

import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import io.godwit.plugin.message.Qos;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way to the homes of its inboxes. Guarded by the lock of the {@link HomeFlows}.
 *
 * <p>When a copy fails, waiting copies are not sent, and the failure is reported once none is under way: the publisher
 * sends the message again, and a copy of the first attempt must not come after those of the second.
 */
final class HomeInsert {
    /** Numbers of a target on the wire, with their field tags. */
    private static final int NUMBERS_BYTES = 64;

    private static final int MOST_UTF8_BYTES = 3;
    private static final int MOST_VARINT_BYTES = 5;

    private final InsertRequest request;
    private final Answer answer;
    private final @Nullable InsertOutcome[] outcomes;
    /** Number of copies without an outcome. */
    private int open;

    private int underWay;
    private @Nullable RangeException failure;
    private boolean isAnswered;

    HomeInsert(InsertRequest request, Answer answer) {
        this.request = request;
        this.answer = answer;
        this.open = request.targets().size();
        this.outcomes = new InsertOutcome[open];
    }

    InboxId inbox(int target) {
        return new InboxId(request.tenant(), request.targets().get(target).clientId());
    }

    /** A target's share of the message size. */
    int bytesOfTarget() {
        return request.message().heapBytes() / outcomes.length;
    }

    /** Upper bound on the bytes of a target in a frame. */
    int wireBytesOfTarget(int number) {
        InsertRequest.Target target = request.targets().get(number);
        String shared = target.sharedFilter();
        int characters = target.clientId().value().length() + (shared == null ? 0 : shared.length());
        return NUMBERS_BYTES + MOST_UTF8_BYTES * characters + MOST_VARINT_BYTES * target.subscriptionIds().length;
    }

    InsertRequest request() {
        return request;
    }

    /** The request for some of its targets, in their order. */
    InsertRequest part(List<InsertRequest.Target> targets) {
        return new InsertRequest(
                request.tenant(),
                request.message(),
                targets,
                request.tokenOrigin(),
                request.tokenNumber(),
                request.tokenFinishedBelow(),
                request.onlyAsks(),
                request.order(),
                request.resend());
    }

    /**
     * Whether a copy may be sent again when it is unknown whether it was stored. At QoS 1 a receiver may get a second
     * copy, as it would if the publisher repeated the message; a token identifies a repeat.
     */
    boolean mayRepeat() {
        return request.message().qos() != Qos.AT_MOST_ONCE;
    }

    /** Hash of its publisher, topic and QoS (MQTT 5.0, 4.6). */
    int orderHash() {
        Object publisher = request.order() == null ? request.resend() : request.order();
        int hash = 31 * System.identityHashCode(publisher)
                + request.message().topic().hashCode();
        return 31 * hash + request.message().qos().ordinal();
    }

    /** One copy is being sent. */
    void sent() {
        underWay++;
    }

    /** Whether it has failed: unsent copies are not sent any more. */
    boolean hasFailed() {
        return failure != null;
    }

    /** Whether unsent or refused copies need not be sent any more. */
    boolean isAbandoned() {
        return failure != null || request.resend().isAbandoned();
    }

    /** Whether unsent or refused copies must not be sent now. */
    boolean mustWait() {
        return request.resend().mustWait();
    }

    /** A sent copy has that outcome. This method and the others return an answer to give now; null for none. */
    @Nullable
    Runnable done(int target, InsertOutcome outcome) {
        underWay--;
        outcomes[target] = outcome;
        open--;
        return settle();
    }

    /** A sent copy was refused; it waits now. */
    @Nullable
    Runnable refused() {
        underWay--;
        return settle();
    }

    /**
     * Copies have failed; the first failure is the answer.
     *
     * @param copies number of failed copies under way; 0 for a copy that was not sent
     */
    @Nullable
    Runnable failed(int copies, RangeException cause) {
        underWay -= copies;
        if (failure == null) {
            failure = cause;
            request.resend().failed();
            RequestOrder order = request.order();
            if (order != null) { // before anyone is told
                order.failed(request.tokenNumber());
            }
        }
        return settle();
    }

    private @Nullable Runnable settle() {
        RangeException cause = failure;
        if (isAnswered || underWay > 0 || cause == null && open > 0) {
            return null;
        }
        isAnswered = true;
        if (cause != null) {
            return () -> answer.fail(cause);
        }
        InboxReply reply = new InboxReply.Inserted(
                Arrays.stream(outcomes).map(Objects::requireNonNull).toList());
        return () -> answer.reply(reply);
    }
}
