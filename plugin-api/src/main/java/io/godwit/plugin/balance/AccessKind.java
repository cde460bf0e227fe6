package io.godwit.plugin.balance;

/** What was done to a key. */
public enum AccessKind {
    READ,
    WRITE
}
