package io.godwit.plugin.balance;

/** State of a store as seen by the store that made the view. */
public enum Liveness {
    /** It answers. */
    ALIVE,
    /** It has not answered lately and is not given up. */
    SUSPECT,
    /** It is gone: its process ended, or the cluster gave it up. It may come back. */
    DOWN
}
