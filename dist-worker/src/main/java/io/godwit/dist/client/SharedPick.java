package io.godwit.dist.client;

/** How a shared group chooses the member that gets a message. */
public enum SharedPick {
    /** Any, with equal chance. */
    RANDOM,
    /** Each in turn. */
    ROUND_ROBIN,
    /** One member gets all, until it leaves, goes offline or is full; then another. */
    STICKY,
    /** Messages of one publisher go to one member; who joins takes over a share of the publishers. */
    HASH_BY_CLIENT,
    /** Messages of one topic go to one member; who joins takes over a share of the topics. */
    HASH_BY_TOPIC,
    /** Any session in the memory of this node, then any other that is connected to it, then any. */
    LOCAL_FIRST
}
