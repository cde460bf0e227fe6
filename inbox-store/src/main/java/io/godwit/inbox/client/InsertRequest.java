package io.godwit.inbox.client;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message for several inboxes of one tenant.
 *
 * @param tokenOrigin with {@code tokenNumber} the delivery token, null when the insert is never repeated; see dist's DeliveryToken
 * @param tokenFinishedBelow tokens of that origin below this number may be forgotten
 * @param retainedReplay the message comes out of the retain store for a new subscription: an inbox that has been given a newer live one of the
 *     topic since its {@link InboxAttachment#beginReplay} skips it
 * @param onlyAsks stores nothing: answers for each target whether its session knows the token
 */
public record InsertRequest(
        TenantId tenant,
        Message message,
        List<Target> targets,
        @Nullable String tokenOrigin,
        long tokenNumber,
        long tokenFinishedBelow,
        boolean retainedReplay,
        boolean onlyAsks) {

    /**
     * One copy.
     *
     * @param incarnation of the session, as the route says
     * @param qos the QoS of this delivery
     * @param retain the RETAIN flag of this delivery
     * @param subscriptionIds identifiers to deliver, empty when none; shared, never modified
     * @param mayDecline whether a session that is full shall answer so, and nothing be dropped: another may have room
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Target(
            ClientId clientId, long incarnation, Qos qos, boolean retain, int[] subscriptionIds, boolean mayDecline) {

        /** One that is stored or dropped. */
        public Target(ClientId clientId, long incarnation, Qos qos, boolean retain, int[] subscriptionIds) {
            this(clientId, incarnation, qos, retain, subscriptionIds, false);
        }
    }

    public InsertRequest {
        targets = List.copyOf(targets);
    }

    /** One that is stored. */
    public InsertRequest(
            TenantId tenant,
            Message message,
            List<Target> targets,
            @Nullable String tokenOrigin,
            long tokenNumber,
            long tokenFinishedBelow,
            boolean retainedReplay) {
        this(tenant, message, targets, tokenOrigin, tokenNumber, tokenFinishedBelow, retainedReplay, false);
    }
}
