package io.godwit.dist.client;

/** How a shared group chooses the member that gets a message. */
public enum SharedPick {
    /** Any member, with equal chance. */
    RANDOM,
    /** Each member in turn. */
    ROUND_ROBIN,
    /** One member gets all, until it leaves, goes offline or is full; then another. */
    STICKY,
    /** Messages of one publisher go to one member; a new member takes over a share of the publishers. */
    HASH_BY_CLIENT,
    /** Messages of one topic go to one member; a new member takes over a share of the topics. */
    HASH_BY_TOPIC,
    /**
     * Any session in the memory of this node, else any other that is connected to it, else any that is connected to
     * another node, else any.
     */
    LOCAL_FIRST
}
