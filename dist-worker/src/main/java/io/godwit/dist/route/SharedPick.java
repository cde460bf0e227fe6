package io.godwit.dist.route;

/** How a shared group chooses the member that gets a message. */
public enum SharedPick {
    /** Any, with equal chance. */
    RANDOM,
    /** Each in turn. */
    ROUND_ROBIN
}
