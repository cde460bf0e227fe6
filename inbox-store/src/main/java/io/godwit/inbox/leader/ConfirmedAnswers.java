package io.godwit.inbox.leader;

import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.LeaderContext;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Answers that come out of memory and would do harm if they were wrong. A leader that Raft has replaced may not know
 * yet, and the next one may have decided otherwise. So in a cluster such an answer goes out once it is confirmed that
 * this leader still was one after it had looked. Answers that wait for a commit need no other proof.
 *
 * <p>They are:
 *
 * <ul>
 *   <li>of an insert, that there is no session, no such token, or no room in the queue: who hears it removes routes,
 *       has another member of a group take the message, or counts it as dropped;
 *   <li>whose a session is, be it nobody's: the client would be given the session of another user;
 *   <li>that there is no session to delete or to empty, or none without a connection whose filters are to change: one
 *       that its client has given up would stay, and gather messages;
 *   <li>that a QoS 2 message needs no mark any more: it would be distributed a second time, when its receivers have
 *       forgotten its token.
 * </ul>
 *
 * <p>Owned by the range leader.
 */
final class ConfirmedAnswers {
    /**
     * Answers that may wait. A leader without a majority gets no proof until it steps down, some seconds later, and
     * nothing else bounds messages of QoS 0.
     */
    static final int MAX_OPEN = 10_000;

    /** Not a record: each is itself alone. */
    private static final class Unconfirmed {
        final Consumer<RangeException> notConfirmed;

        Unconfirmed(Consumer<RangeException> notConfirmed) {
            this.notConfirmed = notConfirmed;
        }
    }

    private final LeaderContext context;
    private final boolean isClustered;
    private final Set<Unconfirmed> open = new LinkedHashSet<>(0);

    ConfirmedAnswers(LeaderContext context, QueueSettings settings) {
        this.context = context;
        this.isClustered = settings.isClustered();
    }

    /**
     * Runs one of the two, once; the first at once where there is no cluster.
     *
     * @param notConfirmed told why; {@code OVERLOADED} when too many wait, else what {@link #stop} was told
     */
    void answer(Runnable answer, Consumer<RangeException> notConfirmed) {
        if (!isClustered) {
            answer.run();
            return;
        }
        if (open.size() >= MAX_OPEN) {
            notConfirmed.accept(
                    new RangeException(Cause.OVERLOADED, "too many answers wait for a proof that this node leads"));
            return;
        }
        Unconfirmed unconfirmed = new Unconfirmed(notConfirmed);
        open.add(unconfirmed);
        context.confirm(() -> {
            if (open.remove(unconfirmed)) {
                answer.run();
            }
        });
    }

    /** The leadership has ended: whoever leads next is asked. */
    void stop(RangeException cause) {
        List<Unconfirmed> left = new ArrayList<>(open);
        open.clear();
        left.forEach(each -> each.notConfirmed.accept(cause));
    }
}
