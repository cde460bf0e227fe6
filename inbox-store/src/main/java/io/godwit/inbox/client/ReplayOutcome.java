package io.godwit.inbox.client;

/** What became of a retained message for a subscription, see {@link InboxAttachment#replay}. */
public enum ReplayOutcome {
    /** Committed, and that it was given along with it. */
    STORED,
    /**
     * Not needed: the session has been given a newer live message of the topic, the message has expired, the
     * subscription is owed nothing, or an earlier leader has taken this very step and was lost before it could say so.
     */
    OUTDATED,
    /** The queue is at its limit: to be tried again later, and what follows behind it. */
    FULL,
    /** The one before it was not taken: to be tried again behind that one. */
    BEHIND
}
