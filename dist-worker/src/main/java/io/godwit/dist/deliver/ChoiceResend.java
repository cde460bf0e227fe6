package io.godwit.dist.deliver;

import io.godwit.kv.client.Resend;

/**
 * Of a message with a token, for which this node has chosen members of shared groups. The choice counts for as long as
 * this node is a member: when the others have gone on without it, a repeat on another node does not know of the choice
 * and chooses anew. So nothing is sent to the member chosen here from then on, nor while this node cannot prove that it
 * is a member. It gives up when it has joined again; the publisher has the message resumed, if it is still there. Who
 * receives the message is told the epoch, and refuses what a link delivers too late.
 *
 * @param publisher as for plain subscriptions
 * @param epoch in which the message was matched
 */
record ChoiceResend(Resend publisher, OtherNodes others, long epoch) implements Resend {
    @Override
    public boolean isAbandoned() {
        return publisher.isAbandoned() || others.epoch() != epoch;
    }

    @Override
    public void failed() {
        publisher.failed();
    }

    @Override
    public boolean mayNotBegin() {
        return publisher.mayNotBegin();
    }

    @Override
    public boolean mustWait() {
        return !others.mayAcknowledge(epoch);
    }

    @Override
    public long servingSince() {
        return epoch;
    }
}
