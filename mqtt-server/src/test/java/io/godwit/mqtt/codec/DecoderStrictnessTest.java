package io.godwit.mqtt.codec;

import static io.godwit.mqtt.packet.field.ReasonCode.CLIENT_IDENTIFIER_NOT_VALID;
import static io.godwit.mqtt.packet.field.ReasonCode.MALFORMED_PACKET;
import static io.godwit.mqtt.packet.field.ReasonCode.PACKET_TOO_LARGE;
import static io.godwit.mqtt.packet.field.ReasonCode.PROTOCOL_ERROR;
import static io.godwit.mqtt.packet.field.ReasonCode.TOPIC_ALIAS_INVALID;
import static io.godwit.mqtt.packet.field.ReasonCode.TOPIC_FILTER_INVALID;
import static io.godwit.mqtt.packet.field.ReasonCode.TOPIC_NAME_INVALID;
import static io.godwit.mqtt.packet.field.ReasonCode.UNSUPPORTED_PROTOCOL_VERSION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.godwit.conformance.Clause;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each rule of the format that a client can break, by a frame that breaks just this one: the clause, the level, the
 * frame, the reason code. Frames are hexadecimal with their text in apostrophes; level 0 is a connection without a
 * CONNECT.
 */
class DecoderStrictnessTest {
    private static final String CONNECT5 = "10 0e 0004'MQTT' 05 ";
    private static final String CONNECT4 = "10 0d 0004'MQTT' 04 ";

    @ParameterizedTest(name = "{0} at level {1}: {2}")
    @MethodSource({
        "anyPacket",
        "fixedHeaders",
        "connects",
        "connectProperties",
        "publishes",
        "publishProperties",
        "subscribes",
        "others"
    })
    void brokenRuleIsRefused(String clause, int level, String hex, ReasonCode expected) {
        PacketDecoder decoder =
                level == 0 ? PacketDecoder.forServer(Frames.MAX_PACKET_BYTES) : Frames.serverDecoder(level);
        ByteBuf frame = Unpooled.wrappedBuffer(Frames.bytes(hex));

        ProtocolException refusal = catchThrowableOfType(ProtocolException.class, () -> decoder.decode(frame));

        assertThat(refusal).as("refusal").isNotNull();
        assertThat(refusal.reasonCode()).as(refusal.getMessage()).isEqualTo(expected);
        assertThat(refusal.getStackTrace()).isEmpty();
    }

    @ParameterizedTest(name = "{0} at level {1}: {2}")
    @MethodSource("allowed")
    void whatNoRuleBarsIsTaken(String what, int level, String hex) {
        PacketDecoder decoder =
                level == 0 ? PacketDecoder.forServer(Frames.MAX_PACKET_BYTES) : Frames.serverDecoder(level);
        ByteBuf frame = Unpooled.wrappedBuffer(Frames.bytes(hex));

        Packet packet = decoder.decode(frame);

        assertThat(packet).isNotNull();
        assertThat(frame.isReadable()).isFalse();
    }

    @ParameterizedTest(name = "{0} at level {1}: {2}")
    @MethodSource("fromServers")
    void brokenRuleOfAServerIsRefused(String clause, int level, String hex, ReasonCode expected) {
        PacketDecoder decoder = PacketDecoder.forClient(level, Frames.MAX_PACKET_BYTES);
        ByteBuf frame = Unpooled.wrappedBuffer(Frames.bytes(hex));

        ProtocolException refusal = catchThrowableOfType(ProtocolException.class, () -> decoder.decode(frame));

        assertThat(refusal).as("refusal").isNotNull();
        assertThat(refusal.reasonCode()).as(refusal.getMessage()).isEqualTo(expected);
    }

    @Clause({
        "MQTT5-1.5.4-1",
        "MQTT5-1.5.4-2",
        "MQTT5-1.5.5-1",
        "MQTT5-3.1.0-1",
        "MQTT5-3.1.0-2",
        "MQTT5-3.3.2-1",
        "MQTT5-4.7.3-2",
        "MQTT311-1.5.3-1",
        "MQTT311-1.5.3-2",
        "MQTT311-3.1.0-2",
        "MQTT311-3.3.2-1",
        "MQTT311-4.7.3-2",
        "MQTT31-2.1-8",
        "MQTT31-3.1-8"
    })
    static Stream<Arguments> anyPacket() {
        return Stream.of(
                rule("MQTT5-3.1.0-1 first packet is a CONNECT", 0, "c0 00", PROTOCOL_ERROR),
                rule("MQTT5-3.1.0-2 only one CONNECT", 5, CONNECT5 + "02 003c 00 0001'a'", PROTOCOL_ERROR),
                rule("MQTT311-3.1.0-2 only one CONNECT", 4, CONNECT4 + "02 003c 0001'a'", PROTOCOL_ERROR),
                rule("MQTT31-3.1-8 only one CONNECT", 3, "10 0f 0006'MQIsdp' 03 02 003c 0001'a'", PROTOCOL_ERROR),
                rule("MQTT5-1.5.5 length of 5 bytes", 5, "30 8080808001", MALFORMED_PACKET),
                rule("MQTT311-2.2.3 length of 5 bytes", 4, "30 8080808001", MALFORMED_PACKET),
                rule("MQTT31-2.1-8 length of 5 bytes", 3, "30 8080808001", MALFORMED_PACKET),
                rule("MQTT5-1.5.5-1 length in more bytes than needed", 5, "c0 8000", MALFORMED_PACKET),
                rule("MQTT5-1.5.5-1 in a CONNECT", 0, "10 8e00 0004'MQTT' 05 02 003c 00 0001'a'", MALFORMED_PACKET),
                rule("MQTT5-1.5.5-1 in a property length", 5, "30 05 0001'a' 8000", MALFORMED_PACKET),
                rule("above the largest packet, its length alone", 5, "30 ffffff7f", PACKET_TOO_LARGE),
                rule("above the largest packet by one byte", 4, "30 fdff3f", PACKET_TOO_LARGE),
                rule("type 0 is reserved", 5, "00 00", MALFORMED_PACKET),
                rule("type 15 is reserved before 5.0", 4, "f0 00", MALFORMED_PACKET),
                rule("a client sends no CONNACK", 5, "20 03 00 00 00", PROTOCOL_ERROR),
                rule("a client sends no SUBACK", 4, "90 03 0001 00", PROTOCOL_ERROR),
                rule("a client sends no UNSUBACK", 4, "b0 02 0001", PROTOCOL_ERROR),
                rule("a client sends no PINGRESP", 5, "d0 00", PROTOCOL_ERROR),
                rule("bytes after the end of a PINGREQ", 5, "c0 01 00", MALFORMED_PACKET),
                rule("bytes after the end of a PUBACK", 4, "40 03 0001 00", MALFORMED_PACKET),
                rule("bytes after the end of a CONNECT", 0, "10 0e 0004'MQTT' 04 02 003c 0001'a' 00", MALFORMED_PACKET),
                rule("a string longer than its packet", 5, "30 03 0005 'a'", MALFORMED_PACKET),
                rule("MQTT5-1.5.4-2 MQTT5-4.7.3-2 U+0000 in a topic", 5, "30 04 0001 00 00", MALFORMED_PACKET),
                rule("MQTT311-1.5.3-2 MQTT311-4.7.3-2 U+0000 in a topic", 4, "30 03 0001 00", MALFORMED_PACKET),
                rule("MQTT5-1.5.4-1 MQTT5-3.3.2-1 surrogate in a topic", 5, "30 06 0003 eda080 00", MALFORMED_PACKET),
                rule("MQTT311-1.5.3-1 MQTT311-3.3.2-1 surrogate in a topic", 4, "30 05 0003 edbfbf", MALFORMED_PACKET),
                rule("MQTT5-1.5.4-1 overlong form of 2 bytes", 5, "30 05 0002 c080 00", MALFORMED_PACKET),
                rule("MQTT5-1.5.4-1 overlong form of 3 bytes", 5, "30 06 0003 e08080 00", MALFORMED_PACKET),
                rule("MQTT5-1.5.4-1 overlong form of 4 bytes", 5, "30 07 0004 f0808080 00", MALFORMED_PACKET),
                rule("MQTT5-1.5.4-1 above U+10FFFF", 5, "30 07 0004 f4908080 00", MALFORMED_PACKET),
                rule("MQTT5-1.5.4-1 lone continuation byte", 5, "30 04 0001 80 00", MALFORMED_PACKET),
                rule("MQTT5-1.5.4-1 character cut off", 5, "30 05 0002 e282 00", MALFORMED_PACKET));
    }

    @Clause({
        "MQTT5-2.1.3-1",
        "MQTT5-3.3.1-2",
        "MQTT5-3.3.1-4",
        "MQTT5-3.6.1-1",
        "MQTT5-3.8.1-1",
        "MQTT5-3.10.1-1",
        "MQTT5-3.14.1-1",
        "MQTT5-3.15.1-1",
        "MQTT311-2.2.2-1",
        "MQTT311-2.2.2-2",
        "MQTT311-3.3.1-2",
        "MQTT311-3.3.1-4",
        "MQTT311-3.6.1-1",
        "MQTT311-3.8.1-1",
        "MQTT311-3.10.1-1",
        "MQTT311-3.14.1-1",
        "MQTT31-2.1-7",
        "MQTT31-3.6-2"
    })
    static Stream<Arguments> fixedHeaders() {
        return Stream.of(
                rule("MQTT5-3.3.1-4 QoS 3", 5, "36 06 0001'a' 0001 00", MALFORMED_PACKET),
                rule("MQTT311-3.3.1-4 QoS 3", 4, "36 05 0001'a' 0001", MALFORMED_PACKET),
                rule("MQTT31-2.1-7 QoS 3", 3, "36 05 0001'a' 0001", MALFORMED_PACKET),
                rule("MQTT5-3.3.1-2 DUP at QoS 0", 5, "38 04 0001'a' 00", MALFORMED_PACKET),
                rule("MQTT311-3.3.1-2 DUP at QoS 0", 4, "38 03 0001'a'", MALFORMED_PACKET),
                rule("MQTT5-2.1.3-1 CONNECT", 0, "11 0e", MALFORMED_PACKET),
                rule("MQTT5-2.1.3-1 PUBACK", 5, "41 02 0001", MALFORMED_PACKET),
                rule("MQTT5-2.1.3-1 PUBREC", 5, "52 02 0001", MALFORMED_PACKET),
                rule("MQTT5-3.6.1-1 PUBREL", 5, "60 02 0001", MALFORMED_PACKET),
                rule("MQTT311-3.6.1-1 PUBREL", 4, "63 02 0001", MALFORMED_PACKET),
                rule("MQTT31-3.6-2 PUBREL is of QoS 1", 3, "60 02 0001", MALFORMED_PACKET),
                rule("MQTT5-2.1.3-1 PUBCOMP", 5, "71 02 0001", MALFORMED_PACKET),
                rule("MQTT5-3.8.1-1 SUBSCRIBE", 5, "80 07 0001 00 0001'a' 00", MALFORMED_PACKET),
                rule("MQTT311-3.8.1-1 SUBSCRIBE", 4, "8a 06 0001 0001'a' 00", MALFORMED_PACKET),
                rule("MQTT5-3.10.1-1 UNSUBSCRIBE", 5, "a0 06 0001 00 0001'a'", MALFORMED_PACKET),
                rule("MQTT311-3.10.1-1 UNSUBSCRIBE", 4, "a0 05 0001 0001'a'", MALFORMED_PACKET),
                rule("MQTT311-2.2.2-1 MQTT311-2.2.2-2 PINGREQ", 4, "c1 00", MALFORMED_PACKET),
                rule("MQTT5-3.14.1-1 DISCONNECT", 5, "e1 00", MALFORMED_PACKET),
                rule("MQTT311-3.14.1-1 DISCONNECT", 4, "e8 00", MALFORMED_PACKET),
                rule("MQTT5-3.15.1-1 AUTH", 5, "f1 00", MALFORMED_PACKET));
    }

    @Clause({
        "MQTT5-3.1.2-1",
        "MQTT5-3.1.2-2",
        "MQTT5-3.1.2-3",
        "MQTT5-3.1.2-11",
        "MQTT5-3.1.2-12",
        "MQTT5-3.1.2-13",
        "MQTT5-3.1.2-16",
        "MQTT5-3.1.2-17",
        "MQTT5-3.1.2-18",
        "MQTT5-3.1.2-19",
        "MQTT5-3.1.3-3",
        "MQTT5-3.1.3-4",
        "MQTT5-3.1.3-11",
        "MQTT5-3.1.3-12",
        "MQTT5-4.7.3-1",
        "MQTT311-3.1.2-2",
        "MQTT311-3.1.2-3",
        "MQTT311-3.1.2-11",
        "MQTT311-3.1.2-13",
        "MQTT311-3.1.2-14",
        "MQTT311-3.1.2-15",
        "MQTT311-3.1.2-18",
        "MQTT311-3.1.2-19",
        "MQTT311-3.1.2-20",
        "MQTT311-3.1.2-21",
        "MQTT311-3.1.2-22",
        "MQTT311-3.1.3-3",
        "MQTT311-3.1.3-4",
        "MQTT311-3.1.3-8",
        "MQTT311-3.1.3-10",
        "MQTT311-3.1.3-11"
    })
    static Stream<Arguments> connects() {
        return Stream.of(
                rule("MQTT5-3.1.2-1 name", 0, "10 0d 0004'HTTP' 05 02 003c 00 0000", UNSUPPORTED_PROTOCOL_VERSION),
                rule("MQTT5-3.1.2-2 level 6", 0, "10 0d 0004'MQTT' 06 02 003c 00 0000", UNSUPPORTED_PROTOCOL_VERSION),
                rule("MQTT311-3.1.2-2 level 3", 0, "10 0d 0004'MQTT' 03 02 003c 0001'a'", UNSUPPORTED_PROTOCOL_VERSION),
                rule(
                        "level 4 by the old name",
                        0,
                        "10 0f 0006'MQIsdp' 04 02 003c 0001'a'",
                        UNSUPPORTED_PROTOCOL_VERSION),
                rule("MQTT5-3.1.2-3 reserved flag", 0, "10 0d 0004'MQTT' 05 03 003c 00 0000", MALFORMED_PACKET),
                rule("MQTT311-3.1.2-3 reserved flag", 0, CONNECT4 + "03 003c 0001'a'", MALFORMED_PACKET),
                rule(
                        "MQTT5-3.1.2-11 will QoS without will",
                        0,
                        "10 0d 0004'MQTT' 05 0a 003c 00 0000",
                        MALFORMED_PACKET),
                rule("MQTT311-3.1.2-13 will QoS without will", 0, CONNECT4 + "0a 003c 0001'a'", MALFORMED_PACKET),
                rule(
                        "MQTT5-3.1.2-13 will retain without will",
                        0,
                        "10 0d 0004'MQTT' 05 22 003c 00 0000",
                        MALFORMED_PACKET),
                rule("MQTT311-3.1.2-15 will retain without will", 0, CONNECT4 + "22 003c 0001'a'", MALFORMED_PACKET),
                rule(
                        "MQTT5-3.1.2-12 will QoS 3",
                        0,
                        "10 13 0004'MQTT' 05 1e 003c 00 0000 00 0001'w' 0000",
                        MALFORMED_PACKET),
                rule(
                        "MQTT311-3.1.2-14 will QoS 3",
                        0,
                        "10 12 0004'MQTT' 04 1e 003c 0001'a' 0001'w' 0000",
                        MALFORMED_PACKET),
                rule("will QoS 3", 0, "10 14 0006'MQIsdp' 03 1e 003c 0001'a' 0001'w' 0000", MALFORMED_PACKET),
                rule(
                        "MQTT311-3.1.2-22 password alone",
                        0,
                        "10 10 0004'MQTT' 04 42 003c 0001'a' 0001'p'",
                        MALFORMED_PACKET),
                rule("MQTT311-3.1.2-19 user name missing", 0, CONNECT4 + "82 003c 0001'a'", MALFORMED_PACKET),
                rule("MQTT5-3.1.2-17 user name missing", 0, "10 0d 0004'MQTT' 05 82 003c 00 0000", MALFORMED_PACKET),
                rule(
                        "MQTT311-3.1.3-8 empty id, session kept",
                        0,
                        "10 0c 0004'MQTT' 04 00 003c 0000",
                        CLIENT_IDENTIFIER_NOT_VALID),
                rule("MQTT 3.1 empty id", 0, "10 0e 0006'MQIsdp' 03 02 003c 0000", CLIENT_IDENTIFIER_NOT_VALID),
                rule("MQTT5-3.1.3-3 no client identifier", 0, "10 0b 0004'MQTT' 05 02 003c 00", MALFORMED_PACKET),
                rule("MQTT311-3.1.3-3 no client identifier", 0, "10 0a 0004'MQTT' 04 02 003c", MALFORMED_PACKET),
                rule(
                        "MQTT5-3.1.3-4 client identifier not UTF-8",
                        0,
                        "10 0e 0004'MQTT' 05 02 003c 00 0001 ff",
                        MALFORMED_PACKET),
                rule("MQTT311-3.1.3-4 client identifier not UTF-8", 0, CONNECT4 + "02 003c 0001 ff", MALFORMED_PACKET),
                rule(
                        "MQTT5-3.1.3-11 will topic not UTF-8",
                        0,
                        "10 14 0004'MQTT' 05 06 003c 00 0001'a' 00 0001 ff 0000",
                        MALFORMED_PACKET),
                rule(
                        "MQTT311-3.1.3-10 will topic not UTF-8",
                        0,
                        "10 12 0004'MQTT' 04 06 003c 0001'a' 0001 ff 0000",
                        MALFORMED_PACKET),
                rule(
                        "MQTT5-3.1.3-12 user name not UTF-8",
                        0,
                        "10 11 0004'MQTT' 05 82 003c 00 0001'a' 0001 ff",
                        MALFORMED_PACKET),
                rule(
                        "MQTT311-3.1.3-11 user name not UTF-8",
                        0,
                        "10 10 0004'MQTT' 04 82 003c 0001'a' 0001 ff",
                        MALFORMED_PACKET),
                rule(
                        "MQTT5-3.1.2-16 user name without its flag",
                        0,
                        "10 11 0004'MQTT' 05 02 003c 00 0001'a' 0001'u'",
                        MALFORMED_PACKET),
                rule(
                        "MQTT311-3.1.2-18 user name without its flag",
                        0,
                        "10 10 0004'MQTT' 04 02 003c 0001'a' 0001'u'",
                        MALFORMED_PACKET),
                rule(
                        "MQTT5-3.1.2-18 password without its flag",
                        0,
                        "10 14 0004'MQTT' 05 82 003c 00 0001'a' 0001'u' 0001'p'",
                        MALFORMED_PACKET),
                rule(
                        "MQTT311-3.1.2-20 password without its flag",
                        0,
                        "10 13 0004'MQTT' 04 82 003c 0001'a' 0001'u' 0001'p'",
                        MALFORMED_PACKET),
                rule("MQTT5-3.1.2-19 password missing", 0, CONNECT5 + "42 003c 00 0001'a'", MALFORMED_PACKET),
                rule(
                        "MQTT311-3.1.2-21 password missing",
                        0,
                        "10 10 0004'MQTT' 04 c2 003c 0001'a' 0001'u'",
                        MALFORMED_PACKET),
                rule(
                        "MQTT311-3.1.2-11 will without its flag",
                        0,
                        "10 13 0004'MQTT' 04 02 003c 0001'a' 0001'w' 0001'm'",
                        MALFORMED_PACKET),
                rule(
                        "MQTT5-4.7.3-1 empty will topic",
                        0,
                        "10 12 0004'MQTT' 05 06 003c 00 0000 00 0000 0000",
                        TOPIC_NAME_INVALID),
                rule(
                        "will topic has a wildcard",
                        0,
                        "10 12 0004'MQTT' 04 06 003c 0001'a' 0001'#' 0000",
                        TOPIC_NAME_INVALID));
    }

    static Stream<Arguments> connectProperties() {
        return Stream.of(
                connect("MQTT5-3.1.2.11.2 session expiry twice", "0a 1100000001 1100000001", PROTOCOL_ERROR),
                connect("MQTT5-3.1.2.11.3 receive maximum 0", "03 210000", PROTOCOL_ERROR),
                connect("MQTT5-3.1.2.11.3 receive maximum twice", "06 210001 210001", PROTOCOL_ERROR),
                connect("MQTT5-3.1.2.11.4 maximum packet size 0", "05 2700000000", PROTOCOL_ERROR),
                connect("MQTT5-3.1.2.11.4 maximum packet size twice", "0a 2700000001 2700000001", PROTOCOL_ERROR),
                connect("MQTT5-3.1.2.11.5 topic alias maximum twice", "06 220001 220001", PROTOCOL_ERROR),
                connect("MQTT5-3.1.2.11.6 request response information 2", "02 1902", PROTOCOL_ERROR),
                connect("MQTT5-3.1.2.11.6 request response information twice", "04 1901 1901", PROTOCOL_ERROR),
                connect("MQTT5-3.1.2.11.7 request problem information 2", "02 1702", PROTOCOL_ERROR),
                connect("MQTT5-3.1.2.11.7 request problem information twice", "04 1700 1700", PROTOCOL_ERROR),
                connect("MQTT5-3.1.2.11.9 authentication method twice", "08 150001'm' 150001'm'", PROTOCOL_ERROR),
                connect(
                        "MQTT5-3.1.2.11.10 authentication data twice",
                        "0c 150001'm' 160001'd' 160001'd'",
                        PROTOCOL_ERROR),
                connect("MQTT5-3.1.2.11.10 authentication data without method", "04 160001'd'", PROTOCOL_ERROR),
                connect("MQTT5-2.2.2.2 property of a PUBLISH", "02 0101", MALFORMED_PACKET),
                connect("MQTT5-2.2.2.2 unknown property 0x2B", "02 2b00", MALFORMED_PACKET),
                connect("MQTT5-2.2.2.2 unknown property 0x7F", "02 7f00", MALFORMED_PACKET),
                connect("MQTT5-2.2.2.2 unknown property of two bytes", "03 81010000", MALFORMED_PACKET),
                connect("value goes beyond the properties", "02 2100", MALFORMED_PACKET),
                connect("properties go beyond the packet", "7f", MALFORMED_PACKET),
                will("MQTT5-3.1.3.2.2 will delay twice", "0a 1800000001 1800000001", PROTOCOL_ERROR),
                will("MQTT5-3.1.3.2.3 payload format 2", "02 0102", PROTOCOL_ERROR),
                will("MQTT5-3.1.3.2.3 payload format twice", "04 0101 0101", PROTOCOL_ERROR),
                will("MQTT5-3.1.3.2.4 message expiry twice", "0a 0200000001 0200000001", PROTOCOL_ERROR),
                will("MQTT5-3.1.3.2.5 content type twice", "08 030001'a' 030001'a'", PROTOCOL_ERROR),
                will("MQTT5-3.1.3.2.6 response topic twice", "08 080001'a' 080001'a'", PROTOCOL_ERROR),
                will("MQTT5-3.1.3.2.7 correlation data twice", "08 090001'a' 090001'a'", PROTOCOL_ERROR),
                will("MQTT5-2.2.2.2 topic alias in a will", "03 230001", MALFORMED_PACKET),
                will("MQTT5-2.2.2.2 session expiry in a will", "05 1100000001", MALFORMED_PACKET));
    }

    @Clause({"MQTT5-2.2.1-3", "MQTT5-3.3.2-2", "MQTT311-2.3.1-1", "MQTT311-3.3.2-2", "MQTT311-4.7.3-1"})
    static Stream<Arguments> publishes() {
        return Stream.of(
                rule("MQTT5-3.3.2-2 multi-level wildcard", 5, "30 06 0003'a/#' 00", TOPIC_NAME_INVALID),
                rule("MQTT5-3.3.2-2 single-level wildcard", 5, "30 06 0003'+/a' 00", TOPIC_NAME_INVALID),
                rule("MQTT311-3.3.2-2 wildcard", 4, "30 05 0003'a/+'", TOPIC_NAME_INVALID),
                rule("MQTT5-3.3.2.1 neither topic nor alias", 5, "30 03 0000 00", PROTOCOL_ERROR),
                rule("MQTT311-4.7.3-1 empty topic", 4, "30 02 0000", TOPIC_NAME_INVALID),
                rule("MQTT5-2.2.1-3 packet identifier 0", 5, "32 06 0001'a' 0000 00", PROTOCOL_ERROR),
                rule("MQTT311-2.3.1-1 packet identifier 0", 4, "34 05 0001'a' 0000", PROTOCOL_ERROR),
                rule("packet identifier missing", 4, "32 03 0001'a'", MALFORMED_PACKET),
                rule("properties missing", 5, "30 03 0001'a'", MALFORMED_PACKET));
    }

    @Clause({"MQTT5-1.5.7-1", "MQTT5-3.3.2-8", "MQTT5-3.3.2-13", "MQTT5-3.3.2-14", "MQTT5-3.3.2-19", "MQTT5-3.3.4-6"})
    static Stream<Arguments> publishProperties() {
        return Stream.of(
                publish("MQTT5-3.3.2.3.2 payload format 2", "02 0102", PROTOCOL_ERROR),
                publish("MQTT5-3.3.2.3.2 payload format twice", "04 0101 0101", PROTOCOL_ERROR),
                publish("MQTT5-3.3.2.3.3 message expiry twice", "0a 0200000001 0200000001", PROTOCOL_ERROR),
                publish("MQTT5-3.3.2-8 topic alias 0", "03 230000", TOPIC_ALIAS_INVALID),
                publish("MQTT5-3.3.2.3.4 topic alias twice", "06 230001 230001", PROTOCOL_ERROR),
                publish("MQTT5-3.3.2-13 response topic not UTF-8", "04 080001 ff", MALFORMED_PACKET),
                publish("MQTT5-3.3.2-19 content type not UTF-8", "04 030001 ff", MALFORMED_PACKET),
                publish("MQTT5-3.3.2-14 response topic with wildcard", "04 080001'#'", PROTOCOL_ERROR),
                publish("MQTT5-3.3.2.3.5 response topic empty", "03 080000", PROTOCOL_ERROR),
                publish("MQTT5-3.3.2.3.5 response topic twice", "08 080001'a' 080001'a'", PROTOCOL_ERROR),
                publish("MQTT5-3.3.2.3.6 correlation data twice", "08 090001'a' 090001'a'", PROTOCOL_ERROR),
                publish("MQTT5-3.3.2.3.9 content type twice", "08 030001'a' 030001'a'", PROTOCOL_ERROR),
                publish("MQTT5-3.3.4-6 subscription identifier of a client", "02 0b01", PROTOCOL_ERROR),
                publish("MQTT5-2.2.2.2 reason string", "04 1f0001'a'", MALFORMED_PACKET),
                publish("MQTT5-2.2.2.2 property identifier 0", "02 0000", MALFORMED_PACKET),
                publish("MQTT5-1.5.7-1 U+0000 in a user property", "07 260001'a' 0001 00", MALFORMED_PACKET),
                publish("MQTT5-1.5.7 user property without a value", "04 260001'a'", MALFORMED_PACKET));
    }

    @Clause({
        "MQTT5-2.2.1-3",
        "MQTT5-3.8.3-1",
        "MQTT5-3.8.3-2",
        "MQTT5-3.8.3-4",
        "MQTT5-3.8.3-5",
        "MQTT5-3.10.3-1",
        "MQTT5-3.10.3-2",
        "MQTT5-4.7.1-1",
        "MQTT5-4.7.1-2",
        "MQTT5-4.7.3-1",
        "MQTT5-4.7.3-2",
        "MQTT5-4.8.2-1",
        "MQTT5-4.8.2-2",
        "MQTT311-2.3.1-1",
        "MQTT311-3.8.3-1",
        "MQTT311-3.8.3-3",
        "MQTT311-3-8.3-4",
        "MQTT311-3.10.3-1",
        "MQTT311-3.10.3-2",
        "MQTT311-4.7.1-2",
        "MQTT311-4.7.3-2"
    })
    static Stream<Arguments> subscribes() {
        return Stream.of(
                rule("MQTT5-3.8.3-2 no filter", 5, "82 03 0001 00", PROTOCOL_ERROR),
                rule("MQTT311-3.8.3-3 no filter", 4, "82 02 0001", PROTOCOL_ERROR),
                rule("MQTT5-3.8.3-1 filter not UTF-8", 5, "82 07 0001 00 0001 ff 00", MALFORMED_PACKET),
                rule("MQTT311-3.8.3-1 filter not UTF-8", 4, "82 06 0001 0001 ff 00", MALFORMED_PACKET),
                rule("MQTT5-4.7.3-2 U+0000 in a filter", 5, "82 07 0001 00 0001 00 00", MALFORMED_PACKET),
                rule("MQTT311-4.7.3-2 U+0000 in a filter", 4, "82 06 0001 0001 00 00", MALFORMED_PACKET),
                rule("MQTT5-3.10.3-1 filter not UTF-8", 5, "a2 06 0001 00 0001 ff", MALFORMED_PACKET),
                rule("MQTT311-3.10.3-1 filter not UTF-8", 4, "a2 05 0001 0001 ff", MALFORMED_PACKET),
                rule("MQTT5-2.2.1-3 packet identifier 0", 5, "82 07 0000 00 0001'a' 00", PROTOCOL_ERROR),
                rule("MQTT311-2.3.1-1 packet identifier 0", 4, "82 06 0000 0001'a' 00", PROTOCOL_ERROR),
                rule("MQTT5-3.8.3.1 QoS 3", 5, "82 07 0001 00 0001'a' 03", PROTOCOL_ERROR),
                rule("MQTT311-3-8.3-4 QoS 3", 4, "82 06 0001 0001'a' 03", PROTOCOL_ERROR),
                rule("QoS 3", 3, "82 06 0001 0001'a' 03", PROTOCOL_ERROR),
                rule("MQTT5-3.8.3-5 reserved option bit", 5, "82 07 0001 00 0001'a' 40", MALFORMED_PACKET),
                rule("MQTT311-3-8.3-4 reserved option bit", 4, "82 06 0001 0001'a' 04", MALFORMED_PACKET),
                rule("MQTT5-3.8.3.1 retain handling 3", 5, "82 07 0001 00 0001'a' 30", PROTOCOL_ERROR),
                rule("MQTT5-3.8.3-4 no local, shared", 5, "82 10 0001 00 000a'$share/g/a' 04", PROTOCOL_ERROR),
                rule("MQTT5-4.8.2-1 empty share name", 5, "82 0f 0001 00 0009'$share//a' 00", TOPIC_FILTER_INVALID),
                rule(
                        "MQTT5-4.8.2-2 wildcard in share name",
                        5,
                        "82 10 0001 00 000a'$share/+/a' 00",
                        TOPIC_FILTER_INVALID),
                rule("MQTT5-4.8.2-2 share without filter", 5, "82 0e 0001 00 0008'$share/g' 00", TOPIC_FILTER_INVALID),
                rule("MQTT5-4.7.1-1 '#' before the end", 5, "82 09 0001 00 0003'#/a' 00", TOPIC_FILTER_INVALID),
                rule("MQTT311-4.7.1-2 '#' within a level", 4, "82 07 0001 0002'a#' 00", TOPIC_FILTER_INVALID),
                rule("MQTT5-4.7.1-2 '+' within a level", 5, "82 08 0001 00 0002'a+' 00", TOPIC_FILTER_INVALID),
                rule("MQTT5-4.7.3-1 empty filter", 5, "82 06 0001 00 0000 00", TOPIC_FILTER_INVALID),
                rule("options missing", 5, "82 06 0001 00 0001'a'", MALFORMED_PACKET),
                rule("MQTT5-3.8.2.1.2 subscription identifier 0", 5, "82 09 0001 02 0b00 0001'a' 00", PROTOCOL_ERROR),
                rule("MQTT5-3.8.2.1.2 twice", 5, "82 0b 0001 04 0b01 0b01 0001'a' 00", PROTOCOL_ERROR),
                rule("MQTT5-1.5.5 of five bytes", 5, "82 0d 0001 06 0bffffffff7f 0001'a' 00", MALFORMED_PACKET),
                rule("MQTT5-3.10.3-2 no filter", 5, "a2 03 0001 00", PROTOCOL_ERROR),
                rule("MQTT311-3.10.3-2 no filter", 4, "a2 02 0001", PROTOCOL_ERROR),
                rule("MQTT5-4.7.3-1 empty filter", 5, "a2 05 0001 00 0000", TOPIC_FILTER_INVALID),
                rule("MQTT311-2.3.1-1 packet identifier 0", 4, "a2 05 0000 0001'a'", PROTOCOL_ERROR),
                rule("MQTT5-2.2.2.2 subscription identifier", 5, "a2 08 0001 02 0b01 0001'a'", MALFORMED_PACKET));
    }

    @Clause({"MQTT5-3.4.2-1", "MQTT5-3.5.2-1", "MQTT5-3.6.2-1", "MQTT5-3.7.2-1", "MQTT5-3.14.2-1", "MQTT5-3.15.2-1"})
    static Stream<Arguments> others() {
        return Stream.of(
                rule("packet identifier 0 in PUBACK", 5, "40 02 0000", PROTOCOL_ERROR),
                rule("packet identifier cut off", 4, "40 01 00", MALFORMED_PACKET),
                rule("MQTT5-3.4.2-1 reason of a PUBACK", 5, "40 03 0001 92", PROTOCOL_ERROR),
                rule("MQTT5-3.4.2-1 unknown reason", 5, "40 03 0001 55", PROTOCOL_ERROR),
                rule("MQTT5-3.5.2-1 reason of a PUBREC", 5, "50 03 0001 01", PROTOCOL_ERROR),
                rule("MQTT5-3.6.2-1 reason of a PUBREL", 5, "62 03 0001 80", PROTOCOL_ERROR),
                rule("MQTT5-3.7.2-1 reason of a PUBCOMP", 5, "70 03 0001 10", PROTOCOL_ERROR),
                rule("MQTT5-3.4.2.2.2 reason string twice", 5, "40 0c 0001 00 08 1f0001'a' 1f0001'a'", PROTOCOL_ERROR),
                rule("MQTT5-2.2.2.2 content type in a PUBACK", 5, "40 08 0001 00 04 030001'a'", MALFORMED_PACKET),
                rule("MQTT5-3.14.2-1 reason of a DISCONNECT", 5, "e0 01 10", PROTOCOL_ERROR),
                rule("MQTT5-3.14.2-1 a server's reason", 5, "e0 01 8e", PROTOCOL_ERROR),
                rule("MQTT5-3.14.2.2.2 session expiry twice", 5, "e0 0c 00 0a 1100000001 1100000001", PROTOCOL_ERROR),
                rule("a body before 5.0", 4, "e0 01 00", MALFORMED_PACKET),
                rule("MQTT5-3.15.2-1 reason of an AUTH", 5, "f0 06 80 04 150001'm'", PROTOCOL_ERROR),
                rule("MQTT5-3.15.2.2.2 method missing", 5, "f0 02 18 00", PROTOCOL_ERROR),
                rule("MQTT5-3.15.2.2.2 method twice", 5, "f0 0a 18 08 150001'm' 150001'm'", PROTOCOL_ERROR),
                rule("MQTT5-3.15.2.1 reason alone", 5, "f0 01 18", MALFORMED_PACKET));
    }

    static Stream<Arguments> allowed() {
        return Stream.of(
                rule("MQTT5-3.1.3-6 empty client identifier", 0, "10 0d 0004'MQTT' 05 00 003c 00 0000"),
                rule("MQTT5-3.1.2.9 password without user name", 0, "10 10 0004'MQTT' 05 42 003c 00 0000 0001'p'"),
                rule("MQTT311-3.1.3-7 empty client identifier, clean session", 0, "10 0c 0004'MQTT' 04 02 003c 0000"),
                rule("MQTT 3.1 flag of a user name that is missing", 0, "10 0f 0006'MQIsdp' 03 82 003c 0001'a'"),
                rule("MQTT 3.1 unused connect flags", 0, "10 0f 0006'MQIsdp' 03 2b 003c 0001'a'"),
                rule("MQTT 3.1 PUBREL as a duplicate", 3, "6a 02 0001"),
                rule("MQTT 3.1 unused flags", 3, "41 02 0001"),
                rule("MQTT 3.1 DUP at QoS 0", 3, "38 03 0001'a'"),
                rule("MQTT 3.1.1 padded length", 4, "c0 8000"),
                rule(
                        "client identifier of 24 characters",
                        0,
                        "10 26 0006'MQIsdp' 03 02 003c 0018'abcdefghijklmnopqrstuvwx'"),
                rule("MQTT5-1.5.4 control character and noncharacter", 5, "30 08 0005 01 7f efbfbf 00"),
                rule("MQTT5-1.5.4-3 U+FEFF", 5, "30 06 0003 efbbbf 00"),
                rule("largest code point", 5, "30 07 0004 f48fbfbf 00"),
                rule("MQTT5-3.3.2.3.4 topic alias without topic", 5, "30 06 0000 03 230001"),
                rule("payload of no byte", 4, "30 03 0001'a'"),
                rule("MQTT5-3.3.2.3.7 user property twice, empty name", 5, "30 0e 0001'a' 0a 2600000000 2600000000"),
                rule("MQTT5-3.4.2.1 PUBACK without reason", 5, "40 02 0001"),
                rule("MQTT5-3.4.2.2.1 PUBACK without properties", 5, "40 03 0001 10"),
                rule("PUBACK with empty properties", 5, "40 04 0001 00 00"),
                rule("MQTT5-3.14.2.1 DISCONNECT without reason", 5, "e0 00"),
                rule("MQTT5-3.14.2.2.1 DISCONNECT without properties", 5, "e0 01 04"),
                rule("MQTT5-3.15.2.1 AUTH of no byte", 5, "f0 00"),
                rule("MQTT5-3.8.3.1 all options", 5, "82 07 0001 00 0001'a' 2e"),
                rule("largest subscription identifier", 5, "82 0c 0001 05 0bffffff7f 0001'a' 00"));
    }

    static Stream<Arguments> fromServers() {
        return Stream.of(
                rule("MQTT5-3.2.2-1 reserved acknowledge flag", 5, "20 03 02 00 00", MALFORMED_PACKET),
                rule("MQTT5-3.2.2-6 session present with an error", 5, "20 03 01 87 00", PROTOCOL_ERROR),
                rule("MQTT311-3.2.2-4 session present with an error", 4, "20 02 01 05", PROTOCOL_ERROR),
                rule("MQTT311 return code 6", 4, "20 02 00 06", PROTOCOL_ERROR),
                rule("MQTT5-3.2.2-8 reason of a CONNACK", 5, "20 03 00 10 00", PROTOCOL_ERROR),
                rule("MQTT5-3.2.2.3.4 maximum QoS 2", 5, "20 05 00 00 02 2402", PROTOCOL_ERROR),
                rule("MQTT5-3.2.2.3.3 receive maximum 0", 5, "20 06 00 00 03 210000", PROTOCOL_ERROR),
                rule("MQTT5-3.9.3-2 reason of a SUBACK", 5, "90 04 0001 00 10", PROTOCOL_ERROR),
                rule("MQTT311-3.9.3-2 return code 3", 4, "90 03 0001 03", PROTOCOL_ERROR),
                rule("MQTT5-3.11.3-2 reason of an UNSUBACK", 5, "b0 04 0001 00 01", PROTOCOL_ERROR),
                rule("MQTT5-3.14.2-2 session expiry", 5, "e0 07 00 05 1100000001", PROTOCOL_ERROR),
                rule("MQTT5-3.14.2-1 will reason", 5, "e0 01 04", PROTOCOL_ERROR),
                rule("MQTT5-3.3.2.3.8 subscription identifier 0", 5, "30 06 0001'a' 02 0b00", PROTOCOL_ERROR),
                rule("a server sends no SUBSCRIBE", 4, "82 06 0001 0001'a' 00", PROTOCOL_ERROR),
                rule("a server sends no DISCONNECT before 5.0", 4, "e0 00", PROTOCOL_ERROR));
    }

    private static Arguments rule(Object... rule) {
        return Arguments.of(rule);
    }

    /** A CONNECT of MQTT 5.0 with these properties. */
    private static Arguments connect(String clause, String properties, ReasonCode expected) {
        String body = "0004'MQTT' 05 02 003c " + properties + " 0001'a'";
        return rule(clause, 0, "10" + length(body) + body, expected);
    }

    /** A CONNECT of MQTT 5.0 with these will properties. */
    private static Arguments will(String clause, String properties, ReasonCode expected) {
        String body = "0004'MQTT' 05 06 003c 00 0001'a' " + properties + " 0001'w' 0000";
        return rule(clause, 0, "10" + length(body) + body, expected);
    }

    /** A PUBLISH of MQTT 5.0 with these properties. */
    private static Arguments publish(String clause, String properties, ReasonCode expected) {
        String body = "0001't' " + properties + " 'payload'";
        return rule(clause, 5, "30" + length(body) + body, expected);
    }

    private static String length(String body) {
        return String.format(" %02x ", Frames.bytes(body).length);
    }
}
