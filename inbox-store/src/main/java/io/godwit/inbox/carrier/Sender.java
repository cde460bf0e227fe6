package io.godwit.inbox.carrier;

import io.godwit.inbox.wire.InsertCall;
import io.godwit.kv.client.Resend;

/** The life of a node at the other end of a link, as the agreed members here have it. */
record Sender(AgreedMembers members, String nodeId, long incarnation) {

    /** Whether leaders here may carry out what it has sent. They ask when they are about to. */
    Resend resendOf(InsertCall call) {
        long since = call.getServingSince();
        long view = call.getViewRevision();
        return since == 0 && view == 0 ? Resend.ALWAYS : new Sent(this, since, view);
    }

    /**
     * A message that rests on a choice of the sender is refused once the others have gone on without it: they may have
     * given the message to another member. A question is refused until the view here is as new as that of who asks:
     * what is refused here by that view cannot be stored behind the answer.
     *
     * @param since by which the sender serves, 0 when the message does not rest on that
     * @param view the revision by which the sender asks, 0 when it does not ask
     */
    private record Sent(Sender sender, long since, long view) implements Resend {
        @Override
        public boolean isAbandoned() {
            return false;
        }

        @Override
        public long servingSince() {
            return since;
        }

        @Override
        public boolean mustNotBeTaken() {
            AgreedMembers members = sender.members;
            return members.revision() < view || since != 0 && members.isPast(sender.nodeId, sender.incarnation, since);
        }
    }
}
