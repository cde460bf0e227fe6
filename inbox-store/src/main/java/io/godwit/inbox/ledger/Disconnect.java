package io.godwit.inbox.ledger;

import io.godwit.inbox.format.StoredSession;

/**
 * How a connection has ended, as long as the store does not know. Without it a session whose end could not be written
 * would be taken for one whose connection broke: its will would be published after a normal DISCONNECT, and it would
 * keep the expiry of its CONNECT.
 *
 * @param incarnation of the session
 * @param attachNumber of the connection; {@link #LATE} for one that the connection's node has told late
 * @param expirySeconds -1 for what CONNECT said
 * @param isWillReported whether it was told that the will is suppressed, if it is
 */
public record Disconnect(
        long incarnation, long attachNumber, long expirySeconds, boolean publishWill, boolean isWillReported) {
    public static final long LATE = -1;

    /** Whether it is the last connection of the session, as the store has it, that has ended so. */
    public boolean isOf(StoredSession session) {
        return incarnation == session.incarnation && (attachNumber == LATE || attachNumber == session.attachNumber());
    }
}
