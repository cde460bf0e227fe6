package io.godwit.it.kv;

/** What is done to nodes and links for a time. */
enum Trouble {
    /** kill -9, and started again later. */
    KILL,
    /** Closed in good order, and started again later. */
    RESTART,
    /** Stands still (SIGSTOP), and goes on later as if nothing had happened. */
    PAUSE,
    /** Nothing passes between two nodes. */
    CUT,
    /** Nothing passes from one node to another; the other way all does. */
    CUT_ONE_WAY,
    /** Nothing passes between one node and all others. */
    ISOLATE,
    /** A node has no network, for clients neither: its interface is taken away. */
    UNPLUG,
    /** The first node's disk is full, or nearly. */
    FILL_DISK,
    /** kill -9 of all at once. */
    KILL_ALL;

    boolean needsLinks() {
        return this == CUT || this == CUT_ONE_WAY || this == ISOLATE || this == UNPLUG;
    }
}
