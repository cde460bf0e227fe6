package io.godwit.perf.load.client;

/** The role of a client in a load. */
public enum ClientRole {
    BACKGROUND,
    SUBSCRIBER,
    PUBLISHER,
    ONE_SHOT
}
