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

/** The part of an {@link InsertRequest} for one range. Answered on the executor of that range. */
public final class InsertCall implements LeaderRequest {
    private final InsertRequest request;
    /** Indexes of its targets in the request, ascending. */
    private final int[] targets;

    private final InsertParts parts;
    /** Whether the message is a retained one, which an attachment appends at the leader of its inbox. */
    private final boolean isReplay;
    /** Set for a call that does not wait for a leader; null for others. */
    private final @Nullable Rounds rounds;

    private int open;

    /**
     * Decides about refusals of a call that does not wait for a leader.
     *
     * @param ofTargets round of each target of the request
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

    /** The key that decides which range takes a target. */
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
     * Whether the target must be refused: an earlier command for the inbox was refused and the sender did not know, or
     * nothing from that sender may be carried out now.
     */
    public boolean mayNotPass(int target, InboxId id) {
        Rounds refusing = rounds;
        return refusing != null
                && (!refusing.gate().passes(id, refusing.ofTargets()[target])
                        || request.resend().mustNotBeTaken());
    }

    /**
     * Refuses a target for which nothing was or will be done, because the leadership has ended. Returns false, and does
     * nothing, if the whole call must fail instead.
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

    /** Whether the sender repeats the call at the next leader after a leadership that ended with that cause. */
    public boolean goesOn(RangeException cause) {
        return rounds != null && (Refusals.isNotBegun(cause) || cause.reason() == RangeException.Cause.LOST);
    }

    /** The leadership ended with a cause after which the sender repeats the call ({@link #goesOn}). */
    public void ended(int target, RangeException cause) {
        if (!isMoved(target, cause)) {
            lost(target);
        }
    }

    /**
     * The leadership has ended, and it is unknown whether the target has or will get the message. Only for a call that
     * its sender repeats ({@link #goesOn}).
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

    /** The target now belongs to another range: hands it on. */
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

    /** Whether an earlier message of the same publisher has failed; this one must then not be stored before it. */
    public boolean isHeldBack() {
        RequestOrder order = request.order();
        return order != null && order.isBrokenBefore(request.tokenNumber());
    }

    /** The failure of a call that {@link #isHeldBack}. Nothing was written for it. */
    public static RangeException heldBack() {
        return new RangeException(
                RangeException.Cause.OVERLOADED, "an earlier message of the same publisher could not be stored");
    }

    /** Fails the call as a whole. */
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
