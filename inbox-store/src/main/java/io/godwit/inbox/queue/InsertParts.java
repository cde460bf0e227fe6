package io.godwit.inbox.queue;

import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.kv.client.RangeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The answer to an insert whose targets several ranges take. Their executors meet here, hence the atomics. */
final class InsertParts {
    private final AtomicReferenceArray<InsertOutcome> outcomes;
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
            List<InsertOutcome> list = new ArrayList<>(outcomes.length());
            for (int i = 0; i < outcomes.length(); i++) {
                list.add(outcomes.get(i));
            }
            answer.reply(new InboxReply.Inserted(list));
        }
    }

    /** The first failure is the answer. */
    void fail(RangeException cause) {
        if (isAnswered.compareAndSet(false, true)) {
            answer.fail(cause);
        }
    }
}
