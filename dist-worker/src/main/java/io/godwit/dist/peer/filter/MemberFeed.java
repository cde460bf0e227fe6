package io.godwit.dist.peer.filter;

import io.godwit.dist.index.share.GroupMember;
import io.godwit.dist.wire.FilterChanges;
import io.godwit.dist.wire.MemberChange;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of a {@link PeerFeed} that reports {@link ConnectedHere}: changed members first, then the list of all.
 * Guarded by the lock of {@link LiveFilters}.
 *
 * <p>Members behind the sent part of the list are no changes, because the list will have their state. A change that is
 * undone before it was sent is none either. So a peer that stands still costs no more than the members that it knows
 * and those that there are, however many come and go. Members that have gone are sent first, so that the peer never
 * knows more than the limit of {@link ConnectedHere}.
 */
final class MemberFeed {
    /** Size of a change without its texts. */
    private static final int CHANGE_BYTES = 24;

    private final ConnectedHere members;
    /** Members that the peer takes for connected, and that are not. */
    private final Set<GroupMember> gone = new LinkedHashSet<>();
    /** Connected members, of the sent part of the list, that the peer does not know. */
    private final Set<GroupMember> come = new LinkedHashSet<>();
    /** The last member of the list that was sent. */
    private @Nullable GroupMember listedTo;

    private boolean isListSent;

    MemberFeed(ConnectedHere members) {
        this.members = members;
    }

    /** The member was added to {@link ConnectedHere}, or removed. */
    void changed(GroupMember member) {
        boolean isListed = isListSent || listedTo != null && member.compareTo(listedTo) <= 0;
        if (!isListed) {
            return;
        }
        boolean isConnected = members.isTold(member);
        if (!(isConnected ? gone : come).remove(member)) {
            (isConnected ? come : gone).add(member);
        }
    }

    boolean hasUnsent() {
        return !gone.isEmpty() || !come.isEmpty() || !isListSent;
    }

    /** Adds what is unsent to the frame, until it has added {@code room} bytes or a little more. */
    void fill(FilterChanges.Builder frame, int room) {
        int left = room;
        for (Set<GroupMember> changed : List.of(gone, come)) {
            Iterator<GroupMember> first = changed.iterator();
            while (left > 0 && first.hasNext()) {
                left -= add(frame, first.next());
                first.remove();
            }
        }
        if (isListSent) {
            return;
        }
        for (GroupMember member : members.after(listedTo)) {
            if (left <= 0) {
                return;
            }
            left -= add(frame, member);
            listedTo = member;
        }
        isListSent = true;
    }

    private int add(FilterChanges.Builder frame, GroupMember member) {
        String tenant = member.receiver().tenant().value();
        frame.addMembers(MemberChange.newBuilder()
                .setTenant(tenant)
                .setFilter(member.filter().text())
                .setClientId(member.receiver().clientId().value())
                .setIncarnation(member.receiver().incarnation())
                .setConnected(members.isTold(member)));
        return CHANGE_BYTES + tenant.length() + member.chars();
    }
}
