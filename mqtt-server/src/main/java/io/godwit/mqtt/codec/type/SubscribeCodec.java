package io.godwit.mqtt.codec.type;

import static io.godwit.mqtt.packet.field.ReasonCode.MALFORMED_PACKET;
import static io.godwit.mqtt.packet.field.ReasonCode.PROTOCOL_ERROR;

import io.godwit.mqtt.codec.field.FrameReader;
import io.godwit.mqtt.codec.field.PropertyId;
import io.godwit.mqtt.codec.field.PropertyWriter;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.RetainHandling;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import io.godwit.plugin.topic.TopicFilter;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * SUBSCRIBE (MQTT 5.0 and 3.1.1, 3.8): packet identifier, properties, then filters with one byte of options each: QoS
 * (3), no local (4), retain as published (8), retain handling (0x30); in 3.1.1 only the QoS.
 */
public final class SubscribeCodec extends PacketCodec<Subscribe> {
    public static final SubscribeCodec INSTANCE = new SubscribeCodec();

    private static final int QOS = 0x03;
    private static final int NO_LOCAL = 0x04;
    private static final int RETAIN_AS_PUBLISHED = 0x08;
    private static final int RETAIN_HANDLING_SHIFT = 4;
    private static final int RESERVED = 0xC0;

    private static final long ALLOWED = PropertyId.set(PropertyId.SUBSCRIPTION_IDENTIFIER, PropertyId.USER_PROPERTY);

    private SubscribeCodec() {
        super(8, 0b0010, "SUBSCRIBE");
    }

    @Override
    public Subscribe decode(FrameReader in, int flags) {
        int packetId = in.readPacketId(name());
        int subscriptionId = -1;
        List<UserProperty> userProperties = new ArrayList<>(0);
        if (in.isMqtt5()) {
            in.beginProperties();
            for (int id; (id = in.nextProperty(ALLOWED, name())) != 0; ) {
                if (id == PropertyId.SUBSCRIPTION_IDENTIFIER) {
                    subscriptionId = in.readSubscriptionId();
                } else {
                    userProperties.add(in.readUserProperty());
                }
            }
        }
        if (in.remaining() == 0) { // [MQTT5-3.8.3-2], [MQTT311-3.8.3-3]
            throw new ProtocolException(PROTOCOL_ERROR, "SUBSCRIBE has no topic filter");
        }
        List<Subscription> subscriptions = new ArrayList<>(1);
        while (in.remaining() > 0) {
            TopicFilter filter = in.readTopicFilter();
            subscriptions.add(subscription(filter, in.readU8(), in.protocolLevel()));
        }
        return new Subscribe(packetId, subscriptions, subscriptionId, userProperties);
    }

    private static Subscription subscription(TopicFilter filter, int options, int protocolLevel) {
        int qos = options & QOS;
        if (qos == 3) { // MQTT 5.0, 3.8.3.1; [MQTT311-3-8.3-4]
            throw new ProtocolException(PROTOCOL_ERROR, "SUBSCRIBE asks for QoS 3");
        }
        if (protocolLevel == ProtocolLevel.MQTT_3_1) {
            return new Subscription(filter, Qos.of(qos)); // MQTT 3.1 does not use the other bits
        }
        int reserved = protocolLevel == ProtocolLevel.MQTT_3_1_1 ? ~QOS : RESERVED;
        if ((options & reserved) != 0) { // [MQTT5-3.8.3-5], [MQTT311-3-8.3-4]
            throw new ProtocolException(MALFORMED_PACKET, "subscription options have reserved bits: " + options);
        }
        int retainHandling = options >> RETAIN_HANDLING_SHIFT & 3;
        if (retainHandling == 3) { // MQTT 5.0, 3.8.3.1
            throw new ProtocolException(PROTOCOL_ERROR, "SUBSCRIBE has retain handling 3");
        }
        boolean noLocal = (options & NO_LOCAL) != 0;
        if (noLocal && filter.isShared()) { // [MQTT5-3.8.3-4]
            throw new ProtocolException(
                    PROTOCOL_ERROR, "no local on a shared subscription: " + FrameReader.brief(filter.text()));
        }
        boolean retainAsPublished = (options & RETAIN_AS_PUBLISHED) != 0;
        return new Subscription(filter, Qos.of(qos), noLocal, retainAsPublished, RetainHandling.of(retainHandling));
    }

    @Override
    void properties(Subscribe packet, PropertyWriter out) {
        out.varInt(PropertyId.SUBSCRIPTION_IDENTIFIER, packet.subscriptionId());
        out.userProperties(packet.userProperties());
    }

    @Override
    int headLength(Subscribe packet, int protocolLevel, int propertiesLength) {
        return 2;
    }

    @Override
    void writeHead(Subscribe packet, int protocolLevel, int propertiesLength, ByteBuf out) {
        out.writeShort(packet.packetId());
    }

    @Override
    int tailLength(Subscribe packet, int protocolLevel) {
        int length = 0;
        for (Subscription subscription : packet.subscriptions()) {
            length += PropertyWriter.stringLength(subscription.filter().text()) + 1;
        }
        return length;
    }

    @Override
    void writeTail(Subscribe packet, int protocolLevel, ByteBuf out) {
        for (Subscription subscription : packet.subscriptions()) {
            PropertyWriter.writeString(out, subscription.filter().text());
            out.writeByte(options(subscription, protocolLevel));
        }
    }

    private static int options(Subscription subscription, int protocolLevel) {
        if (protocolLevel < ProtocolLevel.MQTT_5) {
            return subscription.qos().value();
        }
        return subscription.qos().value()
                | (subscription.noLocal() ? NO_LOCAL : 0)
                | (subscription.retainAsPublished() ? RETAIN_AS_PUBLISHED : 0)
                | subscription.retainHandling().value() << RETAIN_HANDLING_SHIFT;
    }
}
