package io.godwit.broker.auth.jwt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.auth.remote.BoundedHttp;
import io.godwit.broker.auth.remote.HttpStage;
import io.godwit.broker.auth.remote.HttpStage.Manner;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jose4j.jwk.EcJwkGenerator;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.JsonWebKey.OutputControlLevel;
import org.jose4j.jwk.OctJwkGenerator;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.keys.EllipticCurves;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys from a real endpoint, with a clock that the test sets. */
class JwksUrlTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final JwksUrl.Times TIMES =
            new JwksUrl.Times(TIMEOUT, Duration.ofMinutes(15), Duration.ofSeconds(30), Duration.ofHours(1));

    private final HttpStage service = new HttpStage();
    private final BoundedHttp http = new BoundedHttp("test", null, Duration.ofSeconds(20));
    private final AtomicLong nanos = new AtomicLong(-5);
    private final List<String> failures = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        http.close();
        service.close();
    }

    private JwksUrl open(URI url, JwksUrl.Times times) {
        return new JwksUrl(url, http, times, nanos::get, new JwksUrl.Reports() {
            @Override
            public void fetched(KeySet keys) {}

            @Override
            public void failed(String detail) {
                failures.add(detail);
            }
        });
    }

    private JwksUrl open() {
        return open(service.url("/jwks"), TIMES);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private static String key(String id) throws Exception {
        PublicJsonWebKey key = EcJwkGenerator.generateJwk(EllipticCurves.P256);
        key.setKeyId(id);
        return key.toJson(OutputControlLevel.PUBLIC_ONLY);
    }

    private static String jwks(String... keys) {
        return "{\"keys\": [" + String.join(",", keys) + "]}";
    }

    private static KeySet newer(JwksUrl url) throws Exception {
        CompletableFuture<KeySet> asked = url.newer();
        assertThat(asked).isNotNull();
        return asked.get(60, TimeUnit.SECONDS);
    }

    @Test
    void keysAreFetchedAndRefreshed() throws Exception {
        service.content("/jwks", jwks(key("a")));
        JwksUrl url = open();
        assertThat(url.keys().keys()).isEmpty();
        assertThat(newer(url).has("a")).isTrue();
        service.content("/jwks", jwks(key("b")));
        pass(Duration.ofMinutes(14));
        url.look();
        assertThat(service.asked).hasSize(1);
        pass(Duration.ofMinutes(1));
        url.look(); // begins a fetch
        assertThat(newer(url).has("b")).isTrue();
        assertThat(url.keys().has("a")).isFalse();
        assertThat(service.asked).hasSize(2);
    }

    /** Clients choose key ids, but must not thereby determine how often the endpoint is queried. */
    @Test
    void unknownKeysAreAskedForAtALimitedRate() throws Exception {
        service.content("/jwks", jwks(key("a")));
        JwksUrl url = open();
        newer(url);
        for (int i = 0; i < 100; i++) {
            assertThat(url.newer()).isNull();
        }
        pass(Duration.ofSeconds(31));
        List<CompletableFuture<KeySet>> asked =
                IntStream.range(0, 100).mapToObj(i -> url.newer()).toList();
        for (CompletableFuture<KeySet> each : asked) {
            if (each != null) { // it came while the fetch was under way
                assertThat(each.get(60, TimeUnit.SECONDS).has("a")).isTrue();
            }
        }
        assertThat(asked.get(0)).isNotNull();
        assertThat(service.asked).hasSize(2);
    }

    @ParameterizedTest
    @EnumSource(
            value = Manner.class,
            names = {"RIGHT", "HELD"},
            mode = EnumSource.Mode.EXCLUDE)
    void whatIsNoAnswerLeavesTheKeysOfBefore(Manner manner) throws Exception {
        JwksUrl.Times times = manner == Manner.SILENT || manner == Manner.SLOW_BODY
                ? new JwksUrl.Times(Duration.ofSeconds(2), TIMES.refresh(), TIMES.refetch(), TIMES.keep())
                : TIMES;
        service.content("/jwks", jwks(key("a"))).content("/elsewhere", jwks(key("evil")));
        JwksUrl url = open(service.url("/jwks"), TIMES);
        newer(url);
        JwksUrl other = open(service.url("/jwks"), times);
        service.content("/jwks", jwks(key("evil"))).manner(manner);
        pass(Duration.ofMinutes(16));
        assertThat(newer(other).keys())
                .as("keys that were never fetched successfully")
                .isEmpty();
        assertThat(other.problem()).contains("127.0.0.1", "there are no keys");
        if (times.equals(TIMES)) { // the first has a long time-out
            assertThat(newer(url).keys())
                    .singleElement()
                    .satisfies(key -> assertThat(key.id()).isEqualTo("a"));
            assertThat(url.problem()).contains("the old keys stay in force");
            pass(Duration.ofMinutes(50));
            assertThat(url.keys().keys()).as("the keys are too old").isEmpty();
            assertThat(url.problem()).contains("there are no keys");
        }
        assertThat(failures)
                .isNotEmpty()
                .allSatisfy(failure ->
                        assertThat(failure).contains("keys cannot be fetched").doesNotContain("evil", "html"));
        assertThat(service.asked).doesNotContain("/elsewhere");

        service.manner(Manner.RIGHT);
        pass(Duration.ofSeconds(31));
        assertThat(newer(other).has("evil")).isTrue();
        assertThat(other.problem()).isEmpty();
    }

    @Test
    void whatIsNoKeyForSignaturesIsPassedOver() throws Exception {
        JsonWebKey secret = OctJwkGenerator.generateJwk(256);
        secret.setKeyId("secret");
        String secretJson = secret.toJson(OutputControlLevel.INCLUDE_SYMMETRIC);
        String encryption = key("enc").replace("{", "{\"use\": \"enc\",");
        String operations = key("ops").replace("{", "{\"key_ops\": [\"sign\"],");
        service.content(
                "/jwks",
                jwks(secretJson, encryption, operations, "{\"kty\": \"new\"}", "7", "{\"kty\": \"EC\"}", key("a")));
        KeySet keys = newer(open());
        assertThat(keys.keys()).extracting(TokenKey::id).containsExactly("a");
        assertThat(keys.skipped()).isEqualTo(6);
        assertThat(KeySet.ofJwks(jwks(secretJson), false).keys())
                .as("a file may have a secret key")
                .hasSize(1);
    }

    @Test
    void tooManyKeysAreNoKeys() throws Exception {
        String[] many = new String[KeySet.MAX_KEYS + 1];
        Arrays.fill(many, key("a"));
        service.content("/jwks", jwks(many));
        assertThat(newer(open()).keys()).isEmpty();
        assertThat(failures).singleElement().asString().contains("at most 100");
    }

    /** A token is checked with the key that it names and the algorithm of that key. */
    @Test
    void aKeyIsChosenByItsIdAndAlgorithm() throws Exception {
        KeySet keys = KeySet.ofJwks(jwks(key("a"), key("b").replace("{", "{\"alg\": \"ES384\",")), true);
        assertThat(keys.candidates("ES256", "a")).extracting(TokenKey::id).containsExactly("a");
        assertThat(keys.candidates("ES256", null)).extracting(TokenKey::id).containsExactly("a");
        assertThat(keys.candidates("ES256", "c")).isEmpty();
        assertThat(keys.candidates("ES256", "b")).as("the key is for ES384").isEmpty();
        assertThat(keys.candidates("ES384", "b"))
                .as("the curve of the key does not fit ES384")
                .isEmpty();
        assertThat(keys.candidates("HS256", "a")).isEmpty();
    }
}
