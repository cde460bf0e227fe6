package io.godwit.perf.load;

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

    @ParameterizedTest
    @ValueSource(strings = {"", "a:", "a:x", "a:0", "a:65536", "a,,b"})
    void whatIsNoAddressIsRefused(String text) {
        assertThatThrownBy(() -> Endpoint.parseAll(text, 1_883)).isInstanceOf(IllegalArgumentException.class);
    }
}
