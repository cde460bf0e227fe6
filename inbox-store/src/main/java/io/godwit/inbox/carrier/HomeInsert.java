package io.godwit.inbox.carrier;

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
 * A message on its way to the homes of its inboxes. Guarded by the lock of the {@link HomeCarrier}.
 *
 * <p>When a copy fails the others that wait are not sent, and the failure is told once none is under way: the publisher
 * sends the message again, and a copy of the first time may not come behind those of the second.
 */
final class HomeInsert {
    /** Of the numbers of a target on the wire, and of what says which field is which. */
    private static final int NUMBERS_BYTES = 64;

    private static final int MOST_UTF8_BYTES = 3;
    private static final int MOST_VARINT_BYTES = 5;

    private final InsertRequest request;
    private final Answer answer;
    private final @Nullable InsertOutcome[] outcomes;
    /** Copies without an outcome. */
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

    /** Its share in the message. */
    int bytesOfTarget() {
        return request.message().heapBytes() / outcomes.length;
    }

    /** What a target takes in a frame, at most. */
    int wireBytesOfTarget(int number) {
        InsertRequest.Target target = request.targets().get(number);
        String shared = target.sharedFilter();
        int characters = target.clientId().value().length() + (shared == null ? 0 : shared.length());
        return NUMBERS_BYTES + MOST_UTF8_BYTES * characters + MOST_VARINT_BYTES * target.subscriptionIds().length;
    }

    /** The request for some of its targets, in their order. */
    InsertRequest part(List<InsertStep> steps) {
        if (steps.size() == outcomes.length) {
            return request;
        }
        List<InsertRequest.Target> all = request.targets();
        return new InsertRequest(
                request.tenant(),
                request.message(),
                steps.stream().map(step -> all.get(step.target())).toList(),
                request.tokenOrigin(),
                request.tokenNumber(),
                request.tokenFinishedBelow(),
                request.onlyAsks(),
                request.order(),
                request.resend());
    }

    /**
     * Whether it may be stored twice, when it is not known whether it was stored. At QoS 1 a receiver may get a second
     * copy, as it would if the publisher had to repeat the message; by its token a repeat is recognised.
     */
    boolean mayRepeat() {
        return request.message().qos() != Qos.AT_MOST_ONCE;
    }

    /** Of its publisher, topic and QoS (MQTT 5.0, 4.6). */
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

    /** Whether it has failed: what was not sent of it is not sent any more. */
    boolean hasFailed() {
        return failure != null;
    }

    /** Whether what was not sent of it, or was refused, need not be sent any more. */
    boolean isAbandoned() {
        return failure != null || request.resend().isAbandoned();
    }

    /** Whether what was not sent of it, or was refused, may not be sent now. */
    boolean mustWait() {
        return request.resend().mustWait();
    }

    /** A copy that was sent has that outcome. This and the others return what is to be told now; null for nothing. */
    @Nullable
    Runnable done(int target, InsertOutcome outcome) {
        underWay--;
        outcomes[target] = outcome;
        open--;
        return settle();
    }

    /** A copy that was sent was refused; it waits now. */
    @Nullable
    Runnable refused() {
        underWay--;
        return settle();
    }

    /** So many copies that were sent have failed; none, if it is one that was not. The first failure is the answer. */
    @Nullable
    Runnable failed(int copies, RangeException cause) {
        underWay -= copies;
        if (failure == null) {
            failure = cause;
            request.resend().failed();
            RequestOrder order = request.order();
            if (order != null) { // before anybody is told
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
