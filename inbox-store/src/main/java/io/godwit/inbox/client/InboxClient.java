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
     * Opens the session of a connection: resumes the stored one; or, on clean start or when none is stored or it has
     * expired, ends the old one and begins a new incarnation. A connection still attached is cut off first: its
     * listener gets {@code TAKEN_OVER}, its later calls have no effect, and its will is handled as [MQTT5-3.1.3.2]
     * says. Complete when committed; deliveries begin after the first {@link InboxAttachment#request}.
     *
     * <p>A session with expiry 0 (kept here only for its will) is attached in the same way and deleted when it is
     * detached.
     */
    CompletableFuture<AttachReply> attach(AttachRequest request, InboxListener listener);

    /**
     * Continues an attachment that ended with {@link InboxListener.Reason#MOVED} or {@link InboxListener.Reason#LOST},
     * at the inbox's next leader. Deliveries begin after the first {@link InboxAttachment#request}, behind those that
     * the connection had before; earlier credit is void. Completes empty when the session is gone, belongs to another
     * connection or counts as disconnected. Writes nothing.
     */
    CompletableFuture<Optional<InboxAttachment>> continueAttachment(ContinueRequest request, InboxListener listener);

    /**
     * Who owns the session of the client id. Writes nothing and cuts nobody off. The answer stays valid while the
     * caller has the client id's {@link SessionDirectory.Lease}, except that the session may expire.
     */
    CompletableFuture<SessionOwner> owner(ClientInfo client);

    /**
     * Begins a session without a connection, only to keep its will, as if its client had connected and been lost at
     * once. Changes nothing when the client id has a session, or a will still to be published, so a repeat does not
     * store the message twice. Complete when committed.
     *
     * @param expirySeconds of the session; the limit for clients does not apply
     * @param isRecorded whether the message is already stored elsewhere: then it is also kept while free disk is below
     *     the low-water mark
     */
    CompletableFuture<Void> keepWill(ClientInfo client, long expirySeconds, Will will, boolean isRecorded);

    /**
     * The QoS 2 message that a session received under {@code tokenNumber} needs no further distribution. As
     * {@link InboxAttachment#distributed}, but from any caller. Complete when committed, also when the message is
     * already marked or gone.
     *
     * @param originDigest {@link OriginDigest} of the token's origin; nothing is marked if the session has another
     *     origin
     */
    CompletableFuture<Void> distributed(TenantId tenant, ClientId clientId, long tokenNumber, String originDigest);

    /**
     * Ends the session for an operator, if there is one, with its queue and its subscriptions. Completes with whether
     * there was one; that stays valid as the answer of {@link #owner} does. A pending will is published.
     */
    CompletableFuture<Boolean> delete(TenantId tenant, ClientId clientId);

    /**
     * The same for a connection, whose client gives its session up.
     *
     * @param resend abandoned when the connection has ended: the next connection may then have the client id, and a
     *     late repeat must not delete its session
     */
    CompletableFuture<Boolean> delete(TenantId tenant, ClientId clientId, Resend resend);

    /**
     * Ends a session that is kept for its will, without publishing the will; counts and reports the message as
     * {@code PURGED}. Complete when committed.
     *
     * @param resend abandoned when the caller no longer waits
     * @return whether there was a session with a will
     */
    CompletableFuture<Boolean> discard(TenantId tenant, ClientId clientId, Resend resend);

    /**
     * The result of {@link #purge}.
     *
     * @param messages number removed from the queue
     * @param kept number that may have been sent at QoS 1 or 2, and stay
     */
    record Purged(int messages, int kept) {}

    /**
     * Empties the queue of a session, and drops what waits in memory for its connection. Messages that may have been
     * sent at QoS 1 or 2 stay, with their packet ids, until the client has answered [MQTT5-4.4.0-1]; so do inserted
     * messages that are not committed yet. Each removed message is counted and reported as {@code PURGED}. Other
     * members of shared groups do not get them. Complete when committed. After a change of leader the purge may run
     * twice; the result is then that of the second run.
     *
     * @param resend abandoned when the caller no longer waits
     * @return empty when there is no session, or one that ends with its connection
     */
    CompletableFuture<Optional<Purged>> purge(TenantId tenant, ClientId clientId, Resend resend);

    /**
     * The result of {@link #changeFilters}.
     *
     * @param incarnation of the session; for its routes; 0 unless the outcome is {@code DONE}
     * @param attachNumber of the session; for its routes; 0 unless the outcome is {@code DONE}
     * @param flags for each filter, whether it was new (adding) or existed (removing)
     */
    record FilterChange(Outcome outcome, long incarnation, long attachNumber, List<Boolean> flags) {
        /** Whether the change was made, and why not. */
        public enum Outcome {
            NO_SESSION,
            /** A connection has the session, or may still continue it. */
            HELD,
            DONE
        }

        public FilterChange {
            flags = List.copyOf(flags);
        }
    }

    /**
     * Adds or removes subscriptions of a session that has no connection. Retained messages are owed as with
     * {@link InboxAttachment#subscribe}. The caller holds the client id ({@link SessionDirectory}) during the call, and
     * updates the routes. Complete when committed. After a change of leader the change may run twice; the result is
     * then that of the second run.
     *
     * @param countsAttachment whether the session gets the next attach number, even without filters, so that the
     *     caller's route changes have higher numbers than those of all earlier connections
     * @param added subscriptions to add or replace; if there are any, {@code removed} must be empty
     * @param resend abandoned when the caller no longer waits
     */
    CompletableFuture<FilterChange> changeFilters(
            TenantId tenant,
            ClientId clientId,
            boolean countsAttachment,
            List<StoredSubscription> added,
            List<TopicFilter> removed,
            Resend resend);

    /**
     * Appends one message to the inboxes listed. Completes with one outcome per target, in order, when each copy is
     * committed or has another final outcome: dropped, refused, or acknowledged by its client. Inserts from one thread
     * to one inbox keep their order.
     */
    CompletableFuture<List<InsertOutcome>> insert(InsertRequest request);

    /**
     * Whether the queues to the leaders of inboxes are so full that each publisher should wait for the answer to its
     * last message before the next. Otherwise the queues soon fill up, and inserts fail with {@code OVERLOADED}. Any
     * thread; cheap.
     */
    default boolean isCrowded() {
        return false;
    }
}
