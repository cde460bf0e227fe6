package io.godwit.inbox.leader.state;

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
 * Answers from memory that would do harm if they were wrong. A leader that Raft has replaced may not know that yet, and
 * the next leader may have decided otherwise. So in a cluster such an answer is sent only after a proof that this
 * leader still led when it had read its memory. Answers that wait for a commit need no other proof.
 *
 * <p>These answers are:
 *
 * <ul>
 * <li>to an insert, that there is no session, no such token, or no room in the queue: the receiver removes routes, has
 *     another member of a group take the message, or counts it as dropped;
 * <li>who owns a session, or that nobody does: the client could get the session of another user;
 * <li>that there is no session to delete or to empty, or none without a connection whose filters are to change: a
 *     session that its client has given up would stay and collect messages;
 * <li>that a QoS 2 message no longer needs a mark: it would be distributed a second time when its receivers have
 *     forgotten its token.
 * </ul>
 *
 * <p>Owned by the range leader.
 */
public final class ConfirmedAnswers {
    /**
     * Most answers that may wait. A leader without a majority gets no proof until it steps down some seconds later, and
     * nothing else bounds QoS 0 messages.
     */
    public static final int MAX_OPEN = 10_000;

    /** Not a record: compared by identity. */
    private static final class Unconfirmed {
        final Consumer<RangeException> notConfirmed;

        Unconfirmed(Consumer<RangeException> notConfirmed) {
            this.notConfirmed = notConfirmed;
        }
    }

    private final LeaderContext context;
    private final boolean isClustered;
    private final Set<Unconfirmed> open = new LinkedHashSet<>(0);

    public ConfirmedAnswers(LeaderContext context, QueueSettings settings) {
        this.context = context;
        this.isClustered = settings.isClustered();
    }

    /**
     * Runs exactly one of the two, once; {@code answer} at once when there is no cluster.
     *
     * @param notConfirmed gets the cause: {@code OVERLOADED} when too many answers wait, else the cause given to
     *     {@link #stop}
     */
    public void answer(Runnable answer, Consumer<RangeException> notConfirmed) {
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

    /** The leadership has ended: callers must ask the next leader. */
    public void stop(RangeException cause) {
        List<Unconfirmed> left = new ArrayList<>(open);
        open.clear();
        left.forEach(each -> each.notConfirmed.accept(cause));
    }
}
