package io.godwit.mqtt.session.inbound;

import io.godwit.inbox.client.InboxAttachment;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.core.SessionCore;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSetting;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The answers to one connection's QoS 1 and 2 publishes: PUBACK and PUBREC in the order of the PUBLISHes, the packet
 * ids of QoS 2 from PUBLISH to PUBCOMP, and the number of publishes under way. Confined to the connection's loop.
 */
final class InboundAcks {
    private final SessionCore session;
    private final Connection connection;
    private final @Nullable InboxAttachment attachment;
    private final boolean isV5;
    private final int receiveMaximum;

    private final AckQueue acks = new AckQueue(this::sendAck);
    /** QoS 2 packet ids; null until the first. */
    private @Nullable Map<Integer, Received> received;
    /** Packet ids whose PUBREL the store has not answered; null until the first. */
    private @Nullable Set<Integer> releasing;
    /** QoS 1 and 2 publishes that count against the Receive Maximum [MQTT5-3.3.4-7]. */
    private int underWay;

    /**
     * @param attachment keeps QoS 2 messages; null to keep packet ids in memory
     * @param receivedBefore QoS 2 packet ids that the stored session knows
     */
    InboundAcks(SessionCore session, @Nullable InboxAttachment attachment, int[] receivedBefore) {
        this.session = session;
        this.connection = session.connection;
        this.attachment = attachment;
        this.isV5 = session.terms.isV5();
        this.receiveMaximum = (int) session.agreed.number(TenantSetting.RECEIVE_MAXIMUM);
        for (int packetId : receivedBefore) {
            received().put(packetId, Received.RESUMED);
        }
    }

    /** State of the QoS 2 message with this packet id; null when there is none. */
    @Nullable
    Received stateOf(int packetId) {
        return received == null ? null : received.get(packetId);
    }

    /** Whether the PUBREL of this packet id has come, and its PUBCOMP has not been sent. */
    boolean isReleasing(int packetId) {
        return releasing != null && releasing.contains(packetId);
    }

    /** Reserves the answer for an accepted QoS 1 or 2 publish. */
    AckQueue.Slot open(int packetId, Qos qos) {
        countUnderWay();
        boolean isQos2 = qos == Qos.EXACTLY_ONCE;
        if (isQos2) {
            received().put(packetId, Received.DISTRIBUTING);
        }
        return acks.reserve(packetId, isQos2);
    }

    /**
     * Answers a publish, of any QoS, that is not accepted. MQTT 3.1.1 cannot express a refusal, so its client gets a
     * success.
     */
    void reject(int packetId, Qos qos, ReasonCode code) {
        boolean isQos2 = qos == Qos.EXACTLY_ONCE;
        Received known = isQos2 ? stateOf(packetId) : null;
        if (known == Received.RECORDED) {
            connection.send(new PubRec(packetId));
        } else if (qos != Qos.AT_MOST_ONCE && known != Received.DISTRIBUTING) { // else its PUBREC is on its way
            countUnderWay();
            acks.complete(acks.reserve(packetId, isQos2), code);
        }
    }

    int underWay() {
        return underWay;
    }

    private void changeUnderWay(int change) {
        underWay += change;
        session.counts().changeInboundUnderWay(change);
    }

    /** The connection is over: no more answers. */
    void close() {
        changeUnderWay(-underWay);
    }

    private void countUnderWay() {
        requireRoom();
        changeUnderWay(1);
    }

    /** @throws ProtocolException if the client has reached its Receive Maximum */
    void requireRoom() {
        if (underWay >= receiveMaximum && isV5) {
            throw new ProtocolException(
                    ReasonCode.RECEIVE_MAXIMUM_EXCEEDED, "more than " + receiveMaximum + " publishes");
        }
    }

    /** The publish is stored or distributed as required: answers it. */
    void settle(AckQueue.@Nullable Slot slot, int packetId, ReasonCode code) {
        if (session.isClosed() || slot == null) {
            return;
        }
        if (packetId != 0) {
            received().put(packetId, Received.RECORDED);
        }
        acks.complete(slot, code);
    }

    /**
     * Refuses a publish that could not be stored. A 3.1.1 acknowledgement cannot express this, so the connection is
     * closed and the client sends the publish again.
     *
     * @param mustClose whether some store or receiver may have the message, so that an answer that ends its QoS 2
     *     flow would be wrong: when the connection closes, the client keeps the message as sent
     */
    void refuse(AckQueue.@Nullable Slot slot, int packetId, ReasonCode code, boolean mustClose) {
        if (session.isClosed() || slot == null) {
            return;
        }
        if (mustClose || !isV5) {
            DisconnectCause cause = code == ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR // an interceptor failed
                    ? DisconnectCause.REQUEST_REFUSED
                    : DisconnectCause.STORE_FAILED;
            connection.disconnect(code, cause, "a publish could not be stored");
            return;
        }
        if (packetId != 0) {
            received().remove(packetId);
        }
        acks.complete(slot, code);
    }

    private void sendAck(int packetId, boolean isQos2, ReasonCode code) {
        if (!isQos2 || code.isError()) {
            changeUnderWay(-1);
        }
        ReasonCode said = isV5 ? code : ReasonCode.SUCCESS;
        connection.send(isQos2 ? new PubRec(packetId, said) : new PubAck(packetId, said));
    }

    void onPubRel(PubRel rel) {
        int packetId = rel.packetId();
        Received known = stateOf(packetId);
        if (known == Received.DISTRIBUTING) {
            throw new ProtocolException(ReasonCode.PROTOCOL_ERROR, "PUBREL before PUBREC, packet id " + packetId);
        }
        if (known == null) {
            connection.send(new PubComp(packetId, isV5 ? ReasonCode.PACKET_IDENTIFIER_NOT_FOUND : ReasonCode.SUCCESS));
            return;
        }
        if (attachment == null) {
            completed(packetId);
            return;
        }
        if (releasing == null) {
            releasing = new HashSet<>();
        }
        Set<Integer> asked = releasing;
        if (!asked.add(packetId)) {
            return; // a repeated PUBREL: the PUBCOMP is on its way, and repetitions must not load a slow store
        }
        OnEventLoop.whenComplete(connection, attachment.release(packetId), (wasKnown, failure) -> {
            asked.remove(packetId);
            if (session.isClosed()) {
                return;
            }
            if (failure == null) {
                completed(packetId);
            } else {
                connection.disconnect(
                        ReasonCode.UNSPECIFIED_ERROR, DisconnectCause.STORE_FAILED, "a PUBREL could not be stored");
            }
        });
    }

    private void completed(int packetId) {
        if (received().remove(packetId) == Received.RECORDED) {
            changeUnderWay(-1);
        }
        connection.send(new PubComp(packetId));
    }

    private Map<Integer, Received> received() {
        if (received == null) {
            received = new HashMap<>();
        }
        return received;
    }

    /** State of an inbound QoS 2 packet id. */
    enum Received {
        /** Known from before this connection; the store knows its state. */
        RESUMED,
        /** Accepted, PUBREC not yet sent. */
        DISTRIBUTING,
        /** PUBREC sent, PUBREL awaited. */
        RECORDED
    }
}
