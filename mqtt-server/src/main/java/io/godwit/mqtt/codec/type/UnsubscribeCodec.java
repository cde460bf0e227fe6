package io.godwit.mqtt.codec.type;

import static io.godwit.mqtt.packet.field.ReasonCode.PROTOCOL_ERROR;

import io.godwit.mqtt.codec.field.FrameReader;
import io.godwit.mqtt.codec.field.PropertyId;
import io.godwit.mqtt.codec.field.PropertyWriter;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.plugin.message.UserProperty;
import io.godwit.plugin.topic.TopicFilter;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** UNSUBSCRIBE (MQTT 5.0 and 3.1.1, 3.10): packet identifier, properties, then filters. */
public final class UnsubscribeCodec extends PacketCodec<Unsubscribe> {
    public static final UnsubscribeCodec INSTANCE = new UnsubscribeCodec();

    private static final long ALLOWED = PropertyId.set(PropertyId.USER_PROPERTY);

    private UnsubscribeCodec() {
        super(10, 0b0010, "UNSUBSCRIBE");
    }

    @Override
    public Unsubscribe decode(FrameReader in, int flags) {
        int packetId = in.readPacketId(name());
        List<UserProperty> userProperties = new ArrayList<>(0);
        if (in.isMqtt5()) {
            in.beginProperties();
            while (in.nextProperty(ALLOWED, name()) != 0) {
                userProperties.add(in.readUserProperty());
            }
        }
        if (in.remaining() == 0) { // [MQTT5-3.10.3-2], [MQTT311-3.10.3-2]
            throw new ProtocolException(PROTOCOL_ERROR, "UNSUBSCRIBE has no topic filter");
        }
        List<TopicFilter> filters = new ArrayList<>(1);
        while (in.remaining() > 0) {
            filters.add(in.readTopicFilter());
        }
        return new Unsubscribe(packetId, filters, userProperties);
    }

    @Override
    void properties(Unsubscribe packet, PropertyWriter out) {
        out.userProperties(packet.userProperties());
    }

    @Override
    int headLength(Unsubscribe packet, int protocolLevel, int propertiesLength) {
        return 2;
    }

    @Override
    void writeHead(Unsubscribe packet, int protocolLevel, int propertiesLength, ByteBuf out) {
        out.writeShort(packet.packetId());
    }

    @Override
    int tailLength(Unsubscribe packet, int protocolLevel) {
        int length = 0;
        for (TopicFilter filter : packet.filters()) {
            length += PropertyWriter.stringLength(filter.text());
        }
        return length;
    }

    @Override
    void writeTail(Unsubscribe packet, int protocolLevel, ByteBuf out) {
        for (TopicFilter filter : packet.filters()) {
            PropertyWriter.writeString(out, filter.text());
        }
    }
}
