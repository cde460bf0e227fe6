package io.godwit.inbox.client;

import io.godwit.plugin.client.ClientInfo;

/**
 * What a connection tells whose attachment ended with {@link InboxListener.Reason#MOVED}.
 *
 * @param incarnation of the session it was attached to
 * @param sentUpTo the highest sequence it was given, of any QoS; 0 for none
 * @param unanswered those up to there that its client has not answered to the end, ascending: never given to it again.
 *     All others are finished. Shared, never modified
 */
@SuppressWarnings("ArrayRecordComponent")
public record ContinueRequest(ClientInfo client, long incarnation, long sentUpTo, long[] unanswered) {}
