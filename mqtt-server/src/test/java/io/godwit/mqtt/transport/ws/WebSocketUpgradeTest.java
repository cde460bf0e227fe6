package io.godwit.mqtt.transport.ws;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.mqtt.codec.PacketDecoder;
import io.godwit.mqtt.transport.config.ListenerConfig;
import io.godwit.mqtt.transport.config.ListenerLimits;
import io.godwit.mqtt.transport.limit.Bans;
import io.godwit.mqtt.transport.limit.HalfReceived;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.report.MqttMetrics;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.mqtt.transport.socket.ListenerScope;
import io.godwit.mqtt.transport.socket.MqttConnection;
import io.godwit.plugin.event.BrokerEvent;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The HTTP request that opens a WebSocket, byte for byte. */
class WebSocketUpgradeTest {
    /** The key and its answer are the example of RFC 6455, 1.3. */
    private static final String REQUEST = """
            GET /mqtt?token=1 HTTP/1.1\r
            Host: broker\r
            Upgrade: WebSocket\r
            Connection: keep-alive, Upgrade\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Protocol: chat, mqtt\r
            \r
            """;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final LoopContext loop = new LoopContext(0, channel.eventLoop());
    private final MqttConnection connection;
    private final List<BrokerEvent> events = new ArrayList<>();

    WebSocketUpgradeTest() {
        loop.bindToCurrentThread();
        ListenerConfig config = new ListenerConfig(
                new InetSocketAddress(0),
                new ListenerLimits(1024, 0, 0, Duration.ofSeconds(3), 0, 0, 0, 0),
                null,
                "/mqtt",
                List.of());
        connection = new MqttConnection(
                channel,
                loop,
                new ListenerScope(
                        config,
                        new MqttReports(new MqttMetrics(new SimpleMeterRegistry()), events::add),
                        HalfReceived.UNLIMITED,
                        Bans.NONE),
                PacketDecoder.forServer(1024),
                () -> {});
        channel.pipeline()
                .addLast(
                        WebSocketUpgrade.newHttpCodec(),
                        new WebSocketUpgrade("/mqtt", config.origins(), connection, connection::violated),
                        connection);
        channel.pipeline().fireChannelActive();
    }

    @AfterEach
    void finish() {
        channel.finishAndReleaseAll();
    }

    private String answer(String request) {
        channel.writeInbound(Unpooled.copiedBuffer(request, StandardCharsets.ISO_8859_1));
        channel.runPendingTasks();
        StringBuilder text = new StringBuilder();
        for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            text.append(part.toString(StandardCharsets.ISO_8859_1));
            part.release();
        }
        return text.toString();
    }

    @Test
    @Clause({"MQTT5-6.0.0-4", "MQTT311-6.0.0-4"})
    void aRequestForMqttIsTakenUp() {
        assertThat(answer(REQUEST).lines())
                .startsWith("HTTP/1.1 101 Switching Protocols")
                .contains("sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "sec-websocket-protocol: mqtt");
        assertThat(channel.pipeline().get(HttpServerCodec.class)).isNull();
        assertThat(channel.pipeline().get(WebSocketUpgrade.class)).isNull();
        assertThat(channel.pipeline().get(WebSocketFrames.class)).isNotNull();
        assertThat(connection.isOpen()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1:8083, http://10.0.0.1:8080, 101",
        "10.0.0.1:8083, http://10.0.0.2, 403",
        "broker, http://broker:8080, 403",
        "broker, http://evil, 403"
    })
    void aPageOfTheSameHostIsTakenUpAndNoOther(String host, String origin, int status) {
        String request = REQUEST.replace("Host: broker", "Host: " + host + "\r\nOrigin: " + origin);
        assertThat(answer(request)).startsWith("HTTP/1.1 " + status + " ");
        assertThat(connection.isOpen()).isEqualTo(status == 101);
    }

    /** The browser has found it in the certificate. */
    @Test
    void aHostNameIsBelievedOverTls() throws Exception {
        SSLEngine engine = SSLContext.getDefault().createSSLEngine();
        engine.setUseClientMode(false);
        channel.pipeline().addFirst("tls", new SslHandler(engine));
        String request = REQUEST.replace("Host: broker", "Host: broker\r\nOrigin: https://broker");
        channel.pipeline()
                .context("tls") // as if it had been decrypted
                .fireChannelRead(Unpooled.copiedBuffer(request, StandardCharsets.US_ASCII));
        assertThat(connection.isOpen()).isTrue();
        assertThat(channel.pipeline().get(WebSocketFrames.class)).isNotNull();
        channel.finishAndReleaseAll();
    }

    /** The older name of the subprotocol is for those who do not know the other. */
    @ParameterizedTest
    @CsvSource({"mqttv3.1, mqttv3.1", "'mqttv3.1, mqtt', mqtt", "'mqtt,mqttv3.1', mqtt"})
    @Clause({"MQTT5-6.0.0-4", "MQTT311-6.0.0-4"})
    void theNameOfTodayIsTakenWhereItIsOffered(String offered, String taken) {
        assertThat(answer(REQUEST.replace("chat, mqtt", offered))).contains("protocol: " + taken + "\r\n");
    }

    @Test
    void aFrameBehindTheRequestIsNotLost() {
        answer(REQUEST + "\u0089\u0080\0\0\0\0"); // an empty ping

        assertThat(connection.isOpen()).isTrue();
        assertThat(answer("\u0089\u0080\0\0\0\0")).isEqualTo("\u008a\0");
    }

    @ParameterizedTest
    @CsvSource({
        "GET /mqtt?token=1, GET /other, 404",
        "GET /mqtt, POST /mqtt, 405",
        "HTTP/1.1, HTTP/1.0, 405",
        "Upgrade: WebSocket, Upgrade: h2c, 426",
        "'keep-alive, Upgrade', keep-alive, 426",
        "Version: 13, Version: 8, 426",
        "dGhlIHNhbXBsZSBub25jZQ==, c2hvcnQ=, 400",
        "'chat, mqtt', chat, 400",
        "Host: broker, Origin: null, 403",
        "Host: broker, Content-Length: 3, 400"
    })
    void whatIsNoRequestForMqttIsRefused(String part, String wrong, int status) {
        assertThat(REQUEST).contains(part);
        boolean hasBody = wrong.startsWith("Content-Length");

        assertThat(answer(REQUEST.replace(part, wrong) + (hasBody ? "abc" : "")))
                .startsWith("HTTP/1.1 " + status + " ");
        assertThat(connection.isOpen()).isFalse();
        assertThat(channel.isOpen()).isFalse();
        assertThat(events).singleElement().isInstanceOf(BrokerEvent.ProtocolViolated.class);
    }

    /** A client can make the broker hold only a bounded amount. */
    @Test
    void aRequestWithoutEndIsCut() {
        assertThat(answer("GET /" + "x".repeat(5_000))).startsWith("HTTP/1.1 414 ");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void headersWithoutEndAreCut() {
        StringBuilder request = new StringBuilder("GET /mqtt HTTP/1.1\r\n");
        for (int i = 0; i < 500; i++) {
            request.append("X-").append(i).append(": filling the room\r\n");
        }
        assertThat(answer(request.toString())).startsWith("HTTP/1.1 431 ");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aRequestThatIsNotDoneInTimeIsCut() {
        answer("GET /mqtt HTTP/1.1\r\n");
        for (int second = 0; second < 4; second++) {
            assertThat(connection.isOpen()).isTrue();
            answer("X-" + second + ": one more\r\n");
            loop.sweep();
        }
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void whatIsNotHttpIsRefused() {
        assertThat(answer("\u0010\u000c\0\u0004MQTT\u0004\u0002\0\0\0\0\r\n\r\n"))
                .startsWith("HTTP/1.1 400 ");
        assertThat(channel.isOpen()).isFalse();
    }
}
