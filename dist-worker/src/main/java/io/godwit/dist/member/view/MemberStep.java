package io.godwit.dist.member.view;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All changes of the view of members: pure functions from one view to the next. A change is committed by
 * compare-and-set on the revision, so it is never made on another view than the one that it was computed from.
 *
 * <pre>
 *             join                  serve
 *   absent ---------> JOINING ------------------> SERVING
 *     ^                 |  ^                       |   |
 *     |           lapse |  | join (again)    lapse |   | leave
 *     |                 v  |                       |   |
 *     +---------------- LAPSED <-------------------+   |
 *     |  evict, or a newer life of the node joins      |
 *     +------------------------------------------------+
 * </pre>
 *
 * {@code leave} is legal in any state. {@code join} starts an incarnation again from any state.
 */
public sealed interface MemberStep {
    /** The result of a step. */
    sealed interface Verdict {}

    /** @param next the next view, with the following revision */
    record Changed(MembersView next) implements Verdict {}

    /** The view already has the result of the step. */
    record Unchanged() implements Verdict {}

    /** The step is not legal in this view. */
    record Refused(String why) implements Verdict {}

    Verdict of(MembersView view);

    /**
     * @param mayBeNew false for an incarnation on which members relied before; it must learn first whether it was
     *     evicted
     * @param over lapses that this node has known long enough; only with one of these a join replaces an older
     *     incarnation of the node
     */
    record Join(NodeLife life, boolean mayBeNew, Set<AgreedMember> over) implements MemberStep {
        public Join {
            over = Set.copyOf(over);
        }

        @Override
        public Verdict of(MembersView view) {
            AgreedMember known = view.ofNode(life.nodeId());
            if (known == null && !mayBeNew) {
                return new Refused("it was evicted");
            }
            if (known == null) {
                return view.members().size() == MembersView.MAX_MEMBERS
                        ? new Refused("there are " + MembersView.MAX_MEMBERS + " members, which is the maximum")
                        : changed(view, null, life, MemberState.JOINING);
            }
            if (known.life().incarnation() > life.incarnation()) {
                return new Refused("a newer process of the node is a member: " + known.life());
            }
            if (known.life().equals(life)) {
                return known.state() == MemberState.JOINING
                        ? new Unchanged()
                        : changed(view, known, life, MemberState.JOINING);
            }
            return over.contains(known)
                    ? changed(view, known, life, MemberState.JOINING)
                    : new Refused("an earlier process of the node is a member: " + known);
        }
    }

    record Serve(NodeLife life) implements MemberStep {
        @Override
        public Verdict of(MembersView view) {
            AgreedMember known = view.find(life);
            if (known == null || known.state() == MemberState.LAPSED) {
                return new Refused("it is " + (known == null ? "no member" : "lapsed") + " by now");
            }
            return known.state() == MemberState.SERVING
                    ? new Unchanged()
                    : changed(view, known, life, MemberState.SERVING);
        }
    }

    /**
     * Marks a member as lapsed. Only by a member that has not lapsed itself since it asked for this: of two that lapse
     * each other the first wins. Or by a newer incarnation of the same node.
     *
     * @param as state of {@code by} when it asked; null when it was no member
     */
    record Lapse(NodeLife by, @Nullable AgreedMember as, NodeLife whom) implements MemberStep {
        @Override
        public Verdict of(MembersView view) {
            AgreedMember known = view.find(whom);
            if (known == null || known.state() == MemberState.LAPSED) {
                return new Unchanged();
            }
            boolean isSuccessor = by.nodeId().equals(whom.nodeId()) && by.incarnation() > whom.incarnation();
            boolean isCounted = as != null && as.isCounted() && view.members().contains(as);
            return isSuccessor || isCounted
                    ? changed(view, known, whom, MemberState.LAPSED)
                    : new Refused(by + " is no longer the member that it was when it asked");
        }
    }

    /** @param lapse the lapse that was known long enough */
    record Evict(NodeLife by, AgreedMember lapse) implements MemberStep {
        @Override
        public Verdict of(MembersView view) {
            if (!view.members().contains(lapse)) {
                return new Unchanged();
            }
            return view.isCounted(by) ? removed(view, lapse) : new Refused(by + " is not a member that counts");
        }
    }

    /** Leaves in good order: the incarnation has stopped acknowledging before. */
    record Leave(NodeLife life) implements MemberStep {
        @Override
        public Verdict of(MembersView view) {
            AgreedMember known = view.find(life);
            return known == null ? new Unchanged() : removed(view, known);
        }
    }

    private static Verdict removed(MembersView view, AgreedMember gone) {
        return new Changed(new MembersView(
                view.revision() + 1,
                view.members().stream().filter(member -> !member.equals(gone)).toList()));
    }

    /** Keeps the position of a member whose state changes; a new one is last. */
    private static Verdict changed(MembersView view, @Nullable AgreedMember before, NodeLife life, MemberState state) {
        AgreedMember after = new AgreedMember(life, state, view.revision() + 1);
        List<AgreedMember> members = new ArrayList<>(view.members());
        if (before != null && before.life().equals(life)) {
            members.set(members.indexOf(before), after);
        } else {
            if (before != null) {
                members.remove(before);
            }
            members.add(after);
        }
        return new Changed(new MembersView(view.revision() + 1, members));
    }
}
