package io.godwit.dist.member;

import io.godwit.common.failure.Failures;
import io.godwit.dist.member.view.CurrentView;
import io.godwit.dist.member.view.MemberStep;
import io.godwit.dist.member.view.MembersView;
import io.godwit.dist.member.view.ViewRecord;
import io.godwit.dist.member.view.ViewStore;
import io.godwit.kv.client.Backoff;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Commits steps: computes the next view from the newest known one and replaces that. If another change was first,
 * starts again from the view that is there now. Confined to the thread of the members, on which its futures complete;
 * they fail with {@link RangeException}, and the step may then be committed all the same.
 */
final class ViewCommits {
    static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long TRY_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A step is not legal in the present view. */
    static final class StepRefusedException extends Exception {
        private static final long serialVersionUID = 1L;

        StepRefusedException(String why) {
            super(why, null, false, false);
        }
    }

    private final ViewStore store;
    private final CurrentView current;
    private final MemberThread thread;
    /** Spreads the retries of members that have lost to each other, or lost the same leader. */
    private final Backoff backoff;

    ViewCommits(ViewStore store, CurrentView current, MemberThread thread) {
        this.store = store;
        this.current = current;
        this.thread = thread;
        this.backoff = new Backoff(PAUSE_NANOS, PAUSE_NANOS, thread::random);
    }

    /** The newest view that this node knows: the next step changes this one. */
    MembersView newestView() {
        return current.get();
    }

    /**
     * Completes with a view that has the result of the step, made by it or before. May also fail with
     * {@link StepRefusedException}.
     */
    CompletableFuture<MembersView> commit(MemberStep step) {
        CompletableFuture<MembersView> done = new CompletableFuture<>();
        attempt(step, new Deadline(thread.nanoTime() + TIMEOUT_NANOS), done);
        return done;
    }

    private void attempt(MemberStep step, Deadline deadline, CompletableFuture<MembersView> done) {
        MembersView base = current.get();
        MemberStep.Verdict verdict = step.of(base);
        if (current.isOutdated()) {
            fail(done, "the view of members is of a version that this node does not read");
        } else if (verdict instanceof MemberStep.Changed changed) {
            long now = thread.nanoTime();
            if (deadline.hasPassed(now)) {
                fail(done, "no view of members with " + step + " by its deadline");
                return;
            }
            Deadline attempt = new Deadline(now + Math.min(TRY_NANOS, deadline.remainingNanos(now)));
            store.replace(changed.next(), attempt)
                    .whenComplete((reply, failure) ->
                            thread.execute(() -> answered(step, deadline, done, changed.next(), reply, failure)));
        } else if (verdict instanceof MemberStep.Refused refused) {
            done.completeExceptionally(new StepRefusedException(refused.why()));
        } else {
            done.complete(base);
        }
    }

    @SuppressWarnings("NullAway") // a reply or a failure
    private void answered(
            MemberStep step,
            Deadline deadline,
            CompletableFuture<MembersView> done,
            MembersView next,
            ViewRecord.Reply reply,
            Throwable failure) {
        if (failure != null) {
            if (Failures.cause(failure) instanceof RangeException range && range.reason() == Cause.CLOSED) {
                done.completeExceptionally(range);
            } else {
                thread.later(backoff.pause(1), () -> attempt(step, deadline, done));
            }
            return;
        }
        switch (reply.outcome()) {
            case APPLIED -> {
                current.offer(next);
                done.complete(next);
            }
            case OTHER_REVISION -> {
                boolean isNewer = reply.view().revision() > current.get().revision();
                current.offer(reply.view());
                if (isNewer || current.get().revision() >= next.revision()) {
                    attempt(step, deadline, done);
                } else { // cannot happen with a store that has the view that was read here
                    thread.later(backoff.pause(1), () -> attempt(step, deadline, done));
                }
            }
            case ELSEWHERE -> thread.later(backoff.pause(1), () -> attempt(step, deadline, done));
            case REFUSED -> fail(done, "the store does not take " + next);
        }
    }

    private static void fail(CompletableFuture<MembersView> done, String why) {
        done.completeExceptionally(new RangeException(Cause.TIMEOUT, why));
    }
}
