package io.godwit.mqtt.session.inbound;

import io.godwit.mqtt.packet.field.ReasonCode;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Sends PUBACKs and PUBRECs in the order of the PUBLISHes they answer, however the stores answer [MQTT5-4.6.0-2],
 * [MQTT5-4.6.0-3]. Confined to the loop of its session.
 */
final class AckQueue {
    private final ArrayDeque<Slot> slots = new ArrayDeque<>();
    private final Sender sender;

    AckQueue(Sender sender) {
        this.sender = sender;
    }

    boolean isEmpty() {
        return slots.isEmpty();
    }

    /** Reserves the place of the next PUBLISH in the order of answers. */
    Slot reserve(int packetId, boolean isQos2) {
        Slot slot = new Slot(packetId, isQos2);
        slots.addLast(slot);
        return slot;
    }

    /**
     * Sets the outcome of one PUBLISH. Sends its answer once all earlier ones are sent, and then the later ones that
     * waited for it.
     */
    void complete(Slot slot, ReasonCode code) {
        slot.code = code;
        for (Slot head = slots.peekFirst(); head != null; head = slots.peekFirst()) {
            ReasonCode headCode = head.code;
            if (headCode == null) {
                return;
            }
            slots.removeFirst();
            sender.send(head.packetId, head.isQos2, headCode);
        }
    }

    /** A PUBACK or PUBREC that is owed. */
    static final class Slot {
        private final int packetId;
        private final boolean isQos2;
        private @Nullable ReasonCode code;

        private Slot(int packetId, boolean isQos2) {
            this.packetId = packetId;
            this.isQos2 = isQos2;
        }
    }

    /** Receives the acknowledgements in order. */
    interface Sender {
        void send(int packetId, boolean isQos2, ReasonCode code);
    }
}
