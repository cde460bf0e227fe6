package io.godwit.inbox.client;

import io.godwit.plugin.client.ClientInfo;

/**
 * What a connection tells whose attachment ended with {@link InboxListener.Reason#MOVED} or {@code LOST}.
 *
 * @param incarnation of the session it was attached to
 * @param attachNumber as {@link AttachReply} said
 * @param sentUpTo the highest sequence it was given, of any QoS; 0 for none
 * @param unanswered those up to there that its client has not answered to the end, ascending: never given to it again.
 *     All others are finished. Shared, never modified
 */
@SuppressWarnings("ArrayRecordComponent")
public record ContinueRequest(
        ClientInfo client, long incarnation, long attachNumber, long sentUpTo, long[] unanswered) {
    /** Without a number. */
    public ContinueRequest(ClientInfo client, long incarnation, long sentUpTo, long[] unanswered) {
        this(client, incarnation, 0, sentUpTo, unanswered);
    }
}
