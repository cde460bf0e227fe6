package io.godwit.inbox.leader.state;

import io.godwit.inbox.leader.queue.Mailbox;
import io.godwit.inbox.ledger.Pending;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.kv.client.RangeException;

/**
 * Answers a command when its change of a session is stored. If the change cannot be written, memory is ahead of the
 * store: the state is discarded and the command fails. It also fails if an earlier change could not be written, because
 * the answer would then report something that is not stored.
 */
public final class Answering implements Pending.Waiter {
    private final InboxStates states;
    private final InboxState state;
    private final Answer answer;
    private final InboxReply reply;

    public Answering(InboxStates states, InboxState state, Answer answer, InboxReply reply) {
        this.states = states;
        this.state = state;
        this.answer = answer;
        this.reply = reply;
    }

    @Override
    public void applied() {
        if (state.residency.isDiscarded()) {
            answer.fail(Mailbox.closed());
        } else {
            answer.reply(reply);
        }
    }

    @Override
    public void failed(RangeException cause) {
        states.discard(state);
        answer.fail(cause);
    }
}
