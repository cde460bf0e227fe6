package io.godwit.inbox.carrier.home;

import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxHome;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The copy of a message for one inbox, on its way to a home. */
final class InsertStep extends HomeStep {
    private final HomeFlows flows;
    private final HomeInsert insert;
    private final int target;

    /** @param target its index among the targets of the request */
    InsertStep(HomeFlows flows, HomeInsert insert, int target) {
        super(insert.inbox(target));
        this.flows = flows;
        this.insert = insert;
        this.target = target;
    }

    @Override
    void send(InboxHome home, long round) {
        send(flows, home, List.of(this), new long[] {round});
    }

    /** Sends the copies of one message for inboxes of one home together; each with the round of its flow. */
    static void send(HomeFlows flows, InboxHome home, List<InsertStep> steps, long[] rounds) {
        home.insert(requestOf(steps), rounds, new PartAnswer(flows, steps));
    }

    /** The request for the targets of {@code steps}, which are of one message, in their order. */
    private static InsertRequest requestOf(List<InsertStep> steps) {
        HomeInsert insert = steps.get(0).insert;
        List<InsertRequest.Target> all = insert.request().targets();
        return steps.size() == all.size()
                ? insert.request()
                : insert.part(steps.stream().map(step -> all.get(step.target)).toList());
    }

    /** Upper bound on the bytes of the target in a frame. */
    int wireBytes() {
        return insert.wireBytesOfTarget(target);
    }

    @Override
    int bytes() {
        return OVERHEAD_BYTES + insert.bytesOfTarget();
    }

    @Override
    boolean isMessage() {
        return true;
    }

    @Override
    int orderHash() {
        return insert.orderHash();
    }

    @Override
    void sending() {
        insert.sent();
    }

    @Override
    boolean isAbandoned() {
        return insert.isAbandoned();
    }

    @Override
    boolean mustWait() {
        return insert.mustWait();
    }

    @Override
    @Nullable
    Runnable refused() {
        return insert.refused();
    }

    @Override
    @Nullable
    Runnable giveUp(RangeException cause) {
        return insert.failed(0, cause);
    }

    /** Receives a home's answer for the copies of a message that were sent to it together. */
    private static final class PartAnswer implements Answer {
        private final HomeFlows flows;
        private final List<InsertStep> steps;

        PartAnswer(HomeFlows flows, List<InsertStep> steps) {
            this.flows = flows;
            this.steps = steps;
        }

        @Override
        public void reply(InboxReply reply) {
            synchronized (flows) {
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
                            flows.refused(steps.get(i));
                        }
                    }
                } else {
                    failed(new RangeException(Cause.STORE_FAILED, "not an answer to this: " + reply));
                }
            }
            flows.tell();
        }

        private void done(InsertStep step, InsertOutcome outcome) {
            flows.ended(step);
            flows.tellLater(step.insert.done(step.target, outcome));
        }

        @Override
        public void fail(RangeException cause) {
            synchronized (flows) {
                if (cause.reason() == Cause.MOVED || cause.reason() == Cause.CLOSED) {
                    steps.forEach(flows::refused);
                } else if (cause.reason() == Cause.LOST) {
                    steps.forEach(step -> lost(step, cause));
                } else {
                    failed(cause);
                }
            }
            flows.tell();
        }

        private void lost(InsertStep step, RangeException cause) {
            if (step.insert.mayRepeat() && !step.isAbandoned() && !flows.isPassed(step)) {
                flows.refused(step);
            } else {
                flows.tellLater(step.insert.failed(1, cause));
                flows.failed(step);
            }
        }

        private void failed(RangeException cause) {
            flows.tellLater(steps.get(0).insert.failed(steps.size(), cause));
            steps.forEach(flows::failed);
        }
    }
}
