package io.godwit.plugin.balance;

/** How a store looks to the one that made the view. */
public enum Liveness {
    /** It answers. */
    ALIVE,
    /** It has not answered lately and is not given up. */
    SUSPECT,
    /** It is gone: its process ended, or it was given up. It may come back. */
    DOWN
}
