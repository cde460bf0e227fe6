package io.godwit.it;

import static io.godwit.it.wire.Hex.bytes;
import static io.godwit.it.wire.Hex.frame;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.PacketWriter;
import io.godwit.it.wire.Properties;
import io.godwit.it.wire.RawConnection;
import io.godwit.mqtt.certificates.TestAuthority;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever a client sends: the broker gives the answer that there is for it, closes the connection and counts it. Its
 * log takes no stack trace and no line for each such client, and others are served meanwhile.
 */
class MalformedInputTest {
    private static final int MALFORMED = 0x81;
    private static final int PROTOCOL_ERROR = 0x82;
    private static final int UNSUPPORTED_VERSION = 0x84;
    private static final int TOPIC_FILTER_INVALID = 0x8F;
    private static final int TOPIC_NAME_INVALID = 0x90;
    private static final int TOPIC_ALIAS_INVALID = 0x94;
    private static final int PACKET_TOO_LARGE = 0x95;
    private static final int NO_ANSWER = -1;

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Pattern TOTAL = Pattern.compile("events kind=protocol-violations count=\\d+ total=(\\d+)");
    private static final TestAuthority AUTHORITY = new TestAuthority("root");

    private final SoftAssertions softly = new SoftAssertions();
    private final InetSocketAddress tls = Ports.free();
    private final InetSocketAddress webSocket = Ports.free();

    @TempDir
    private Path directory;

    private InetSocketAddress tcp;
    private TestClient bystander;
    private int violations;

    MalformedInputTest() throws IOException {}

    @Test
    @Tag("full")
    void whateverAClientSendsOthersAreServedAndTheLogStaysShort() throws Exception {
        TestAuthority.write(directory, "server", AUTHORITY.issue("CN=server"));
        try (BrokerProcess broker = new BrokerProcess(directory)
                .mqttSetting(
                        "tlsListener",
                        "{port: " + tls.getPort() + ", sslConfig: {certFile: server.crt, keyFile: server.key}}")
                .mqttSetting("wsListener", "{port: " + webSocket.getPort() + "}")) {
            broker.start();
            int before = logged(broker).size();
            tcp = broker.address();
            bystander = new TestClient(ClientConfig.of(tcp, "bystander", 5));
            try (TestClient serving = bystander) {
                serving.connect();
                serving.subscribe("bystander", 1);
                wrongPackets();
                wrongConnects();
                noMqttAtAll();
                wrongOverTls();
                wrongOverWebSocket();
                halfPackets();
                serving.disconnect();
            }
            broker.stop();
            judge(logged(broker), before);
        }
        softly.assertAll();
    }

    // ---- a connected client

    private void wrongPackets() throws Exception {
        both("packet type 0", MALFORMED, frame("00"));
        both("a second CONNECT", PROTOCOL_ERROR, frame("10 0004 'MQTT' 04 02 0000 0001 'c'"));
        for (String server : List.of("20 0000", "90 000100", "B0 0001", "D0")) {
            both("a server's packet " + server, PROTOCOL_ERROR, frame(server));
        }
        for (String flags : List.of("41", "51", "60", "63", "71")) {
            both("flags " + flags, MALFORMED, frame(flags + " 0001"));
        }
        both("flags of SUBSCRIBE", MALFORMED, frame("80 0001 0001 'a' 00"));
        both("flags of UNSUBSCRIBE", MALFORMED, frame("A0 0001 0001 'a'"));
        both("flags of PINGREQ", MALFORMED, frame("C1"));
        both("flags of DISCONNECT", MALFORMED, frame("E1"));
        both("PINGREQ with a body", MALFORMED, frame("C0 00"));
        both("a length of five bytes", MALFORMED, bytes("30 FFFFFFFF01"));
        both("more than is allowed", PACKET_TOO_LARGE, bytes("30 FFFFFF7F"));
        both("PUBLISH of QoS 3", MALFORMED, frame("36 0001 'a' 0001 00"));
        both("PUBLISH of QoS 0 with DUP", MALFORMED, frame("38 0001 'a' 00"));
        both("PUBLISH with packet id 0", PROTOCOL_ERROR, frame("32 0001 'a' 0000 00"));
        both("PUBLISH to a wildcard", TOPIC_NAME_INVALID, frame("30 0003 'a/#' 00"));
        both("a topic that is not UTF-8", MALFORMED, frame("30 0002 C080 00"));
        both("a topic with a surrogate", MALFORMED, frame("30 0003 EDA080 00"));
        both("a topic with U+0000", MALFORMED, frame("30 0001 00 00"));
        both("a topic beyond the packet", MALFORMED, frame("30 FFFF 'a'"));
        both("PUBLISH with half a length", MALFORMED, frame("30 00"));
        both("PUBLISH with half a packet id", MALFORMED, frame("34 0001 'a' 00"));
        for (String ack : List.of("40", "50", "62", "70", "82", "A2")) {
            both("half a packet id " + ack, MALFORMED, frame(ack + " 01"));
            both("packet id 0 " + ack, PROTOCOL_ERROR, frame(ack + " 0000 0001 'a' 00"));
        }
        only5("a length longer than needed", MALFORMED, bytes("C0 8000"));
        only5("PUBLISH without topic and alias", PROTOCOL_ERROR, frame("30 0000 00"));
        only5("topic alias 0", TOPIC_ALIAS_INVALID, frame("30 0001 'a' 03 23 0000"));
        only5("a topic alias too large", TOPIC_ALIAS_INVALID, frame("30 0001 'a' 03 23 FFFF"));
        only5("an unknown topic alias", PROTOCOL_ERROR, frame("30 0000 03 23 0001"));
        only5("an unknown property", MALFORMED, frame("30 0001 'a' 02 7F 00"));
        only5("another packet's property", MALFORMED, frame("30 0001 'a' 05 11 00000001"));
        only5("a property twice", PROTOCOL_ERROR, frame("30 0001 'a' 0A 02 00000001 02 00000001"));
        only5("properties beyond the packet", MALFORMED, frame("30 0001 'a' 7F 01 00"));
        only5("a property beyond the properties", MALFORMED, frame("30 0001 'a' 02 02 00000001"));
        only5("properties with a length of five bytes", MALFORMED, frame("30 0001 'a' FFFFFFFF01"));
        only5("payload format 2", PROTOCOL_ERROR, frame("30 0001 'a' 02 01 02"));
        only5("a user property that is not UTF-8", MALFORMED, frame("30 0001 'a' 07 26 0001 FF 0001 'v'"));
        only5("a client's subscription id", PROTOCOL_ERROR, frame("30 0001 'a' 02 0B 01"));
        for (String ack : List.of("40", "50", "62", "70")) {
            only5("an unknown reason " + ack, PROTOCOL_ERROR, frame(ack + " 0001 7E"));
            only5("bytes behind the end " + ack, MALFORMED, frame(ack + " 0001 00 00 00"));
        }
        only5("SUBSCRIBE without filter", PROTOCOL_ERROR, frame("82 0001 00"));
        only5("SUBSCRIBE without options", MALFORMED, frame("82 0001 00 0001 'a'"));
        only5("SUBSCRIBE for QoS 3", PROTOCOL_ERROR, frame("82 0001 00 0001 'a' 03"));
        only5("SUBSCRIBE with reserved bits", MALFORMED, frame("82 0001 00 0001 'a' C0"));
        only5("retain handling 3", PROTOCOL_ERROR, frame("82 0001 00 0001 'a' 30"));
        only5("no local of a shared subscription", PROTOCOL_ERROR, frame("82 0001 00 000A '$share/g/a' 04"));
        only5("subscription id 0", PROTOCOL_ERROR, frame("82 0001 02 0B00 0001 'a' 00"));
        only5("a filter that is not UTF-8", MALFORMED, frame("82 0001 00 0002 C080 00"));
        only5("# in the midst of a filter", TOPIC_FILTER_INVALID, frame("82 0001 00 0005 'a/#/b' 00"));
        only5("UNSUBSCRIBE without filter", PROTOCOL_ERROR, frame("A2 0001 00"));
        only5("DISCONNECT for no known reason", PROTOCOL_ERROR, frame("E0 01"));
        only5("a session expiry after none", PROTOCOL_ERROR, frame("E0 00 05 11 00000001"));
        only5("flags of AUTH", MALFORMED, frame("F1 18 00"));
        only5("AUTH without method", PROTOCOL_ERROR, frame("F0 18 00"));
        only4("AUTH", frame("F0 18 00"));
        only4("SUBSCRIBE without filter", frame("82 0001"));
        only4("SUBSCRIBE for QoS 3", frame("82 0001 0001 'a' 03"));
        only4("SUBSCRIBE with options of 5.0", frame("82 0001 0001 'a' 04"));
        only4("bytes behind a PUBACK", frame("40 0001 00"));
        only4("bytes behind a DISCONNECT", frame("E0 00"));
        only4("UNSUBSCRIBE without filter", frame("A2 0001"));
    }

    private void both(String what, int code, byte[] packet) throws Exception {
        only5(what, code, packet);
        only4(what, packet);
    }

    private void only5(String what, int code, byte[] packet) throws Exception {
        try (RawConnection client = connected(5)) {
            client.send(packet);
            softly.assertThat(codeOf(client.read())).as("5.0, %s", what).isEqualTo(code);
            softly.assertThat(client.read())
                    .as("behind the DISCONNECT of %s", what)
                    .isNull();
        }
        wasWrong();
    }

    private void only4(String what, byte[] packet) throws Exception {
        try (RawConnection client = connected(4)) {
            client.send(packet);
            softly.assertThat(client.read()).as("3.1.1, %s", what).isNull();
        }
        wasWrong();
    }

    private RawConnection connected(int version) throws IOException {
        RawConnection client = new RawConnection(tcp, version);
        client.send(new Packet.Connect(version, "wrong", true, 0, Properties.NONE, null));
        assertThat(codeOf(client.read())).isZero();
        return client;
    }

    /** The code of a CONNACK or DISCONNECT; {@link #NO_ANSWER} at the end of the connection. */
    private static int codeOf(@Nullable Packet packet) {
        if (packet instanceof Packet.Connack connack) {
            return connack.code();
        }
        assertThat(packet)
                .satisfiesAnyOf(
                        nothing -> assertThat(nothing).isNull(),
                        answer -> assertThat(answer).isInstanceOf(Packet.Disconnect.class));
        return packet instanceof Packet.Disconnect disconnect ? disconnect.code() : NO_ANSWER;
    }

    // ---- a client that does not get that far

    private void wrongConnects() throws Exception {
        refused("another protocol", 5, NO_ANSWER, frame("10 0004 'MQTX' 05 02 0000 00 0001 'c'"));
        refused("an empty protocol name", 5, NO_ANSWER, frame("10 0000 05 02 0000 00 0001 'c'"));
        refused("a newer version", 5, UNSUPPORTED_VERSION, frame("10 0004 'MQTT' 06 02 0000 00 0001 'c'"));
        refused("an older version", 4, 1, frame("10 0004 'MQTT' 03 02 0000 0001 'c'"));
        refused("the name of 3.1 with another level", 4, 1, frame("10 0006 'MQIsdp' 04 02 0000 0001 'c'"));
        refused("the reserved flag", 5, MALFORMED, frame("10 0004 'MQTT' 05 03 0000 00 0001 'c'"));
        refused("the reserved flag", 4, NO_ANSWER, frame("10 0004 'MQTT' 04 03 0000 0001 'c'"));
        refused("will QoS 3", 5, MALFORMED, frame("10 0004 'MQTT' 05 1E 0000 00 0001 'c' 00 0001 't' 0000"));
        refused("will QoS without will", 5, MALFORMED, frame("10 0004 'MQTT' 05 0A 0000 00 0001 'c'"));
        refused("a will that is not there", 5, MALFORMED, frame("10 0004 'MQTT' 05 06 0000 00 0001 'c'"));
        refused("a user that is not there", 4, NO_ANSWER, frame("10 0004 'MQTT' 04 82 0000 0001 'c'"));
        refused("a password without user", 4, NO_ANSWER, frame("10 0004 'MQTT' 04 42 0000 0001 'c' 0001 'p'"));
        refused("a wildcard in the will", 5, 0x90, frame("10 0004 'MQTT' 05 06 0000 00 0001 'c' 00 0001 '#' 0000"));
        refused("an unknown property", 5, MALFORMED, frame("10 0004 'MQTT' 05 02 0000 02 7F00 0001 'c'"));
        refused("receive maximum 0", 5, PROTOCOL_ERROR, frame("10 0004 'MQTT' 05 02 0000 03 210000 0001 'c'"));
        refused(
                "receive maximum twice",
                5,
                PROTOCOL_ERROR,
                frame("10 0004 'MQTT' 05 02 0000 06 210001 210001 0001 'c'"));
        refused("maximum packet size 0", 5, PROTOCOL_ERROR, frame("10 0004 'MQTT' 05 02 0000 05 2700000000 0001 'c'"));
        refused(
                "authentication data without method",
                5,
                PROTOCOL_ERROR,
                frame("10 0004 'MQTT' 05 02 0000 04 16 0001 'x' 0001 'c'"));
        refused("a client id that is not UTF-8", 5, MALFORMED, frame("10 0004 'MQTT' 05 02 0000 00 0001 FF"));
        refused("a client id that is not UTF-8", 4, NO_ANSWER, frame("10 0004 'MQTT' 04 02 0000 0001 FF"));
        refused("no client id for a session that stays", 4, 2, frame("10 0004 'MQTT' 04 00 0000 0000"));
        refused("a field beyond the packet", 5, MALFORMED, frame("10 0004 'MQTT' 05 02 0000 00 0009 'c'"));
        refused("bytes behind the end", 5, MALFORMED, frame("10 0004 'MQTT' 05 02 0000 00 0001 'c' 00"));
        refused("bytes behind the end", 4, NO_ANSWER, frame("10 0004 'MQTT' 04 02 0000 0001 'c' 00"));
        byte[] whole = frame("10 0004 'MQTT' 05 02 0000 00 0001 'c'");
        for (int length = 0; length < whole.length - 2; length++) { // a packet that says it ends here
            byte[] cut = Arrays.copyOf(whole, length + 2);
            cut[1] = (byte) length;
            refused("a CONNECT of " + length + " bytes", 5, length < 7 ? NO_ANSWER : MALFORMED, cut);
        }
    }

    private void refused(String what, int version, int code, byte[] sent) throws Exception {
        try (RawConnection client = new RawConnection(tcp, version)) {
            client.send(sent);
            softly.assertThat(codeOf(client.read()))
                    .as("%s, version %d", what, version)
                    .isEqualTo(code);
            softly.assertThat(code == NO_ANSWER ? null : client.read())
                    .as("behind the CONNACK for %s", what)
                    .isNull();
        }
        wasWrong();
    }

    private void noMqttAtAll() throws Exception {
        for (byte[] sent : strangers()) {
            closed("plain", new Socket(tcp.getAddress(), tcp.getPort()), sent);
        }
    }

    /**
     * What other protocols begin with, and noise; nothing of it a CONNECT, a TLS record or an HTTP request that a
     * WebSocket begins with.
     */
    private static List<byte[]> strangers() {
        List<byte[]> all = new ArrayList<>(List.of(
                ascii("SSH-2.0-OpenSSH_9.6"),
                ascii("PROXY TCP4 192.0.2.1 192.0.2.2 1 2"),
                ascii("PRI * HTTP/2.0\r\n\r\nSM"),
                bytes("0D0A0D0A000D0A515549540A 2111000C 01020304 01020304 0001 0002"), // PROXY, version 2
                bytes("10 FFFFFFFF7F"),
                bytes("10 FFFFFF7F 0004 'MQTT' 05"),
                bytes("1F 0D 0004 'MQTT' 05 02 0000 00 0001 'c'"),
                bytes("C0 00"),
                bytes("30 05 0001 'a' 00 00"),
                new byte[70_000]));
        Random random = new Random(1);
        for (int i = 0; i < 10; i++) {
            byte[] noise = new byte[1 + random.nextInt(5_000)];
            random.nextBytes(noise);
            noise[0] = (byte) (0x80 | random.nextInt(0x80));
            all.add(noise);
        }
        byte[] end = bytes("0D0A 0D0A"); // so that it is whole, if it were HTTP
        return all.stream().map(sent -> joined(sent, end)).toList();
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    /** The socket is closed by the broker. */
    private byte[] closed(String what, Socket socket, byte[] sent) throws Exception {
        try (RawConnection client = new RawConnection(socket, 5)) {
            client.send(sent);
            return client.readToEnd();
        } catch (SSLException | java.net.SocketException e) {
            return new byte[0]; // closed as well
        } catch (java.net.SocketTimeoutException e) {
            softly.fail("%s: not closed, %s", what, new String(sent, StandardCharsets.US_ASCII));
            return new byte[0];
        } finally {
            wasWrong();
        }
    }

    // ---- TLS

    private void wrongOverTls() throws Exception {
        closed("plain MQTT", socket(tls), PacketWriter.bytes(connect(), 5));
        closed("plain HTTP", socket(tls), ascii("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
        closed("half a hello", socket(tls), bytes("16 0301 0005 01000001 00"));
        closed("a record of noise", socket(tls), bytes("16 0303 0004 DEADBEEF"));
        closed("data before the handshake", socket(tls), bytes("17 0303 0004 DEADBEEF"));
        for (byte[] sent : strangers()) {
            closed("on TLS", socket(tls), sent);
        }
        closed("TLS on the plain port", socket(tcp), bytes("16 0301 0005 01000001 00"));
        closed("HTTP on the plain port", socket(tcp), ascii("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));

        SSLSocketFactory sockets = AUTHORITY.clientContext(null).getSocketFactory();
        SSLSocket secure = (SSLSocket) sockets.createSocket(tls.getAddress(), tls.getPort());
        try (RawConnection client = new RawConnection(secure, 5)) {
            client.send(connect());
            assertThat(codeOf(client.read())).isZero();
            client.send(frame("C1"));
            softly.assertThat(codeOf(client.read())).as("over TLS").isEqualTo(MALFORMED);
            softly.assertThat(client.readToEnd()).as("over TLS").isEmpty();
        }
        wasWrong();
    }

    // ---- WebSocket

    private static final String UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
    private static final String KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    private static final String MQTT = "Sec-WebSocket-Protocol: mqtt\r\n";

    private void wrongOverWebSocket() throws Exception {
        for (byte[] sent : strangers()) {
            closed("on WebSocket", socket(webSocket), sent);
        }
        closed("plain MQTT", socket(webSocket), PacketWriter.bytes(connect(), 5));
        answered(404, "GET / HTTP/1.1\r\nHost: x\r\n" + UPGRADE + KEY + MQTT + "\r\n");
        answered(405, "POST /mqtt HTTP/1.1\r\nHost: x\r\n" + UPGRADE + KEY + MQTT + "\r\n");
        answered(426, "GET /mqtt HTTP/1.1\r\nHost: x\r\n\r\n");
        answered(400, "GET /mqtt HTTP/1.1\r\nHost: x\r\n" + UPGRADE + KEY + "\r\n");
        answered(400, "GET /mqtt HTTP/1.1\r\nHost: x\r\n" + UPGRADE + "Sec-WebSocket-Key: x\r\n" + MQTT + "\r\n");
        answered(400, "GET /mqtt HTTP/1.1\r\nContent-Length: 1\r\n" + UPGRADE + KEY + MQTT + "\r\nx");
        answered(414, "GET /" + "x".repeat(10_000) + " HTTP/1.1\r\n\r\n");
        answered(431, "GET /mqtt HTTP/1.1\r\nX: " + "x".repeat(10_000) + "\r\n\r\n");
        framed("not masked", 1002, "82 02 C000");
        framed("text", 1003, "81 80 00000000");
        framed("reserved bits", 1002, "F2 80 00000000");
        framed("a reserved opcode", 1002, "83 80 00000000");
        framed("a ping of 126 bytes", 1002, "89 FE 007E 00000000");
        framed("a continuation of nothing", 1002, "80 80 00000000");
        framed("a negative length", 1002, "82 FF FFFFFFFFFFFFFFFF 00000000");
        framed("no CONNECT first", 1000, "82 82 00000000 C000");
    }

    private void answered(int status, String request) throws Exception {
        String answer = text(closed("HTTP, to be answered " + status, socket(webSocket), ascii(request)));
        softly.assertThat(answer).as("%.60s", request).startsWith("HTTP/1.1 " + status + ' ');
    }

    /** @param frame behind a proper upgrade; answered by a Close frame of this status */
    private void framed(String what, int status, String frame) throws Exception {
        try (RawConnection client = new RawConnection(socket(webSocket), 5)) {
            client.send(ascii("GET /mqtt HTTP/1.1\r\nHost: x\r\n" + UPGRADE + KEY + MQTT + "\r\n"));
            client.send(joined(bytes(frame), bytes("88 80 00000000"))); // and the client's own Close
            byte[] answer = client.readToEnd();
            softly.assertThat(text(answer)).as(what).startsWith("HTTP/1.1 101 ");
            softly.assertThat(Arrays.copyOfRange(answer, answer.length - 4, answer.length))
                    .as(what)
                    .isEqualTo(bytes(String.format("8802%04x", status)));
        }
        wasWrong();
    }

    // ---- what is not whole: nobody's fault

    private void halfPackets() throws Exception {
        byte[] connect = PacketWriter.bytes(connect(), 5);
        for (int length = 0; length < connect.length; length++) {
            try (RawConnection client = new RawConnection(tcp, 5)) {
                client.send(Arrays.copyOf(connect, length));
                client.endOutput();
                softly.assertThat(client.read())
                        .as("CONNECT until byte %d", length)
                        .isNull();
            }
        }
        byte[] publish = frame("32 0001 'a' 0001 00 'payload'");
        for (int length = 0; length < publish.length; length++) {
            try (RawConnection client = connected(5)) {
                client.send(Arrays.copyOf(publish, length));
                client.endOutput();
                softly.assertThat(client.read())
                        .as("PUBLISH until byte %d", length)
                        .isNull();
            }
        }
        served();
    }

    // ---- and then

    private void wasWrong() throws Exception {
        violations++;
        served();
    }

    private void served() throws Exception {
        String payload = "after " + violations;
        assertThat(bystander.publish("bystander", payload, 1).get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isNotNull();
        Packet.Publish message = bystander.next(PATIENCE);
        assertThat(message).isNotNull();
        assertThat(text(message.payload())).isEqualTo(payload);
    }

    private void judge(List<String> lines, int before) {
        List<String> said = lines.subList(before, lines.size());
        softly.assertThat(said).noneMatch(line -> line.matches("\\s+at .*|.*Exception.*"));
        softly.assertThat(said)
                .filteredOn(line -> line.contains(" WARN ") || line.contains(" ERROR "))
                .allMatch(line -> line.contains("events kind="));
        softly.assertThat(said).hasSizeLessThan(violations / 2);
        long counted = said.stream()
                .map(TOTAL::matcher)
                .filter(Matcher::find)
                .mapToLong(found -> Long.parseLong(found.group(1)))
                .max()
                .orElse(0);
        softly.assertThat(counted).as("the metrics count each violation").isEqualTo(violations);
    }

    /** What the process has printed is there to the end of its start, and then its log. */
    private static List<String> logged(BrokerProcess broker) throws IOException {
        List<String> lines = new ArrayList<>(Files.readAllLines(broker.log().resolve("start.log")));
        lines.addAll(Files.readAllLines(broker.log().resolve("godwit.log")));
        return lines;
    }

    private static Packet.Connect connect() {
        return new Packet.Connect(5, "wrong", true, 0, Properties.NONE, null);
    }

    private static Socket socket(InetSocketAddress address) throws IOException {
        return new Socket(address.getAddress(), address.getPort());
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
