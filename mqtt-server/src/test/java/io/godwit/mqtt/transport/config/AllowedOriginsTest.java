package io.godwit.mqtt.transport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedOriginsTest {
    @Test
    void whoSendsNoneIsNoPage() {
        assertThat(AllowedOrigins.SAME_HOST.allow(List.of(), "broker", false)).isTrue();
        assertThat(AllowedOrigins.SAME_HOST.allow(List.of(), null, false)).isTrue();
        assertThat(new AllowedOrigins(false, List.of("https://a")).allow(List.of(), null, false))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "http://broker,broker,true",
        "https://broker:8443,BROKER:8083,true",
        "http://broker,other,false",
        "http://broker.evil,broker,false",
        "http://evil/broker,broker,false",
        "http://broker@evil,broker,false",
        "http://10.0.0.1:8080,10.0.0.1:8083,true",
        "http://10.0.0.2,10.0.0.1,false",
        "null,broker,false",
        "'',broker,false",
        "http://broker,,false",
        "http://,'',false",
        "http://[fe80::1],[fe80::1]:8083,true",
        "http://localhost:3000,127.0.0.1:8083,true",
    })
    void aPageOfTheSameHostIsLetIn(String origin, String host, boolean isAllowed) {
        assertThat(AllowedOrigins.SAME_HOST.allow(List.of(origin), host, true)).isEqualTo(isAllowed);
        assertThat(AllowedOrigins.ANY.allow(List.of(origin), host, false)).isTrue();
    }

    /**
     * The owner of a name may let it point to the broker once his page is loaded; over TLS he lacks the certificate.
     */
    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1:3000,127.0.0.1:8083,true",
        "http://localhost,[::1]:8083,true",
        "http://app.localhost,localhost:8083,true",
        "http://127.0.0.1.evil,127.0.0.1.evil:8083,false",
        "http://evil,evil:8083,false",
        "http://broker,broker:8083,false",
        "http://10.0.0.1.evil,10.0.0.1.evil:8083,false",
        "http://evil,127.0.0.1:8083,false",
        "http://10.0.0.1,10.0.0.1:8083,true",
    })
    void namesAreNotBelievedUnlessTheyAreProven(String origin, String host, boolean isAllowed) {
        assertThat(AllowedOrigins.SAME_HOST.allow(List.of(origin), host, false)).isEqualTo(isAllowed);
    }

    @Test
    void whatIsListedIsLetInAndNothingElse() {
        AllowedOrigins listed = new AllowedOrigins(false, List.of("https://app.example", "null"));
        assertThat(listed.allow(List.of("https://APP.example"), "broker", false))
                .isTrue();
        assertThat(listed.allow(List.of("null"), "broker", false)).isTrue();
        assertThat(listed.allow(List.of("http://app.example"), "broker", false)).isFalse();
        assertThat(listed.allow(List.of("https://app.example:8443"), "broker", false))
                .isFalse();
        assertThat(listed.allow(List.of("https://broker"), "broker", false)).isFalse();
        assertThat(listed.allow(List.of("https://app.example", "https://evil"), "broker", false))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://a.example", "HTTP://a:8080", "http://[::1]:80", "null"})
    void originsAreRead(String text) {
        assertThat(AllowedOrigins.origin(text)).isEqualTo(text.toLowerCase(Locale.ROOT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.example", "https://a/", "https://a/b", "https://", "*", "https://a b", "https://*.a"})
    void whatIsNoOriginSaysSo(String text) {
        assertThatThrownBy(() -> AllowedOrigins.origin(text)).hasMessageContaining("must be scheme://host");
    }
}
