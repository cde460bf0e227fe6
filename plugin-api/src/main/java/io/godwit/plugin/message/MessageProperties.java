package io.godwit.plugin.message;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The PUBLISH properties that travel with a message unchanged (MQTT 5.0, 3.3.2.3). Topic alias and subscription
 * identifiers belong to a connection or a delivery and are not here.
 *
 * @param payloadFormat -1 absent, 0 bytes, 1 UTF-8
 * @param messageExpirySeconds -1 absent, else 0 to 4,294,967,295, counted from {@link Message#receivedAtMillis()}
 * @param correlationData shared, never modified after construction
 */
@SuppressWarnings("ArrayRecordComponent")
public record MessageProperties(
        int payloadFormat,
        long messageExpirySeconds,
        @Nullable String contentType,
        @Nullable String responseTopic,
        byte @Nullable [] correlationData,
        List<UserProperty> userProperties) {

    /** Heap bytes of two strings with their arrays, and of the pair. */
    private static final int USER_PROPERTY_BYTES = 130;

    /** No property at all; the usual case, shared. */
    public static final MessageProperties NONE = new MessageProperties(-1, -1, null, null, null, List.of());

    public MessageProperties {
        if (payloadFormat < -1 || payloadFormat > 1) {
            throw new IllegalArgumentException("payloadFormat must be -1, 0 or 1, was " + payloadFormat);
        }
        if (messageExpirySeconds < -1 || messageExpirySeconds > 0xFFFF_FFFFL) {
            throw new IllegalArgumentException(
                    "messageExpirySeconds must be -1 or an unsigned 32-bit value, was " + messageExpirySeconds);
        }
        userProperties = List.copyOf(userProperties);
    }

    /** The same with other user properties. */
    public MessageProperties withUserProperties(List<UserProperty> other) {
        return new MessageProperties(
                payloadFormat, messageExpirySeconds, contentType, responseTopic, correlationData, other);
    }

    /**
     * About what these properties take on the heap, in bytes; at least half the true size. A user property of 7 bytes
     * in a packet takes some 130.
     */
    long heapBytes() {
        long sum = (long) chars(contentType) + chars(responseTopic);
        sum += correlationData == null ? 0 : correlationData.length;
        for (UserProperty property : userProperties) {
            sum += USER_PROPERTY_BYTES + chars(property.name()) + chars(property.value());
        }
        return sum;
    }

    /** One byte a character, the usual case; a text with a character beyond Latin-1 takes two for each. */
    private static int chars(@Nullable String text) {
        return text == null ? 0 : text.length();
    }
}
