package io.godwit.inbox.client;

import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message for several inboxes of one tenant.
 *
 * @param tokenOrigin with {@code tokenNumber} the delivery token; null when a repeat is not recognised; see dist's
 *     DeliveryToken
 * @param tokenNumber without a token: the place of the message in {@code order}
 * @param tokenFinishedBelow tokens of that origin below this number may be forgotten; 0 if the sender does not know
 *     ({@link #mayBeLeftByMember})
 * @param onlyAsks stores nothing: answers for each target whether its session knows the token
 * @param order by {@code tokenNumber}: when an earlier message has failed, this one fails and is not stored; null when
 *     the order does not matter
 * @param resend whether copies that no home has stored are sent again. Abandoned when the publisher's connection has
 *     ended, because its next connection may have published later messages. For an insert from another node: whether
 *     its home may take it
 */
public record InsertRequest(
        TenantId tenant,
        Message message,
        List<Target> targets,
        @Nullable String tokenOrigin,
        long tokenNumber,
        long tokenFinishedBelow,
        boolean onlyAsks,
        @Nullable RequestOrder order,
        Resend resend) {

    /**
     * One copy.
     *
     * @param incarnation of the session, as the route says
     * @param qos the QoS of this delivery
     * @param retain the RETAIN flag of this delivery
     * @param subscriptionIds identifiers to deliver, empty when none; shared, never modified
     * @param sharedFilter the shared subscription that the copy is for, null for the plain ones. An inbox takes one
     *     copy for each under one token (MQTT 5.0, 4.8.2).
     * @param mayDecline whether a full session declines the copy and drops nothing, because another member may have
     *     room
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Target(
            ClientId clientId,
            long incarnation,
            Qos qos,
            boolean retain,
            int[] subscriptionIds,
            @Nullable String sharedFilter,
            boolean mayDecline) {

        /** For plain subscriptions. */
        public Target(ClientId clientId, long incarnation, Qos qos, boolean retain, int[] subscriptionIds) {
            this(clientId, incarnation, qos, retain, subscriptionIds, null, false);
        }
    }

    public InsertRequest {
        targets = List.copyOf(targets);
    }

    /**
     * Whether a member of a shared group may have left the message, so that it is needed although its token may be
     * finished. If not, its origin sends it, and a finished token shows that it is a late copy.
     */
    public boolean mayBeLeftByMember() {
        return tokenFinishedBelow == 0;
    }

    /** A request that stores the message, without an order. */
    public InsertRequest(
            TenantId tenant,
            Message message,
            List<Target> targets,
            @Nullable String tokenOrigin,
            long tokenNumber,
            long tokenFinishedBelow) {
        this(tenant, message, targets, tokenOrigin, tokenNumber, tokenFinishedBelow, false, null, Resend.ALWAYS);
    }
}
