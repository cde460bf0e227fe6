package io.godwit.dist.member.view;

/** The state of an incarnation of a node in the agreed view; {@link MemberStep} has the transitions. */
public enum MemberState {
    /** Promises to clients already wait for it; it acknowledges nothing and has no clients yet. */
    JOINING,
    /** It acknowledges messages, as long as it can prove that it still serves. */
    SERVING,
    /**
     * The others have excluded it. It acknowledges nothing, and closes its clients as soon as it learns of the lapse.
     */
    LAPSED
}
