package io.godwit.plugin.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class MessageCodecTest {

    @Property(tries = 500)
    void roundTripKeepsEveryField(@ForAll("messages") Message message) {
        byte[] encoded = MessageCodec.encode(message);
        assertThat(encoded).hasSize(MessageCodec.encodedSize(message));

        assertSame(MessageCodec.decode(ByteBuffer.wrap(encoded)), message);
    }

    @Property(tries = 100)
    void messagesStandOneAfterTheOther(@ForAll("messages") Message first, @ForAll("messages") Message second) {
        ByteBuffer buffer =
                ByteBuffer.allocateDirect(MessageCodec.encodedSize(first) + MessageCodec.encodedSize(second));
        MessageCodec.writeTo(buffer, first);
        MessageCodec.writeTo(buffer, second);
        assertThat(buffer.hasRemaining()).isFalse();
        buffer.flip();

        assertSame(MessageCodec.decode(buffer), first);
        assertSame(MessageCodec.decode(buffer), second);
    }

    @Property(tries = 100)
    void theTopicIsReadWithoutTheRest(@ForAll("messages") Message message) {
        ByteBuffer buffer = ByteBuffer.allocate(5 + MessageCodec.encodedSize(message));
        buffer.position(5);
        MessageCodec.writeTo(buffer, message);
        buffer.position(5);
        assertThat(MessageCodec.topic(buffer)).isEqualTo(message.topic());
        assertThat(MessageCodec.payloadSize(buffer)).isEqualTo(message.payload().length);
        assertThat(buffer.position()).isEqualTo(5);
        buffer.limit(5 + 11 + 1);
        assertThatThrownBy(() -> MessageCodec.topic(buffer)).isInstanceOf(IllegalArgumentException.class);
    }

    @Property(tries = 30)
    void everyTruncationIsRefused(@ForAll("messages") Message message) {
        byte[] encoded = MessageCodec.encode(message);
        for (int length = 0; length < encoded.length; length++) {
            ByteBuffer cut = ByteBuffer.wrap(Arrays.copyOf(encoded, length));
            assertThatThrownBy(() -> MessageCodec.decode(cut)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> MessageCodec.payloadSize(cut)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Property(tries = 300)
    void damageNeverEscapesAsAnotherFailure(@ForAll("messages") Message message, @ForAll int at, @ForAll byte value) {
        byte[] encoded = MessageCodec.encode(message);
        encoded[Math.floorMod(at, encoded.length)] = value;
        try {
            assertThat(MessageCodec.decode(ByteBuffer.wrap(encoded))).isNotNull();
        } catch (IllegalArgumentException refused) {
            assertThat(refused).isNotNull();
        }
    }

    @Test
    void aPlainMessageSharesTheEmptyProperties() {
        Message message = new Message("a", new byte[] {1}, Qos.AT_LEAST_ONCE, false, 7, MessageProperties.NONE);
        Message decoded = MessageCodec.decode(ByteBuffer.wrap(MessageCodec.encode(message)));
        assertThat(decoded.properties()).isSameAs(MessageProperties.NONE);
    }

    @Test
    void anUnknownVersionIsRefused() {
        byte[] encoded =
                MessageCodec.encode(new Message("a", new byte[0], Qos.AT_MOST_ONCE, false, 0, MessageProperties.NONE));
        encoded[0] = 2;
        assertThatThrownBy(() -> MessageCodec.decode(ByteBuffer.wrap(encoded)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("version must be 1, was 2");
    }

    @Test
    void aStringThatMqttCannotCarryIsRefused() {
        Message message =
                new Message("a".repeat(65_536), new byte[0], Qos.AT_MOST_ONCE, false, 0, MessageProperties.NONE);
        assertThatThrownBy(() -> MessageCodec.encode(message)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void halfASurrogatePairHasTheSizeOfItsReplacement() {
        Message message =
                new Message("a\ud800b\udc00", new byte[0], Qos.AT_MOST_ONCE, false, 0, MessageProperties.NONE);
        assertThat(MessageCodec.decode(ByteBuffer.wrap(MessageCodec.encode(message)))
                        .topic())
                .isEqualTo("a?b?");
    }

    private static void assertSame(Message actual, Message expected) {
        assertThat(actual.topic()).isEqualTo(expected.topic());
        assertThat(actual.payload()).isEqualTo(expected.payload());
        assertThat(actual.qos()).isEqualTo(expected.qos());
        assertThat(actual.retain()).isEqualTo(expected.retain());
        assertThat(actual.receivedAtMillis()).isEqualTo(expected.receivedAtMillis());
        MessageProperties properties = actual.properties();
        assertThat(properties.payloadFormat()).isEqualTo(expected.properties().payloadFormat());
        assertThat(properties.messageExpirySeconds())
                .isEqualTo(expected.properties().messageExpirySeconds());
        assertThat(properties.contentType()).isEqualTo(expected.properties().contentType());
        assertThat(properties.responseTopic()).isEqualTo(expected.properties().responseTopic());
        assertThat(properties.correlationData()).isEqualTo(expected.properties().correlationData());
        assertThat(properties.userProperties()).isEqualTo(expected.properties().userProperties());
    }

    @Provide
    static Arbitrary<Message> messages() {
        // without surrogates: a half of a pair does not survive UTF-8; whole pairs come with the sample
        Arbitrary<String> text = Arbitraries.oneOf(
                Arbitraries.strings()
                        .excludeChars('\0')
                        .withCharRange('\1', '\ud7ff')
                        .ofMaxLength(20),
                Arbitraries.of("\ud83d\udc26/x", "\u00e9", "\u20ac"));
        Arbitrary<byte[]> bytes = Arbitraries.bytes().array(byte[].class).ofMaxSize(40);
        Arbitrary<List<UserProperty>> user =
                Combinators.combine(text, text).as(UserProperty::new).list().ofMaxSize(3);
        Arbitrary<MessageProperties> properties = Combinators.combine(
                        Arbitraries.integers().between(-1, 1),
                        Arbitraries.longs().between(-1, 0xFFFF_FFFFL),
                        text.injectNull(0.5),
                        text.injectNull(0.5),
                        bytes.injectNull(0.5),
                        user)
                .as(MessageProperties::new);
        return Combinators.combine(
                        text,
                        bytes,
                        Arbitraries.of(Qos.class),
                        Arbitraries.of(true, false),
                        Arbitraries.longs(),
                        Arbitraries.oneOf(Arbitraries.just(MessageProperties.NONE), properties))
                .as(Message::new);
    }
}
