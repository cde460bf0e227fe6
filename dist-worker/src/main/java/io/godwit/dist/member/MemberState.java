package io.godwit.dist.member;

/** What a life of a node is to the others; {@link MemberStep} has how it changes. */
public enum MemberState {
    /** Whoever promises something to a client waits for it already; it acknowledges nothing and has no clients yet. */
    JOINING,
    /** It acknowledges what it is sent, as long as it can prove that it still serves. */
    SERVING,
    /** The others go on without it. It acknowledges nothing, and closes its clients as soon as it hears of that. */
    LAPSED
}
