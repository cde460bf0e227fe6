package io.godwit.it.fake;

/** A promise broken on purpose. */
public enum Fault {
    NONE,
    /** Acknowledges at once and commits later: a kill forgets the last messages. */
    ACKNOWLEDGES_BEFORE_COMMIT,
    /**
     * Forgets at a restart which QoS 2 packet ids it has received: a PUBLISH that comes again is taken for another
     * message.
     */
    FORGETS_QOS2_TOKENS,
    /** Forgets at a restart how far the packet ids were handed out: those in flight are given to new messages. */
    REUSES_SEQUENCES,
    /** Numbers what is in flight anew at a restart. */
    RENUMBERS_PACKET_IDS,
    /** Keeps the queue of an absent session in the wrong order over a restart. */
    REORDERS,
    /** Acknowledges a subscription before it is stored. */
    FORGETS_SUBSCRIPTIONS,
    /** Acknowledges that a subscription has ended before that is stored. */
    FORGETS_UNSUBSCRIPTIONS,
    /** Acknowledges a retained message before it is stored. */
    FORGETS_RETAINED,
    /** Begins again at a restart to give the retained messages to a subscription that was being given them. */
    REPEATS_RETAINED,
    /** Forgets at a restart that a subscription was being given retained messages. */
    DROPS_RETAINED,
    /** Forgets, with a session, what it had of a shared group. */
    KEEPS_GROUP_MESSAGES,
    /** Publishes no will of a connection that was open when it was killed. */
    FORGETS_WILLS,
    /** Sends acknowledgements as they happen to be ready. */
    ACKNOWLEDGES_OUT_OF_ORDER
}
