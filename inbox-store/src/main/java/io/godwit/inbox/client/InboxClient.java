package io.godwit.inbox.client;

import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The inbox store: sessions that outlive their connection, and the wills of those that do not. Thread-safe. Futures
 * complete on a range executor and fail with {@link io.godwit.kv.client.RangeException} only; those of {@link #owner}
 * and {@link #delete} may be complete when they are returned.
 */
public interface InboxClient {
    /**
     * Opens the session of a connection: resumes the stored one, or (clean start, none stored, or expired) ends the old
     * and begins a new incarnation. A connection still attached is cut off first: its receiver is told
     * {@code TAKEN_OVER}, nothing it sends afterwards has an effect, its will is handled as [MQTT5-3.1.3.2] says.
     * Complete when committed; deliveries begin after the first {@link InboxAttachment#request}.
     *
     * <p>A session with expiry 0 (kept here only for its will) is attached in the same way and deleted when it is
     * detached.
     */
    CompletableFuture<AttachReply> attach(AttachRequest request, InboxListener listener);

    /**
     * Goes on with an attachment that was ended with {@link InboxListener.Reason#MOVED} or
     * {@link InboxListener.Reason#LOST}, at the inbox's next leader: as
     * if nothing had happened between. Deliveries begin after the first {@link InboxAttachment#request}, behind what
     * the connection was given before, and with no credit left from then. Completes with nothing when that can not be:
     * the session is gone, or another connection's, or counts as disconnected by now. Nothing is written for it.
     */
    CompletableFuture<Optional<InboxAttachment>> continueAttachment(ContinueRequest request, InboxListener listener);

    /**
     * Whose the session of the client id is. Nothing is written and nobody cut off. The answer holds as long as the
     * caller has the client id's {@link SessionDirectory.Lease}, but that the session may expire.
     */
    CompletableFuture<SessionOwner> owner(ClientInfo client);

    /**
     * Begins a session that nobody is attached to, as if its client had connected and been lost at once, for the sake
     * of its will. Nothing changes when the client id has a session, or a will that is still to be published: so a
     * repeat does not keep the message twice. Complete when committed.
     *
     * @param expirySeconds of the session, whatever the limit for those of clients is
     * @param isRecorded whether the message is on record already: then it is also kept while free disk is below the
     *     low-water mark
     */
    CompletableFuture<Void> keepWill(ClientInfo client, long expirySeconds, Will will, boolean isRecorded);

    /**
     * The QoS 2 message that a session has been given as {@code tokenNumber} is in good hands: it is not distributed
     * again. As {@link InboxAttachment#distributed}, by anybody. Complete when committed, also when the message is
     * marked or gone already.
     *
     * @param originDigest {@link OriginDigest} of the token's origin that is meant; of another session nothing is
     *     marked
     */
    CompletableFuture<Void> distributed(TenantId tenant, ClientId clientId, long tokenNumber, String originDigest);

    /**
     * Ends the session, if there is one, with its queue and its subscriptions; completes with whether there was one,
     * which holds as the answer of {@link #owner} does. Its will, if owed, is published.
     */
    default CompletableFuture<Boolean> delete(TenantId tenant, ClientId clientId) {
        return delete(tenant, clientId, Resend.ALWAYS);
    }

    /**
     * The same for a connection.
     *
     * @param resend abandoned when that has ended: then the next one may have the client id, and a session that must
     *     not be deleted by an attempt of before
     */
    CompletableFuture<Boolean> delete(TenantId tenant, ClientId clientId, Resend resend);

    /**
     * Ends a session that is kept for its will, without publishing that; the message is counted and reported as {@code
     * PURGED}. Complete when committed.
     *
     * @param resend abandoned when nobody waits any more
     * @return whether there was a session with a will
     */
    CompletableFuture<Boolean> discard(TenantId tenant, ClientId clientId, Resend resend);

    /**
     * What became of a queue.
     *
     * @param messages that were taken out of it
     * @param kept that may have been sent at QoS 1 or 2, and stay
     */
    record Purged(int messages, int kept) {}

    /**
     * Empties the queue of a session, and drops what waits in memory for its connection. What may have been sent at QoS
     * 1 or 2 stays, with its packet ids, until the client has answered [MQTT5-4.4.0-1]; so does what was inserted and
     * is not committed yet. Each message that goes is counted and reported as {@code PURGED}. Members of shared groups
     * get none of them. Complete when committed; after a change of leaders it may be done twice, and then tells of the
     * second time.
     *
     * @param resend abandoned when nobody waits any more
     * @return empty when there is no session, or one that ends with its connection
     */
    CompletableFuture<Optional<Purged>> purge(TenantId tenant, ClientId clientId, Resend resend);

    /**
     * What became of a change of filters.
     *
     * @param incarnation of the session, and {@code attachNumber}: for its routes; 0 unless it was done
     * @param flags of each filter, whether it was new, or was there
     */
    record FilterChange(Outcome outcome, long incarnation, long attachNumber, List<Boolean> flags) {
        /** Whether it was done. */
        public enum Outcome {
            NO_SESSION,
            /** A connection has the session, or comes back to it. */
            HELD,
            DONE
        }

        public FilterChange {
            flags = List.copyOf(flags);
        }
    }

    /**
     * Adds or removes subscriptions of a session that has no connection; of retained messages it is then owed what
     * {@link InboxAttachment#subscribe} says. The caller holds the client id ({@link SessionDirectory}) meanwhile, and
     * sees to the routes. Complete when committed; after a change of leaders it may be done twice, and then tells of
     * the second time.
     *
     * @param countsAttachment whether the session gets the next attach number, so that the caller's changes of routes
     *     have numbers above those of all earlier connections. Then also without filters
     * @param added or replaced; with some of these {@code removed} has none
     * @param resend abandoned when nobody waits any more
     */
    CompletableFuture<FilterChange> changeFilters(
            TenantId tenant,
            ClientId clientId,
            boolean countsAttachment,
            List<StoredSubscription> added,
            List<TopicFilter> removed,
            Resend resend);

    /**
     * Appends one message to the inboxes listed. Completes with an outcome for each, in order, once each is committed
     * (or dropped by its limit, refused or acknowledged by its client). Inserts from one thread to one inbox keep their
     * order.
     */
    CompletableFuture<List<InsertOutcome>> insert(InsertRequest request);

    /**
     * Whether so much waits for the leaders of inboxes that publishers should wait too, each with its next message
     * until the one before is answered. Else there is no room before long, and inserts fail with {@code OVERLOADED}.
     * Any thread; costs little.
     */
    default boolean isCrowded() {
        return false;
    }
}
