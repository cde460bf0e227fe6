package io.godwit.cluster.link;

/**
 * What a frame between two nodes is for. Each lane of a peer is ordered in itself; no lane waits for another. The
 * number goes over the wire.
 */
public enum Lane {
    /** Routes of live sessions, barriers, the directory of client ids. */
    CONTROL(1),
    /** Messages for live sessions of the peer. */
    LIVE(2),
    /** Commands and inserts of this node to leaders on the peer. */
    INBOX_UP(3),
    /** What leaders on this node answer and deliver to sessions of the peer. */
    INBOX_DOWN(4);

    private final int number;

    Lane(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }
}
