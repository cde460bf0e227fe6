package io.godwit.broker.auth.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServiceUrlTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://id.example/keys",
                "http://localhost/keys",
                "http://127.0.0.1:80/keys",
                "http://127.1.2.3/keys",
                "http://[::1]:80/keys"
            })
    void nobodyElseReadsIt(String url) {
        assertThat(ServiceUrl.isInTheClear(URI.create(url))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://id.example/keys",
                "http://127.0.0.1.example/keys",
                "http://127.example/keys",
                "http://localhost.example/",
                "http://[::2]/"
            })
    void othersMayReadIt(String url) {
        assertThat(ServiceUrl.isInTheClear(URI.create(url))).isTrue();
    }
}
