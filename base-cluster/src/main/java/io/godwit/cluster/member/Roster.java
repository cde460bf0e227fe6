package io.godwit.cluster.member;

import io.godwit.cluster.member.MemberMessage.Announcement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides who is a member, from the views of the group (the live connections, oldest first) and from their
 * announcements. Owned by the cluster thread.
 *
 * <p>A connection counts as a member once it has announced that it joined. Of several connections with one node id, the
 * one with the highest incarnation counts; of equal ones, the oldest. A node announces that it joined only if no other
 * connection with its id has done so ({@link #rival}). So a second process on a copy of a node's data stays outside
 * while the first lives. Two joined processes with one id can meet only after a partition; then the higher incarnation
 * wins, and the other is told that it is superseded.
 *
 * @param <K> identifies a connection; a process gets a new one whenever it connects
 */
final class Roster<K> {

    /** A change of the members, as a listener is told of it. */
    sealed interface Change {
        record Joined(Member member) implements Change {}

        record Updated(Member member) implements Change {}

        record Gone(Member member, Departure departure) implements Change {}

        record Superseded(Member by) implements Change {}
    }

    private record Seat<K>(K key, Member member) {}

    private final K self;
    private final String selfId;
    private List<K> view = List.of();
    private final Map<K, Announcement> announced = new HashMap<>();
    private final Set<K> leaving = new HashSet<>();
    /** The counted connection of each node id. */
    private Map<String, Seat<K>> seated = new HashMap<>();

    private boolean isSuperseded;

    Roster(K self, String selfId) {
        this.self = self;
        this.selfId = selfId;
    }

    /** @param alive oldest first; always includes this node */
    List<Change> viewed(List<K> alive) {
        view = List.copyOf(alive);
        announced.keySet().retainAll(view);
        List<Change> changes = changes();
        leaving.retainAll(view);
        return changes;
    }

    /**
     * A connection, possibly this node's own, has announced itself. An announcement from outside the view is ignored;
     * that connection will be asked again once it is in the view.
     */
    List<Change> announced(K from, Announcement announcement) {
        Announcement known = announced.get(from);
        if (!view.contains(from) || (known != null && known.revision() >= announcement.revision())) {
            return List.of();
        }
        announced.put(from, announcement);
        return changes();
    }

    /** Marks a connection: when it drops out of the view, it has left and not crashed. */
    void leaving(K key) {
        leaving.add(key);
    }

    /** Connections in the view that have not announced themselves. */
    List<K> unknown() {
        return view.stream().filter(key -> !announced.containsKey(key)).toList();
    }

    List<K> others() {
        return view.stream().filter(key -> !key.equals(self)).toList();
    }

    /** The member, other than this node, that has this node's id. */
    @Nullable
    Member rival() {
        Seat<K> seat = seated.get(selfId);
        return seat == null || seat.key().equals(self) ? null : seat.member();
    }

    /** Whether this node knows all connections in the view and no other member has its id. */
    boolean mayJoin() {
        return view.contains(self) && others().stream().allMatch(announced::containsKey) && rival() == null;
    }

    /** The members ordered by node id. */
    List<Member> members() {
        return seated.values().stream()
                .map(Seat::member)
                .sorted(Comparator.comparing(Member::nodeId))
                .toList();
    }

    private List<Change> changes() {
        Map<String, Seat<K>> next = seats();
        List<Change> changes = new ArrayList<>();
        seated.forEach((nodeId, seat) -> {
            Seat<K> now = next.get(nodeId);
            if (now == null || !now.key().equals(seat.key())) {
                changes.add(new Change.Gone(
                        seat.member(), leaving.contains(seat.key()) ? Departure.LEFT : Departure.CRASHED));
            } else if (!now.member().equals(seat.member())) {
                changes.add(new Change.Updated(now.member()));
            }
        });
        next.forEach((nodeId, seat) -> {
            Seat<K> before = seated.get(nodeId);
            if (before == null || !before.key().equals(seat.key())) {
                changes.add(new Change.Joined(seat.member()));
            }
        });
        seated = next;
        Announcement own = announced.get(self);
        Member rival = rival();
        if (own != null && own.joined() && rival != null && !isSuperseded) {
            isSuperseded = true;
            changes.add(new Change.Superseded(rival));
        }
        return changes;
    }

    private Map<String, Seat<K>> seats() {
        Map<String, Seat<K>> seats = new HashMap<>();
        for (K key : view) {
            Announcement announcement = announced.get(key);
            if (announcement != null && announcement.joined()) {
                Member member = announcement.member();
                Seat<K> holder = seats.get(member.nodeId());
                if (holder == null || holder.member().incarnation() < member.incarnation()) {
                    seats.put(member.nodeId(), new Seat<>(key, member));
                }
            }
        }
        return seats;
    }
}
