package io.godwit.inbox.queue;

import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.kv.client.RangeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The answer to an insert whose targets several ranges take. Their executors meet here, hence the atomics. */
final class InsertParts {
    /** Null before, and for a copy whose leader has moved. */
    private final AtomicReferenceArray<@Nullable InsertOutcome> outcomes;

    private final AtomicInteger openParts;
    private final AtomicBoolean isAnswered = new AtomicBoolean();
    private final Answer answer;

    InsertParts(int targets, int parts, Answer answer) {
        this.outcomes = new AtomicReferenceArray<>(targets);
        this.openParts = new AtomicInteger(parts);
        this.answer = answer;
    }

    void set(int target, InsertOutcome outcome) {
        outcomes.set(target, outcome);
    }

    void partAdded() {
        openParts.incrementAndGet();
    }

    void partDone() {
        if (openParts.decrementAndGet() == 0 && isAnswered.compareAndSet(false, true)) {
            int moved = 0;
            for (int i = 0; i < outcomes.length(); i++) {
                moved += outcomes.get(i) == null ? 1 : 0;
            }
            if (moved == 0) {
                answer.reply(new InboxReply.Inserted(all(outcomes::get)));
            } else if (moved == outcomes.length()) {
                answer.fail(InsertCall.notLedHere());
            } else {
                answer.reply(new InboxReply.InsertedInPart(all(i -> Optional.ofNullable(outcomes.get(i)))));
            }
        }
    }

    private <T> List<T> all(IntFunction<T> outcome) {
        List<T> list = new ArrayList<>(outcomes.length());
        for (int i = 0; i < outcomes.length(); i++) {
            list.add(outcome.apply(i));
        }
        return list;
    }

    /** The first failure is the answer. */
    void fail(RangeException cause) {
        if (isAnswered.compareAndSet(false, true)) {
            answer.fail(cause);
        }
    }
}
