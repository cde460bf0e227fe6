package io.godwit.dist.deliver;

import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.RequestPlace;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.message.Message;

/**
 * The places of one connection's messages without a token. A message has a place if the connection ends when it is
 * refused: the client then sends it again, with the messages behind it. In MQTT 5.0 a PUBACK can
 * report a failure, so only QoS 2 has places; before 5.0, QoS 1 has them too. Confined to the publisher's thread.
 */
final class Places {
    /** The protocol level of MQTT 5.0. */
    private static final int MQTT_5 = 5;

    private final RequestOrder order = new RequestOrder();
    private long last;

    /** Whether a message of a connection with that protocol level has a place. */
    static boolean has(Message message, int protocolLevel) {
        return switch (message.qos()) {
            case AT_MOST_ONCE -> false;
            case AT_LEAST_ONCE -> protocolLevel < MQTT_5;
            case EXACTLY_ONCE -> true;
        };
    }

    /** Whether one of these messages has failed. */
    boolean isBroken() {
        return order.isBrokenBefore(last + 1);
    }

    /** The rule for the next message: that of the connection, with a place. */
    Resend next(Resend connection) {
        last++;
        return new PlacedResend(connection, new RequestPlace(order, last));
    }
}
