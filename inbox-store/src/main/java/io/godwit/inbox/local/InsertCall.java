package io.godwit.inbox.local;

import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.RefusalGate;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.coprocessor.LeaderContext;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** That part of an {@link InsertRequest} which one range takes. Answered on the executor of that range. */
public final class InsertCall implements LeaderRequest {
    private final InsertRequest request;
    /** Numbers of its targets among those of the request, ascending. */
    private final int[] targets;

    private final InsertParts parts;
    /** Whether the message comes out of the retain store: an attachment appends it at the leader of its inbox. */
    private final boolean isReplay;
    /** Of a call that does not wait for a leader; null for others. */
    private final @Nullable Rounds rounds;

    private int open;

    /**
     * What a call that does not wait for a leader is refused by.
     *
     * @param ofTargets for each target of the request
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Rounds(RefusalGate gate, long[] ofTargets) {}

    public InsertCall(InsertRequest request, int[] targets, InsertParts parts, boolean isReplay) {
        this(request, targets, parts, isReplay, null);
    }

    public InsertCall(
            InsertRequest request, int[] targets, InsertParts parts, boolean isReplay, @Nullable Rounds rounds) {
        this.rounds = rounds;
        this.request = request;
        this.targets = targets;
        this.parts = parts;
        this.isReplay = isReplay;
        this.open = targets.length;
    }

    /** Where the inbox of a target of the request has its place. */
    static byte[] keyOf(InsertRequest request, int target) {
        return InboxKeys.prefix(request.tenant(), request.targets().get(target).clientId());
    }

    public InsertRequest request() {
        return request;
    }

    public int[] targets() {
        return targets;
    }

    public void answer(int target, InsertOutcome outcome) {
        parts.set(target, outcome);
        if (--open == 0) {
            parts.partDone();
        }
    }

    public boolean isReplay() {
        return isReplay;
    }

    @Override
    public boolean waitsForLeader() {
        return rounds == null;
    }

    private InboxId inbox(int target) {
        return new InboxId(request.tenant(), request.targets().get(target).clientId());
    }

    /**
     * Whether something earlier for the inbox was refused, and the sender did not know; or whether nothing of that
     * sender may be carried out now.
     */
    public boolean mayNotPass(int target, InboxId id) {
        Rounds refusing = rounds;
        return refusing != null
                && (!refusing.gate().passes(id, refusing.ofTargets()[target])
                        || request.resend().mustNotBeTaken());
    }

    /**
     * Nothing was and will be done for the target, since the leadership has ended for that cause. Returns false for a
     * call that is to fail as a whole.
     */
    public boolean isMoved(int target, RangeException cause) {
        Rounds refusing = rounds;
        if (refusing == null || !Refusals.isNotBegun(cause)) {
            return false;
        }
        refusing.gate().refused(inbox(target), refusing.ofTargets()[target]);
        if (--open == 0) {
            parts.partDone();
        }
        return true;
    }

    /** Whether the sender goes on at the next leader when this one has ended for that cause. */
    public boolean goesOn(RangeException cause) {
        return rounds != null && (Refusals.isNotBegun(cause) || cause.reason() == RangeException.Cause.LOST);
    }

    /** The leadership has ended for a cause by which the sender {@link #goesOn}. */
    public void ended(int target, RangeException cause) {
        if (!isMoved(target, cause)) {
            lost(target);
        }
    }

    /**
     * The leadership has ended, and nobody knows whether the target has or will have the message. Of a call whose
     * sender {@link #goesOn}.
     */
    public void lost(int target) {
        Rounds refusing = Objects.requireNonNull(rounds, "it waits for a leader");
        refusing.gate().refused(inbox(target), refusing.ofTargets()[target]);
        parts.lost(target);
        if (--open == 0) {
            parts.partDone();
        }
    }

    /** Nothing was done for the target: the leadership has ended, or its inbox cannot be read. */
    public void notReached(int target, LeaderContext context, RangeException cause) {
        if (cause.reason() == RangeException.Cause.MOVED) {
            misrouted(target, context);
        } else if (!isMoved(target, cause)) {
            fail(cause);
        }
    }

    /** The target belongs to another range by now: it is handed on. */
    public void misrouted(int target, LeaderContext context) {
        if (isMoved(target, Refusals.notLedHere())) {
            return;
        }
        if (isReplay) {
            throw new IllegalStateException("a replay of another range");
        }
        parts.partAdded();
        context.forward(keyOf(request, target), new InsertCall(request, new int[] {target}, parts, false));
        if (--open == 0) {
            parts.partDone();
        }
    }

    @Override
    public boolean concerns(Predicate<byte[]> isOwned) {
        for (int target : targets) {
            if (isOwned.test(keyOf(request, target))) {
                return true;
            }
        }
        return false;
    }

    /** Whether an earlier message of the same publisher has failed: then this one must not be there before it. */
    public boolean isHeldBack() {
        RequestOrder order = request.order();
        return order != null && order.isBrokenBefore(request.tokenNumber());
    }

    /** What a call is told that {@link #isHeldBack}. Nothing was written for it. */
    public static RangeException heldBack() {
        return new RangeException(
                RangeException.Cause.OVERLOADED, "an earlier message of the same publisher could not be stored");
    }

    /** As a whole. */
    @Override
    public void fail(RangeException cause) {
        if (rounds != null && Refusals.isNotBegun(cause)) {
            for (int target : targets) {
                isMoved(target, cause);
            }
            return;
        }
        RequestOrder order = request.order();
        if (order != null) {
            order.failed(request.tokenNumber());
        }
        parts.fail(cause);
    }
}
