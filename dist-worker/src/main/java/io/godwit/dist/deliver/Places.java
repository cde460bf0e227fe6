package io.godwit.dist.deliver;

import io.godwit.dist.client.DeliveryToken;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.RequestPlace;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import org.jspecify.annotations.Nullable;

/**
 * Gives places in one order to the messages of a connection that ends when one of them is refused: its client then
 * sends that one again, with those behind it. MQTT 5.0 expresses a failure in PUBACK, so there only QoS 2 has places;
 * before 5.0, QoS 1 too. A message with a token has the order of the token. Confined to the publisher's thread.
 */
final class Places {
    /** The protocol level of MQTT 5.0. */
    private static final int MQTT_5 = 5;

    private final boolean hasConnection;
    private final Qos lowest;
    /** Null until the first message with a place. */
    private @Nullable RequestOrder order;

    private long last;

    /** @param hasConnection false for messages that each have their own publisher: none has a place */
    Places(boolean hasConnection, int protocolLevel) {
        this.hasConnection = hasConnection;
        this.lowest = protocolLevel < MQTT_5 ? Qos.AT_LEAST_ONCE : Qos.EXACTLY_ONCE;
    }

    /** Whether no receiver may take the message, because an earlier one has failed and comes again before it. */
    boolean isBehindFailed(Message message, @Nullable DeliveryToken token) {
        if (token != null) {
            return token.isBehindFailed();
        }
        RequestOrder known = order;
        return known != null && has(message) && known.isBrokenBefore(last + 1);
    }

    /** The rule for a message that is to be published now: with its place, if it has one. */
    Resend next(Message message, @Nullable DeliveryToken token, Resend connection) {
        if (token != null || !has(message)) {
            return connection;
        }
        RequestOrder known = order;
        if (known == null) {
            known = new RequestOrder();
            order = known;
        }
        last++;
        return new PlacedResend(connection, new RequestPlace(known, last));
    }

    private boolean has(Message message) {
        return hasConnection && message.qos().value() >= lowest.value();
    }
}
