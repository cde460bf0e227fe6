package io.godwit.dist.member;

/**
 * A life of a node in the agreed view.
 *
 * @param since the revision of the view that brought it into this state: tells one lapse of a life from the next
 */
public record Member(NodeLife life, MemberState state, long since) {
    /** Whether somebody who makes a promise has to wait for it. */
    public boolean isCounted() {
        return state != MemberState.LAPSED;
    }
}
