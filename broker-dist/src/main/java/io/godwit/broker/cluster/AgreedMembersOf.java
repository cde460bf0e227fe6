package io.godwit.broker.cluster;

import io.godwit.dist.member.Members;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.inbox.carrier.peer.AgreedMembers;

/** Gives the leaders of inboxes the agreed view of members. */
record AgreedMembersOf(Members members) implements AgreedMembers {
    @Override
    public long revision() {
        return members.revision();
    }

    @Override
    public boolean isPast(String nodeId, long incarnation, long since) {
        return members.isPast(new NodeLife(nodeId, incarnation), since);
    }
}
