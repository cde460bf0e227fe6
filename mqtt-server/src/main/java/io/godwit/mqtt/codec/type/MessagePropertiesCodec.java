package io.godwit.mqtt.codec.type;

import static io.godwit.mqtt.packet.field.ReasonCode.PROTOCOL_ERROR;

import io.godwit.mqtt.codec.field.FrameReader;
import io.godwit.mqtt.codec.field.PropertyId;
import io.godwit.mqtt.codec.field.PropertyWriter;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.UserProperty;
import io.godwit.plugin.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The properties that a PUBLISH and a will have in common: collects them while a packet is read, and passes them to a
 * writer.
 */
public final class MessagePropertiesCodec {
    static final long ALLOWED = PropertyId.set(
            PropertyId.PAYLOAD_FORMAT_INDICATOR,
            PropertyId.MESSAGE_EXPIRY_INTERVAL,
            PropertyId.CONTENT_TYPE,
            PropertyId.RESPONSE_TOPIC,
            PropertyId.CORRELATION_DATA,
            PropertyId.USER_PROPERTY);

    private int payloadFormat = -1;
    private long messageExpirySeconds = -1;
    private @Nullable String contentType;
    private @Nullable String responseTopic;
    private byte @Nullable [] correlationData;
    private @Nullable List<UserProperty> userProperties;

    /** Reads the value of one of the {@link #ALLOWED} properties. */
    void read(int id, FrameReader in) {
        switch (id) {
            case PropertyId.PAYLOAD_FORMAT_INDICATOR ->
                payloadFormat = in.readBoolean("payload format indicator") ? 1 : 0;
            case PropertyId.MESSAGE_EXPIRY_INTERVAL -> messageExpirySeconds = in.readU32();
            case PropertyId.CONTENT_TYPE -> contentType = in.readString();
            case PropertyId.RESPONSE_TOPIC -> responseTopic = readResponseTopic(in);
            case PropertyId.CORRELATION_DATA -> correlationData = in.readBinary();
            default -> {
                if (userProperties == null) {
                    userProperties = new ArrayList<>();
                }
                userProperties.add(in.readUserProperty());
            }
        }
    }

    @SuppressWarnings(
            "NullAway") // the Java 17 compiler does not see "byte @Nullable []" in another module's class file
    MessageProperties build() {
        return new MessageProperties(
                payloadFormat,
                messageExpirySeconds,
                contentType,
                responseTopic,
                correlationData,
                userProperties == null ? List.of() : userProperties);
    }

    /**
     * Passes all properties to the writer.
     *
     * @param messageExpirySeconds the remaining expiry for the receiver, which may be less than the publisher's
     */
    public static void write(MessageProperties properties, long messageExpirySeconds, PropertyWriter out) {
        out.u8(PropertyId.PAYLOAD_FORMAT_INDICATOR, properties.payloadFormat());
        out.u32(PropertyId.MESSAGE_EXPIRY_INTERVAL, messageExpirySeconds);
        out.string(PropertyId.CONTENT_TYPE, properties.contentType());
        out.string(PropertyId.RESPONSE_TOPIC, properties.responseTopic());
        out.binary(PropertyId.CORRELATION_DATA, properties.correlationData());
        out.userProperties(properties.userProperties());
    }

    private static String readResponseTopic(FrameReader in) {
        String topic = in.readString();
        if (!TopicName.isValid(topic)) { // [MQTT5-3.3.2-14]
            throw new ProtocolException(PROTOCOL_ERROR, "response topic is no topic name: " + FrameReader.brief(topic));
        }
        return topic;
    }
}
