package io.godwit.inbox.queue;

import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.kv.client.RangeException;

/**
 * Answers a command once its change of a session is in the store. When it cannot be written the memory is ahead of the
 * store, so the state is discarded. So it is when an earlier change could not be written: then the answer tells what
 * the store does not know, and the command fails too.
 */
final class Answering implements Batch.Waiter {
    private final InboxLeader leader;
    private final InboxState state;
    private final Answer answer;
    private final InboxReply reply;

    Answering(InboxLeader leader, InboxState state, Answer answer, InboxReply reply) {
        this.leader = leader;
        this.state = state;
        this.answer = answer;
        this.reply = reply;
    }

    @Override
    public void applied() {
        if (state.discarded) {
            answer.fail(Mailbox.closed());
        } else {
            answer.reply(reply);
        }
    }

    @Override
    public void failed(RangeException cause) {
        leader.states().discard(state);
        answer.fail(cause);
    }
}
