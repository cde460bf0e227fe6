package io.godwit.inbox.local;

import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.kv.client.RangeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Collects the answer to an insert whose targets are in several ranges. Their executors contend for it, hence the
 * atomic.
 */
public final class InsertParts {
    /** So far below 0 that adding parts never makes it positive. */
    private static final int ANSWERED = Integer.MIN_VALUE / 2;

    /**
     * Null until decided, and for a copy whose leader has moved. One executor writes each, before its part is done; the
     * last part to be done reads all.
     */
    private final @Nullable InsertOutcome[] outcomes;

    /** Copies that lost leaders may have stored; under the lock. */
    private final Set<Integer> lost = new TreeSet<>();

    /** Parts that are not done; 0 or less once the call is answered. */
    private final AtomicInteger openParts;

    private final Answer answer;

    public InsertParts(int targets, int parts, Answer answer) {
        this.outcomes = new InsertOutcome[targets];
        this.openParts = new AtomicInteger(parts);
        this.answer = answer;
    }

    void set(int target, InsertOutcome outcome) {
        outcomes[target] = outcome;
    }

    void lost(int target) {
        synchronized (lost) {
            lost.add(target);
        }
    }

    void partAdded() {
        openParts.incrementAndGet();
    }

    void partDone() {
        if (openParts.decrementAndGet() == 0) {
            int moved = 0;
            for (InsertOutcome outcome : outcomes) {
                moved += outcome == null ? 1 : 0;
            }
            if (moved == 0) {
                answer.reply(all());
            } else {
                notAll(moved == outcomes.length);
            }
        }
    }

    private InboxReply all() {
        if (outcomes.length == 1) {
            return new InboxReply.Inserted(List.of(Objects.requireNonNull(outcomes[0])));
        }
        List<InsertOutcome> list = new ArrayList<>(outcomes.length);
        for (InsertOutcome outcome : outcomes) {
            list.add(Objects.requireNonNull(outcome));
        }
        return new InboxReply.Inserted(list);
    }

    private void notAll(boolean isNone) {
        synchronized (lost) {
            if (isNone && lost.isEmpty()) {
                answer.fail(Refusals.notLedHere());
            } else {
                answer.reply(inPart());
            }
        }
    }

    private InboxReply inPart() {
        List<Optional<InsertOutcome>> list = new ArrayList<>(outcomes.length);
        for (InsertOutcome outcome : outcomes) {
            list.add(Optional.ofNullable(outcome));
        }
        return new InboxReply.InsertedInPart(list, lost);
    }

    /** The first failure is the answer. */
    void fail(RangeException cause) {
        if (openParts.getAndSet(ANSWERED) > 0) {
            answer.fail(cause);
        }
    }
}
