package io.godwit.inbox.client;

import io.godwit.plugin.client.ClientInfo;

/**
 * State of a connection whose attachment ended with {@link InboxListener.Reason#MOVED} or {@code LOST}.
 *
 * @param incarnation of the session it was attached to
 * @param attachNumber from {@link AttachReply}
 * @param sentUpTo the highest sequence that was delivered to it, of any QoS; 0 for none
 * @param unanswered sequences up to {@code sentUpTo} whose flow the client has not finished, ascending; they are not
 *     delivered again. All others are finished. Shared, never modified
 */
@SuppressWarnings("ArrayRecordComponent")
public record ContinueRequest(
        ClientInfo client, long incarnation, long attachNumber, long sentUpTo, long[] unanswered) {
    /** With attach number 0. */
    public ContinueRequest(ClientInfo client, long incarnation, long sentUpTo, long[] unanswered) {
        this(client, incarnation, 0, sentUpTo, unanswered);
    }
}
