package io.godwit.mqtt.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.packet.field.WillPacket;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import io.godwit.plugin.topic.TopicFilter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A packet does not become far more on the heap than it was on the wire. */
class DecodeLimitsTest {
    private final PacketDecoder decoder = PacketDecoder.forServer(100_000, new DecodeLimits(200, 2, 3, 4));

    private static List<UserProperty> properties(int count) {
        return Collections.nCopies(count, new UserProperty("n", "v"));
    }

    private static Connect connect(int own, int ofWill, int payloadBytes) {
        return connect(5, own, ofWill, payloadBytes);
    }

    private static Connect connect(int level, int own, int ofWill, int payloadBytes) {
        MessageProperties properties = new MessageProperties(-1, -1, null, null, null, properties(ofWill));
        WillPacket will = new WillPacket("w", new byte[payloadBytes], Qos.AT_MOST_ONCE, false, properties, 0);
        return new Connect(
                level, true, 0, "c", null, null, will, -1, -1, -1, -1, false, true, properties(own), null, null);
    }

    private static Publish publish(int count) {
        MessageProperties properties = new MessageProperties(-1, -1, null, null, null, properties(count));
        return new Publish(0, false, Qos.AT_MOST_ONCE, false, "t", new byte[0], properties);
    }

    private @Nullable Packet decode(Packet packet, int level) {
        return decoder.decode(Unpooled.wrappedBuffer(Frames.encode(packet, level)));
    }

    private void refuses(Packet packet, int level, ReasonCode code) {
        assertThatThrownBy(() -> decode(packet, level))
                .isInstanceOfSatisfying(
                        ProtocolException.class, e -> assertThat(e.reasonCode()).isEqualTo(code));
    }

    @Test
    void aConnectHasItsUserPropertiesAndThoseOfItsWillTogether() {
        assertThat(decode(connect(1, 1, 0), 5)).isInstanceOf(Connect.class);
    }

    @Test
    void aConnectWithMoreUserPropertiesIsRefused() {
        refuses(connect(1, 2, 0), 5, ReasonCode.QUOTA_EXCEEDED);
        assertThat(decoder.protocolLevel())
                .as("the version is known, so that the client gets an answer")
                .isEqualTo(5);
    }

    @Test
    void eachPublishHasItsOwn() {
        decode(connect(0, 0, 0), 5);
        for (int i = 0; i < 3; i++) {
            assertThat(decode(publish(3), 5)).isInstanceOf(Publish.class);
        }
        refuses(publish(4), 5, ReasonCode.QUOTA_EXCEEDED);
    }

    /** One of 3 bytes on the wire takes some hundred on the heap, and work in every store. */
    @Test
    void aSubscribeWithMoreFiltersIsRefused() {
        decode(connect(0, 0, 0), 5);
        List<Subscription> filters = Collections.nCopies(4, new Subscription(filter(), Qos.AT_MOST_ONCE));
        assertThat(decode(new Subscribe(1, filters), 5)).isInstanceOf(Subscribe.class);
        filters = Collections.nCopies(5, new Subscription(filter(), Qos.AT_MOST_ONCE));
        refuses(new Subscribe(1, filters), 5, ReasonCode.QUOTA_EXCEEDED);
    }

    @Test
    void anUnsubscribeWithMoreFiltersIsRefused() {
        decode(connect(0, 0, 0), 5);
        assertThat(decode(new Unsubscribe(1, Collections.nCopies(4, filter())), 5))
                .isInstanceOf(Unsubscribe.class);
        refuses(new Unsubscribe(1, Collections.nCopies(5, filter())), 5, ReasonCode.QUOTA_EXCEEDED);
    }

    private static TopicFilter filter() {
        return TopicFilter.parse("a").orElseThrow();
    }

    @Test
    void aLargeConnectIsRefusedInTheVersionOfItsClient() {
        refuses(connect(0, 0, 200), 5, ReasonCode.PACKET_TOO_LARGE);
        assertThat(decoder.protocolLevel()).isEqualTo(5);
    }

    @Test
    void aLargeConnectOfAnOlderVersionIsRefusedToo() {
        refuses(connect(4, 0, 0, 200), ProtocolLevel.MQTT_3_1_1, ReasonCode.PACKET_TOO_LARGE);
        assertThat(decoder.protocolLevel()).isEqualTo(ProtocolLevel.MQTT_3_1_1);
    }

    /** It is refused with the first bytes, and not when it has arrived. */
    @Test
    void aLargeConnectIsRefusedBeforeItHasArrived() {
        byte[] frame = Frames.encode(connect(0, 0, 10_000), 5);
        for (int arrived = 1; arrived < 10; arrived++) {
            ByteBuf beginning = Unpooled.wrappedBuffer(frame, 0, arrived);
            assertThat(decoder.decode(beginning)).isNull();
        }
        assertThatThrownBy(() -> decoder.decode(Unpooled.wrappedBuffer(frame, 0, 10)))
                .isInstanceOf(ProtocolException.class);
    }

    /** Others are as large as the listener says. */
    @Test
    void aPublishIsNotMeasuredByThat() {
        decode(connect(0, 0, 0), 5);
        Publish large = new Publish(0, false, Qos.AT_MOST_ONCE, false, "t", new byte[50_000], MessageProperties.NONE);
        assertThat(decode(large, 5)).isInstanceOf(Publish.class);
    }
}
