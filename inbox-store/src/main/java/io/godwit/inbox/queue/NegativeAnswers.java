package io.godwit.inbox.queue;

import io.godwit.inbox.client.InsertOutcome;
import io.godwit.kv.client.RangeException;
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
    /** Not a record: each is itself alone. */
    private static final class Pending {
        final InsertCall call;
        final int target;

        Pending(InsertCall call, int target) {
            this.call = call;
            this.target = target;
        }
    }

    private final InboxLeader leader;
    private final Set<Pending> open = new LinkedHashSet<>(0);

    NegativeAnswers(InboxLeader leader) {
        this.leader = leader;
    }

    void answer(InsertCall call, int target, InsertOutcome outcome) {
        if (!leader.settings().isClustered()) {
            call.answer(target, outcome);
            return;
        }
        Pending pending = new Pending(call, target);
        open.add(pending);
        leader.context().confirm(() -> {
            open.remove(pending);
            call.answer(target, outcome);
        });
    }

    /** The leadership has ended: whoever leads next is asked. */
    void stop(RangeException cause) {
        List<Pending> left = new ArrayList<>(open);
        open.clear();
        left.forEach(each -> each.call.notReached(each.target, leader.context(), cause));
    }
}
