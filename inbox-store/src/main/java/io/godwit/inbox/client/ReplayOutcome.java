package io.godwit.inbox.client;

/** The outcome of one replay step, see {@link InboxAttachment#replay}. */
public enum ReplayOutcome {
    /** The message and the new position of the replay are committed. */
    STORED,
    /**
     * Not needed: the session has been given a newer live message of the topic, the message has expired, the
     * subscription is owed nothing, or an earlier leader committed this step and was lost before it answered.
     */
    OUTDATED,
    /** The queue is full: try this step and those after it again later. */
    FULL,
    /** The step before it was refused: repeat this step after that one. */
    BEHIND
}
