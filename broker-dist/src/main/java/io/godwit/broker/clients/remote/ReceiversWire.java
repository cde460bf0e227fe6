package io.godwit.broker.clients.remote;

import io.godwit.broker.clients.node.NodeReceivers;
import io.godwit.broker.clients.wire.Receiver;
import io.godwit.broker.clients.wire.ReceiversAnswer;
import java.util.ArrayList;
import java.util.List;

/** Encodes the receivers of a topic; the rules are those of {@link ClientWire}. */
public final class ReceiversWire {
    private static final int MAX_QOS = 2;

    private ReceiversWire() {}

    /** Encodes the live receivers, as many as fit. */
    static ReceiversAnswer answer(NodeReceivers receivers) {
        ReceiversAnswer.Builder message = ReceiversAnswer.newBuilder().setTotal(receivers.liveTotal());
        long bytes = 0;
        for (NodeReceivers.Entry entry : receivers.live()) {
            Receiver receiver = Receiver.newBuilder()
                    .setClientId(entry.clientId())
                    .setQos(entry.qos())
                    .setGroup(entry.group())
                    .build();
            bytes += receiver.getSerializedSize();
            if (message.getReceiversCount() > 0 && bytes > ClientWire.MAX_ANSWER_BYTES) {
                break;
            }
            message.addReceivers(receiver);
        }
        return message.build();
    }

    /** @throws IllegalArgumentException for an impossible answer */
    public static NodeReceivers receivers(ReceiversAnswer message, int limit) {
        if (message.getReceiversCount() > limit || message.getTotal() < message.getReceiversCount()) {
            throw new IllegalArgumentException(message.getReceiversCount() + " receivers of "
                    + Long.toUnsignedString(message.getTotal()) + " in a list of " + limit + " at most");
        }
        List<NodeReceivers.Entry> live = new ArrayList<>(message.getReceiversCount());
        for (Receiver receiver : message.getReceiversList()) {
            if (receiver.getClientId().isEmpty() || receiver.getQos() < 0 || receiver.getQos() > MAX_QOS) {
                throw new IllegalArgumentException("no receiver: QoS " + receiver.getQos());
            }
            live.add(new NodeReceivers.Entry(receiver.getClientId(), receiver.getQos(), receiver.getGroup()));
        }
        return new NodeReceivers(live, message.getTotal(), List.of(), 0);
    }
}
