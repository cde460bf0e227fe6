package io.godwit.perf.load.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {
    @Test
    void severalBrokersWithAndWithoutPort() {
        assertThat(Endpoint.parseAll("a:1, b,[::1]:2,::1", 1_883))
                .containsExactly(
                        new Endpoint("a", 1),
                        new Endpoint("b", 1_883),
                        new Endpoint("::1", 2),
                        new Endpoint("::1", 1_883));
    }

    @Test
    void addressesOfWebSocketsHavePortAndPathOfTheirScheme() {
        assertThat(Endpoint.parseAll("ws://a:1/p/q?r=s, ws://b, wss://[::1],wss://c:2", 1_883))
                .containsExactly(
                        new Endpoint("a", 1, new Endpoint.WebSocketPart(false, "/p/q?r=s")),
                        new Endpoint("b", 80, new Endpoint.WebSocketPart(false, "/mqtt")),
                        new Endpoint("::1", 443, new Endpoint.WebSocketPart(true, "/mqtt")),
                        new Endpoint("c", 2, new Endpoint.WebSocketPart(true, "/mqtt")))
                .extracting(Endpoint::toString)
                .containsExactly("ws://a:1/p/q?r=s", "ws://b:80/mqtt", "wss://[::1]:443/mqtt", "wss://c:2/mqtt");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a:",
                "a:x",
                "a:0",
                "a:65536",
                "a,,b",
                "ws://",
                "ws:///mqtt",
                "wss://a:x/mqtt",
                "http://a",
                "ws:/a"
            })
    void whatIsNoAddressIsRefused(String text) {
        assertThatThrownBy(() -> Endpoint.parseAll(text, 1_883)).isInstanceOf(IllegalArgumentException.class);
    }
}
