package io.godwit.dist.member.view;

/**
 * One incarnation of a node in the agreed view.
 *
 * @param since the revision of the view that brought it into this state; distinguishes its lapses
 */
public record AgreedMember(NodeLife life, MemberState state, long since) {
    /** Whether promises to clients must wait for it. */
    public boolean isCounted() {
        return state != MemberState.LAPSED;
    }
}
