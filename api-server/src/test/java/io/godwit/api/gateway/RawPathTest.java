package io.godwit.api.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RawPathTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/api/v1/clients",
                "/api/v1/clients/",
                "/api/v1/clients/a.b",
                "/api/v1/clients/...",
                "/api/v1/clients/%2E%2e%2E/subscriptions",
                "/api/v1/retained/a%2Fb%2F",
                "/api/v1/retained/%2Fa",
                "/api/v1/sessions/%41%42"
            })
    void whatNamesOnePlaceIsTaken(String path) {
        assertThat(RawPath.isPlain(path)).isTrue();
    }

    /** The router would turn these into the route of another session. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "api",
                "//",
                "/api//v1",
                "/api/v1/sessions//queue",
                "/api/v1/sessions/./queue",
                "/api/v1/sessions/%2E/queue",
                "/api/v1/sessions/%2e",
                "/api/v1/sessions/..",
                "/api/v1/sessions/.%2e/queue",
                "/api/v1/sessions/%2E%2E/queue"
            })
    void whatTheRouterWouldRewriteIsRefused(String path) {
        assertThat(RawPath.isPlain(path)).isFalse();
    }

    /** The router's normal form takes quadratic time for these. */
    @Test
    void manyLettersThatNeedNoEncodingAreRefused() {
        assertThat(RawPath.isPlain("/" + "%61".repeat(RawPath.MAX_NEEDLESS))).isTrue();
        assertThat(RawPath.isPlain("/" + "%61".repeat(RawPath.MAX_NEEDLESS + 1)))
                .isFalse();
        assertThat(RawPath.isPlain("/" + "%2F%C3%A4".repeat(20_000))).isTrue();
    }

    @Test
    void aMissingPathIsNotAPlainPath() {
        assertThat(RawPath.isPlain(null)).isFalse();
    }
}
