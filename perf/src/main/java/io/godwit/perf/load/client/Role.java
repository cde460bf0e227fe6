package io.godwit.perf.load.client;

/** The role of a client in a load. */
public enum Role {
    BACKGROUND,
    SUBSCRIBER,
    PUBLISHER,
    ONE_SHOT
}
