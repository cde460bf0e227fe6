package io.godwit.cluster.link;

/**
 * The purpose of a frame between two nodes. Each lane of a peer keeps its own order; no lane waits for another. The
 * number is used on the wire.
 */
public enum Lane {
    /** Routes of live sessions, barriers, the directory of client ids. */
    CONTROL(1),
    /** Messages for live sessions of the peer. */
    LIVE(2),
    /** Commands and inserts of this node to leaders on the peer. */
    INBOX_UP(3),
    /** Replies and deliveries of leaders on this node to sessions of the peer. */
    INBOX_DOWN(4);

    private final int number;

    Lane(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }
}
