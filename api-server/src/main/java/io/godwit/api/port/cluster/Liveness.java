package io.godwit.api.port.cluster;

/** State of a node as seen by the node that answers. */
public enum Liveness {
    /** It answers. */
    ALIVE,
    /** It has not answered lately and is not given up. */
    SUSPECT,
    /** It is gone. It may come back. */
    DOWN
}
