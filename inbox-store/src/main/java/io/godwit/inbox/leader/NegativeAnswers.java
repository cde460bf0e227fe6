package io.godwit.inbox.leader;

import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.inbox.local.InsertCall;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.LeaderContext;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Answers that something is not here: a session, a token, or room in a queue. Who hears it removes routes, has another
 * member of a group take the message, or counts it as dropped. A leader that Raft has replaced may not know yet, and
 * the next one may have all of them. So in a cluster such an answer goes out once it is confirmed that this leader
 * still was one after it had looked. What a leader has needs no proof: it is stored before that is told. Owned by the
 * range leader.
 */
final class NegativeAnswers {
    /**
     * Answers that may wait. A leader without a majority gets no proof until it steps down, some seconds later, and
     * nothing else bounds messages of QoS 0.
     */
    static final int MAX_OPEN = 10_000;

    /** Not a record: each is itself alone. */
    private static final class Unconfirmed {
        final InsertCall call;
        final int target;

        Unconfirmed(InsertCall call, int target) {
            this.call = call;
            this.target = target;
        }
    }

    private final LeaderContext context;
    private final boolean isClustered;
    private final Set<Unconfirmed> open = new LinkedHashSet<>(0);

    NegativeAnswers(LeaderContext context, QueueSettings settings) {
        this.context = context;
        this.isClustered = settings.isClustered();
    }

    void answer(InsertCall call, int target, InsertOutcome outcome) {
        if (!isClustered) {
            call.answer(target, outcome);
            return;
        }
        if (open.size() >= MAX_OPEN) {
            RangeException full = new RangeException(
                    RangeException.Cause.OVERLOADED, "too many answers wait for a proof that this node leads");
            call.notReached(target, context, full);
            return;
        }
        Unconfirmed unconfirmed = new Unconfirmed(call, target);
        open.add(unconfirmed);
        context.confirm(() -> {
            if (open.remove(unconfirmed)) {
                call.answer(target, outcome);
            }
        });
    }

    /** The leadership has ended: whoever leads next is asked. */
    void stop(RangeException cause) {
        List<Unconfirmed> left = new ArrayList<>(open);
        open.clear();
        left.forEach(each -> each.call.notReached(each.target, context, cause));
    }
}
