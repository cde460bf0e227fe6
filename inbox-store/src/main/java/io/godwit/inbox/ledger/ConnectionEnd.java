package io.godwit.inbox.ledger;

import io.godwit.inbox.format.StoredSession;

/**
 * How a connection ended, kept until the store has it. Otherwise a session whose end could not be written would look
 * like one whose connection broke: its will would be published after a normal DISCONNECT, and it would keep the expiry
 * of its CONNECT.
 *
 * @param incarnation of the session
 * @param attachNumber of the connection; {@link #LATE} for one whose node has reported its end late
 * @param expirySeconds -1 for the value of CONNECT
 * @param isWillReported whether the suppression of the will, if it is suppressed, was reported
 */
public record ConnectionEnd(
        long incarnation, long attachNumber, long expirySeconds, boolean publishWill, boolean isWillReported) {
    public static final long LATE = -1;

    /** Whether the connection is the last one that the stored session had. */
    public boolean isOf(StoredSession session) {
        return incarnation == session.incarnation && (attachNumber == LATE || attachNumber == session.attachNumber());
    }
}
