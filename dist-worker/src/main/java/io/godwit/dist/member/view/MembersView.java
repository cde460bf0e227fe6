package io.godwit.dist.member.view;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The members that all nodes have agreed on. Immutable.
 *
 * @param revision rises by one with each change; 0 before the first
 * @param members in the order they joined; at most one per node
 */
public record MembersView(long revision, List<AgreedMember> members) {
    /** Most incarnations in a view. */
    public static final int MAX_MEMBERS = 1_024;

    /** The view of a store without one. */
    public static final MembersView NONE = new MembersView(0, List.of());

    public MembersView {
        members = List.copyOf(members);
        Set<String> nodes = new HashSet<>();
        for (AgreedMember member : members) {
            if (!nodes.add(member.life().nodeId())) {
                throw new IllegalArgumentException("node " + member.life().nodeId() + " is in a view of members twice");
            }
        }
        if (members.size() > MAX_MEMBERS || revision < 0 || revision == 0 && !members.isEmpty()) {
            throw new IllegalArgumentException(
                    "no view of members: revision " + revision + " with " + members.size() + " members");
        }
    }

    /** The member of this incarnation; null when there is none. */
    public @Nullable AgreedMember find(NodeLife life) {
        return members.stream()
                .filter(member -> member.life().equals(life))
                .findFirst()
                .orElse(null);
    }

    /** The member of this node; null when there is none. */
    public @Nullable AgreedMember ofNode(String nodeId) {
        return members.stream()
                .filter(member -> member.life().nodeId().equals(nodeId))
                .findFirst()
                .orElse(null);
    }

    public boolean is(NodeLife life, MemberState state) {
        AgreedMember member = find(life);
        return member != null && member.state() == state;
    }

    /** Whether the incarnation is joining or serving. */
    public boolean isCounted(NodeLife life) {
        AgreedMember member = find(life);
        return member != null && member.isCounted();
    }

    /**
     * Whether the incarnation has stopped to serve after it began at revision {@code since}: it was excluded or has
     * left, and may serve again since. False when this view is older than that revision, because it cannot tell.
     */
    public boolean isPast(NodeLife life, long since) {
        AgreedMember member = find(life);
        boolean serves = member != null && member.state() == MemberState.SERVING && member.since() == since;
        return revision >= since && !serves;
    }

    /** The serving members, in the order they joined. */
    public Set<NodeLife> serving() {
        return lives(members.stream()
                .filter(member -> member.state() == MemberState.SERVING)
                .toList());
    }

    /**
     * The members except {@code self} that may still acknowledge something: all but those whose lapse is in
     * {@code over}.
     */
    public Set<NodeLife> othersThan(NodeLife self, Set<AgreedMember> over) {
        return lives(members.stream()
                .filter(member -> !member.life().equals(self) && !over.contains(member))
                .toList());
    }

    /** The members except {@code self} that the others have excluded and not yet evicted. */
    public Set<NodeLife> lapsedExcept(NodeLife self) {
        return lives(members.stream()
                .filter(member ->
                        member.state() == MemberState.LAPSED && !member.life().equals(self))
                .toList());
    }

    private static Set<NodeLife> lives(Collection<AgreedMember> members) {
        return members.stream().map(AgreedMember::life).collect(Collectors.toCollection(LinkedHashSet::new));
    }
}
