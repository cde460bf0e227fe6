package io.godwit.inbox.leader.command;

import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.leader.delivery.Attachment;
import io.godwit.inbox.leader.queue.Mailbox;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.leader.session.Filters;
import io.godwit.inbox.leader.session.LeaderSession;
import io.godwit.inbox.leader.session.OwedRetained;
import io.godwit.inbox.leader.state.Answering;
import io.godwit.inbox.leader.state.InboxState;
import io.godwit.inbox.leader.state.InboxStates;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;

/** Changes the subscriptions of sessions, and the retained messages they are owed. Owned by the range leader. */
public final class Subscriptions {
    private final Writes writes;
    private final InboxStates states;

    public Subscriptions(Writes writes, InboxStates states) {
        this.writes = writes;
        this.states = states;
    }

    void subscribe(InboxState state, List<StoredSubscription> asked, Answer answer) {
        LeaderSession session = state.session();
        if (session == null) {
            answer.fail(Mailbox.closed());
            return;
        }
        RangeException full = writes.diskFull();
        if (full != null && asked.stream().anyMatch(each -> !session.filters().contains(each.filter()))) {
            answer.fail(full);
            return;
        }
        List<Boolean> isNew = new ArrayList<>();
        Filters.Write write = session.filters().writeBy(writes.openBatch(), state);
        if (!write.hasRoomFor(asked)) {
            answer.fail(new RangeException(
                    Cause.OVERLOADED,
                    "filters that are stored together take more than " + Filters.MAX_PAGE_BYTES + " bytes"));
            return;
        }
        for (StoredSubscription subscription : asked) {
            TopicFilter filter = subscription.filter();
            StoredSubscription before = write.put(subscription);
            boolean owes = subscription.asksForRetained(before == null);
            if (owes) {
                oweRetained(state, session, filter);
            }
            if (owes || !subscription.equals(before)) {
                write.changed(filter);
            }
            isNew.add(before == null);
        }
        writes.openBatch().whenDone(new Answering(states, state, answer, new InboxReply.Flags(isNew)));
    }

    private void oweRetained(InboxState state, LeaderSession session, TopicFilter filter) {
        OwedRetained retained = session.retained();
        if (retained == null) {
            retained = new OwedRetained(writes, state, () -> states.discard(state));
            session.owe(retained);
        }
        Attachment attachment = state.attachment();
        if (attachment != null) {
            attachment.refuseReplays(filter); // steps of the replay to the old subscription
        }
        retained.begin(filter, writes.takeSequence(state), writes.openBatch());
    }

    void unsubscribe(InboxState state, List<TopicFilter> removed, Answer answer) {
        LeaderSession session = state.session();
        if (session == null) {
            answer.fail(Mailbox.closed());
            return;
        }
        List<Boolean> existed = new ArrayList<>();
        Filters.Write write = session.filters().writeBy(writes.openBatch(), state);
        for (TopicFilter filter : removed) {
            existed.add(write.remove(filter));
            OwedRetained retained = session.retained();
            if (retained != null) {
                retained.cancel(filter, writes.openBatch());
            }
        }
        writes.openBatch().whenDone(new Answering(states, state, answer, new InboxReply.Flags(existed)));
    }

    /** See {@link io.godwit.inbox.client.InboxAttachment#replayed}. */
    void replayed(InboxState state, TopicFilter filter, String to) {
        LeaderSession session = state.session();
        OwedRetained retained = session == null ? null : session.retained();
        if (retained != null && retained.isAt(filter, to)) {
            retained.end(filter, writes.openBatch());
        }
    }
}
