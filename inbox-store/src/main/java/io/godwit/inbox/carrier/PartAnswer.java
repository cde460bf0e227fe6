package io.godwit.inbox.carrier;

import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import java.util.List;
import java.util.Optional;

/** Receives a home's answer for the copies of a message that were sent to it together. */
final class PartAnswer implements Answer {
    private final HomeCarrier carrier;
    private final List<InsertStep> steps;

    PartAnswer(HomeCarrier carrier, List<InsertStep> steps) {
        this.carrier = carrier;
        this.steps = steps;
    }

    @Override
    public void reply(InboxReply reply) {
        synchronized (carrier) {
            if (reply instanceof InboxReply.Inserted inserted
                    && inserted.outcomes().size() == steps.size()) {
                for (int i = 0; i < steps.size(); i++) {
                    done(steps.get(i), inserted.outcomes().get(i));
                }
            } else if (reply instanceof InboxReply.InsertedInPart inserted
                    && inserted.outcomes().size() == steps.size()) {
                for (int i = 0; i < steps.size(); i++) {
                    Optional<InsertOutcome> outcome = inserted.outcomes().get(i);
                    if (outcome.isPresent()) {
                        done(steps.get(i), outcome.get());
                    } else if (inserted.lost().contains(i)) {
                        lost(steps.get(i), new RangeException(Cause.LOST, "the leader of the inbox was deposed"));
                    } else {
                        carrier.refused(steps.get(i));
                    }
                }
            } else {
                failed(new RangeException(Cause.STORE_FAILED, "not an answer to this: " + reply));
            }
        }
        carrier.tell();
    }

    private void done(InsertStep step, InsertOutcome outcome) {
        carrier.ended(step);
        carrier.tellLater(step.insert().done(step.target(), outcome));
    }

    @Override
    public void fail(RangeException cause) {
        synchronized (carrier) {
            if (cause.reason() == Cause.MOVED || cause.reason() == Cause.CLOSED) {
                steps.forEach(carrier::refused);
            } else if (cause.reason() == Cause.LOST) {
                steps.forEach(step -> lost(step, cause));
            } else {
                failed(cause);
            }
        }
        carrier.tell();
    }

    private void lost(InsertStep step, RangeException cause) {
        if (step.insert().mayRepeat() && !step.isAbandoned() && !carrier.isPassed(step)) {
            carrier.refused(step);
        } else {
            carrier.tellLater(step.insert().failed(1, cause));
            carrier.failed(step);
        }
    }

    private void failed(RangeException cause) {
        carrier.tellLater(steps.get(0).insert().failed(steps.size(), cause));
        steps.forEach(carrier::failed);
    }
}
