package io.godwit.inbox.leader;

import io.godwit.inbox.ledger.Pending;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.kv.client.RangeException;

/**
 * Answers a command once its change of a session is in the store. When it cannot be written the memory is ahead of the
 * store, so the state is discarded. So it is when an earlier change could not be written: then the answer tells what
 * the store does not know, and the command fails too.
 */
final class Answering implements Pending.Waiter {
    private final InboxStates states;
    private final InboxState state;
    private final Answer answer;
    private final InboxReply reply;

    Answering(InboxStates states, InboxState state, Answer answer, InboxReply reply) {
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
