package io.godwit.mqtt.codec.type;

import static io.godwit.mqtt.packet.field.ReasonCode.PROTOCOL_ERROR;

import io.godwit.mqtt.codec.field.FrameReader;
import io.godwit.mqtt.codec.field.PropertyId;
import io.godwit.mqtt.codec.field.PropertyWriter;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * PUBLISH (MQTT 5.0 and 3.1.1, 3.3). The topic and, at QoS 1 and 2, the packet identifier precede the properties; all
 * bytes after them are the payload. Flags: DUP (8), QoS (6), RETAIN (1).
 */
public final class PublishCodec extends PacketCodec<Publish> {
    public static final PublishCodec INSTANCE = new PublishCodec();
    public static final int TYPE = 3;
    public static final int DUP = 0b1000;
    static final int RETAIN = 0b0001;

    private static final long REPEATABLE = PropertyId.set(PropertyId.SUBSCRIPTION_IDENTIFIER);
    private static final long ALLOWED =
            MessagePropertiesCodec.ALLOWED | REPEATABLE | PropertyId.set(PropertyId.TOPIC_ALIAS);

    private PublishCodec() {
        super(TYPE, 0, "PUBLISH");
    }

    @Override
    public boolean allowsFlags(int seen, int protocolLevel) {
        int qos = seen >> 1 & 3;
        // QoS 3 [MQTT5-3.3.1-4], [MQTT311-3.3.1-4]; DUP at QoS 0 [MQTT5-3.3.1-2], [MQTT311-3.3.1-2], which MQTT 3.1
        // allows
        return qos != 3 && (qos != 0 || (seen & DUP) == 0 || protocolLevel == ProtocolLevel.MQTT_3_1);
    }

    @Override
    public Publish decode(FrameReader in, int flags) {
        Qos qos = Qos.of(flags >> 1 & 3);
        String topic = in.readTopicName();
        int packetId = qos == Qos.AT_MOST_ONCE ? 0 : in.readPacketId(name());
        int topicAlias = 0;
        int[] subscriptionIds = Publish.NO_SUBSCRIPTION_IDS;
        MessageProperties properties = MessageProperties.NONE;
        if (in.isMqtt5()) {
            MessagePropertiesCodec message = null;
            in.beginProperties();
            for (int id; (id = in.nextProperty(ALLOWED, REPEATABLE, name())) != 0; ) {
                if (id == PropertyId.TOPIC_ALIAS) {
                    topicAlias = readTopicAlias(in);
                } else if (id == PropertyId.SUBSCRIPTION_IDENTIFIER) {
                    subscriptionIds = with(subscriptionIds, readSubscriptionId(in));
                } else {
                    message = message == null ? new MessagePropertiesCodec() : message;
                    message.read(id, in);
                }
            }
            if (message != null) {
                properties = message.build();
            }
        }
        if (topic.isEmpty() && topicAlias == 0) {
            throw withoutTopic(in);
        }
        boolean dup = (flags & DUP) != 0 && qos != Qos.AT_MOST_ONCE;
        return new Publish(
                packetId,
                dup,
                qos,
                (flags & RETAIN) != 0,
                topic,
                topicAlias,
                in.readRest(),
                properties,
                subscriptionIds);
    }

    @Override
    int flags(Publish packet) {
        return flags(packet.dup(), packet.qos(), packet.retain());
    }

    public static int flags(boolean dup, Qos qos, boolean retain) {
        return (dup ? DUP : 0) | qos.value() << 1 | (retain ? RETAIN : 0);
    }

    @Override
    void properties(Publish packet, PropertyWriter out) {
        MessagePropertiesCodec.write(packet.properties(), packet.properties().messageExpirySeconds(), out);
        if (packet.topicAlias() != 0) {
            out.u16(PropertyId.TOPIC_ALIAS, packet.topicAlias());
        }
        for (int subscriptionId : packet.subscriptionIds()) {
            out.varInt(PropertyId.SUBSCRIPTION_IDENTIFIER, subscriptionId);
        }
    }

    @Override
    int headLength(Publish packet, int protocolLevel, int propertiesLength) {
        return PropertyWriter.stringLength(packet.topic()) + (packet.qos() == Qos.AT_MOST_ONCE ? 0 : 2);
    }

    @Override
    void writeHead(Publish packet, int protocolLevel, int propertiesLength, ByteBuf out) {
        PropertyWriter.writeString(out, packet.topic());
        if (packet.qos() != Qos.AT_MOST_ONCE) {
            out.writeShort(packet.packetId());
        }
    }

    @Override
    int tailLength(Publish packet, int protocolLevel) {
        return packet.payload().length;
    }

    @Override
    void writeTail(Publish packet, int protocolLevel, ByteBuf out) {
        out.writeBytes(packet.payload());
    }

    private static int readTopicAlias(FrameReader in) {
        int alias = in.readU16();
        if (alias == 0) { // [MQTT5-3.3.2-8]
            throw new ProtocolException(ReasonCode.TOPIC_ALIAS_INVALID, "topic alias must not be 0");
        }
        return alias;
    }

    private static int readSubscriptionId(FrameReader in) {
        if (in.fromClient()) { // [MQTT5-3.3.4-6]
            throw new ProtocolException(PROTOCOL_ERROR, "PUBLISH of a client has a subscription identifier");
        }
        return in.readSubscriptionId();
    }

    private static int[] with(int[] ids, int id) {
        int[] longer = Arrays.copyOf(ids, ids.length + 1);
        longer[ids.length] = id;
        return longer;
    }

    private static ProtocolException withoutTopic(FrameReader in) {
        return in.isMqtt5()
                ? new ProtocolException(PROTOCOL_ERROR, "PUBLISH has neither a topic name nor a topic alias")
                : new ProtocolException(ReasonCode.TOPIC_NAME_INVALID, "topic name is empty"); // [MQTT311-4.7.3-1]
    }
}
