package io.godwit.api.port;

/** How a node looks to the one that is asked. */
public enum Liveness {
    /** It answers. */
    ALIVE,
    /** It has not answered lately and is not given up. */
    SUSPECT,
    /** It is gone. It may come back. */
    DOWN
}
