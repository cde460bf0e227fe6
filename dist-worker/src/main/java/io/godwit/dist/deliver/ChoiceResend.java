package io.godwit.dist.deliver;

import io.godwit.kv.client.Resend;

/**
 * Resend rule for a message with a token, for which this node has chosen members of shared groups. The choice counts
 * while this node is a member: after the others have excluded it, a repeat on another node does not know the choice and
 * chooses again. So nothing is sent to the chosen member from then on, nor while this node cannot prove that it is a
 * member. The message is abandoned when the node has joined again; the publisher, if it still exists, resumes it.
 * Receiving nodes are told the epoch, and refuse what a link delivers too late.
 *
 * @param publisher rule for plain subscriptions
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
