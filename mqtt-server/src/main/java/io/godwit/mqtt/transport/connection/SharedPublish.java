package io.godwit.mqtt.transport.connection;

import io.godwit.mqtt.codec.EncodedPublish;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import org.jspecify.annotations.Nullable;

/**
 * A message for several clients of one event loop: encoded once per protocol version, QoS and RETAIN flag, when the
 * first client needs it. Confined to the loop.
 */
public final class SharedPublish {
    private final Message message;
    private final long nowMillis;
    private final @Nullable EncodedPublish[] frames = new @Nullable EncodedPublish[12];

    /** @param nowMillis wall clock, from which the remaining message expiry is computed */
    public SharedPublish(Message message, long nowMillis) {
        this.message = message;
        this.nowMillis = nowMillis;
    }

    public Message message() {
        return message;
    }

    public EncodedPublish frame(Qos qos, boolean retain, int protocolLevel) {
        int index = qos.value() * 4 + (retain ? 2 : 0) + (protocolLevel >= ProtocolLevel.MQTT_5 ? 1 : 0);
        EncodedPublish frame = frames[index];
        if (frame == null) {
            frame = EncodedPublish.of(message, qos, retain, protocolLevel, nowMillis);
            frames[index] = frame;
        }
        return frame;
    }
}
