package io.godwit.inbox.client;

/** What became of a retained message for a new subscription, see {@link InboxAttachment#replay}. */
public enum ReplayOutcome {
    /** Committed. */
    STORED,
    /** Not needed: the session has been given a newer live message of the topic, or the message has expired. */
    OUTDATED,
    /** The queue is at its limit: to be tried again later. */
    FULL
}
