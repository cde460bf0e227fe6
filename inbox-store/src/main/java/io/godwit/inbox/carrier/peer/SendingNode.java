package io.godwit.inbox.carrier.peer;

import io.godwit.inbox.wire.InsertCall;
import io.godwit.kv.client.Resend;

/** One incarnation of the node at the other end of a link, checked against the agreed members here. */
public record SendingNode(AgreedMembers members, String nodeId, long incarnation) {

    /** Whether leaders here may carry out a call of this sender. They check just before they do. */
    Resend resendOf(InsertCall call) {
        long since = call.getServingSince();
        long view = call.getViewRevision();
        return since == 0 && view == 0 ? Resend.ALWAYS : new Sent(this, since, view);
    }

    /**
     * Refuses a message that rests on a choice of the sender once the others have excluded it: they may have given the
     * message to another member. Refuses a query until the view here is as new as that of the sender: messages that
     * this view refuses can then not be stored after the answer.
     *
     * @param since revision at which the sender began to serve, 0 when the message does not rest on its choice
     * @param view revision of the sender's view, 0 when the call is not a query
     */
    private record Sent(SendingNode sender, long since, long view) implements Resend {
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
