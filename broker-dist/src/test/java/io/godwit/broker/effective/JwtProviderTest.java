package io.godwit.broker.effective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.check.StartCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.NumericDate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The provider "jwt" with keys of files, as a configuration opens it. */
class JwtProviderTest {
    private static final String SECRET = "a secret of sixty-four bytes, as HS512 needs it - 0123456789 abc";

    @TempDir
    Path directory;

    private static Key secret() {
        return new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HMAC");
    }

    private AuthStage hmac(String settings) throws Exception {
        Files.writeString(directory.resolve("secret"), SECRET + "\n");
        return new AuthStage(directory, """
                authConfig: {provider: jwt}
                plugins: {jwt: {algorithms: [HS256], secretFile: secret%s}}
                """.formatted(settings.isEmpty() ? "" : ", " + settings));
    }

    private static JwtClaims claims() {
        JwtClaims claims = new JwtClaims();
        claims.setSubject("ann");
        claims.setExpirationTimeMinutesInTheFuture(10);
        return claims;
    }

    private static String sign(JwtClaims claims, String algorithm, Key key) throws Exception {
        JsonWebSignature signature = new JsonWebSignature();
        signature.setAlgorithmHeaderValue(algorithm);
        signature.setKey(key);
        signature.setPayload(claims.toJson());
        return signature.getCompactSerialization();
    }

    private static String token(JwtClaims claims) throws Exception {
        return sign(claims, "HS256", secret());
    }

    /** A token with this header and these claims, signed with a secret by HS256. */
    private static String signed(String header, String claims, String secret) throws Exception {
        Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
        String text = base64.encodeToString(header.getBytes(StandardCharsets.UTF_8))
                + "."
                + base64.encodeToString(claims.getBytes(StandardCharsets.UTF_8));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        return text + "." + base64.encodeToString(mac.doFinal(text.getBytes(StandardCharsets.US_ASCII)));
    }

    private static KeyPair pair(String algorithm) throws Exception {
        KeyPairGenerator generator = switch (algorithm.substring(0, 2)) {
            case "ES" -> KeyPairGenerator.getInstance("EC");
            case "Ed" -> KeyPairGenerator.getInstance("Ed25519");
            default -> KeyPairGenerator.getInstance("RSA");
        };
        switch (algorithm) {
            case "ES256" -> generator.initialize(new ECGenParameterSpec("secp256r1"));
            case "ES384" -> generator.initialize(new ECGenParameterSpec("secp384r1"));
            case "ES512" -> generator.initialize(new ECGenParameterSpec("secp521r1"));
            case "EdDSA" -> {}
            default -> generator.initialize(2_048);
        }
        return generator.generateKeyPair();
    }

    private AuthStage pem(KeyPair pair, String algorithms) throws Exception {
        String text = Base64.getMimeEncoder().encodeToString(pair.getPublic().getEncoded());
        Files.writeString(
                directory.resolve("public.pem"),
                "-----BEGIN PUBLIC KEY-----\n" + text + "\n-----END PUBLIC KEY-----\n");
        return new AuthStage(directory, """
                authConfig: {provider: jwt}
                plugins: {jwt: {algorithms: [%s], publicKeyFile: public.pem}}
                """.formatted(algorithms));
    }

    // ---- signatures

    @ParameterizedTest
    @ValueSource(strings = {"RS256", "PS384", "ES256", "ES384", "ES512", "EdDSA"})
    void aTokenThatAKeyOfAPemFileHasSignedLetsIn(String algorithm) throws Exception {
        KeyPair pair = pair(algorithm);
        try (AuthStage stage = pem(pair, algorithm)) {
            assertThat(stage.accepted("c", sign(claims(), algorithm, pair.getPrivate()))
                            .userName())
                    .isEqualTo("ann");
            KeyPair other = pair(algorithm);
            assertThat(stage.refused("c", sign(claims(), algorithm, other.getPrivate()))
                            .reason())
                    .isEqualTo(RefusalReason.BAD_CREDENTIALS);
        }
    }

    @Test
    void aTokenOfASecretLetsIn() throws Exception {
        try (AuthStage stage = hmac("")) {
            assertThat(stage.accepted(null, token(claims())).userName()).isEqualTo("ann");
            String signed = token(claims());
            String forged = signed.substring(0, signed.length() - 4) + (signed.endsWith("AAAA") ? "BBBB" : "AAAA");
            assertThat(stage.refused(null, forged).detail()).contains("not signed by a known key");
            assertThat(stage.meters
                            .get("plugin.jwt.tokens")
                            .tag("result", "refused")
                            .counter()
                            .count())
                    .isEqualTo(1);
        }
    }

    /**
     * A public key is known to everybody, so a token that uses it as the secret of an HMAC must be refused, whatever is
     * allowed.
     */
    @Test
    void aPublicKeyIsNoSecret() throws Exception {
        KeyPair pair = pair("RS256");
        byte[] encoded = pair.getPublic().getEncoded();
        try (AuthStage stage = pem(pair, "RS256, HS256")) {
            String pem = Files.readString(directory.resolve("public.pem"));
            for (byte[] known : List.of(
                    encoded, pem.getBytes(StandardCharsets.UTF_8), pem.strip().getBytes(StandardCharsets.UTF_8))) {
                stage.refused("c", sign(claims(), "HS256", new SecretKeySpec(known, "HMAC")));
            }
        }
    }

    @Test
    void anAlgorithmThatIsNotListedIsRefused() throws Exception {
        KeyPair pair = pair("RS256");
        try (AuthStage stage = pem(pair, "RS256")) {
            assertThat(stage.refused("c", sign(claims(), "RS512", pair.getPrivate()))
                            .detail())
                    .contains("not allowed");
        }
    }

    /** They are refused and not passed to the next provider, as they are tokens, though invalid ones. */
    @Test
    void aTokenWithoutASignatureIsRefused() throws Exception {
        Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
        String body = encoder.encodeToString(claims().toJson().getBytes(StandardCharsets.UTF_8));
        try (AuthStage stage = hmac("")) {
            for (String header : List.of(
                    "{\"alg\":\"none\"}",
                    "{\"alg\":\"None\"}",
                    "{\"alg\":\"\"}",
                    "{}",
                    "{\"alg\":null}",
                    "{\"alg\":[\"HS256\"]}",
                    "{\"alg\":\"HS256\"}",
                    "{\"alg\":\"HS256\",\"alg\":\"none\"}",
                    "{\"alg\":\"HS256\",\"crit\":[\"exp\"],\"exp\":1}",
                    "{" + "\"a\":{".repeat(1_000),
                    "{\"alg\"")) {
                String begin = encoder.encodeToString(header.getBytes(StandardCharsets.UTF_8));
                for (String end : List.of("", "AAAA")) {
                    assertThat(stage.refused("c", begin + "." + body + "." + end)
                                    .reason())
                            .as(header)
                            .isEqualTo(RefusalReason.BAD_CREDENTIALS);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "sesame", "a.b.c", "abcd.efgh.ijkl", "eyJh.eyJh", "eyJh.eyJh.ab cd", "....", "exam.ple.com"})
    void anotherPasswordIsLeftToOthers(String password) throws Exception {
        try (AuthStage stage = hmac("")) {
            assertThat(stage.connect("ann", password)).isEqualTo(ConnectResult.UNDECIDED);
            assertThat(stage.connect("ann", null)).isEqualTo(ConnectResult.UNDECIDED);
        }
    }

    @Test
    void aLongTokenIsRefused() throws Exception {
        JwtClaims claims = claims();
        claims.setStringClaim("filler", "x".repeat(16 * 1_024));
        try (AuthStage stage = hmac("")) {
            assertThat(stage.refused("c", token(claims)).detail()).contains("longer than 16384 bytes");
        }
    }

    @Test
    void noMessageHasTheToken() throws Exception {
        JwtClaims claims = claims();
        claims.setIssuer("https://other.example");
        try (AuthStage stage = hmac("issuer: 'https://id.example'")) {
            String token = token(claims);
            String detail = stage.refused("c", token).detail();
            assertThat(detail).doesNotContain("other.example", token.substring(0, 20), "ann");
            assertThat(stage.accepted("c", token(issued())).toString()).doesNotContain("eyJ");
        }
    }

    private static JwtClaims issued() {
        JwtClaims claims = claims();
        claims.setIssuer("https://id.example");
        return claims;
    }

    // ---- claims

    private static JwtClaims ends(long seconds) {
        JwtClaims claims = claims();
        claims.setExpirationTime(NumericDate.fromMilliseconds(System.currentTimeMillis() + seconds * 1_000));
        return claims;
    }

    @Test
    void aTokenHasItsTime() throws Exception {
        try (AuthStage stage = hmac("leeway: 10")) {
            stage.accepted("c", token(ends(60)));
            stage.accepted("c", token(ends(-5)));
            assertThat(stage.refused("c", token(ends(-11))).detail()).contains("expired");
            JwtClaims later = claims();
            later.setNotBeforeMinutesInThePast(-5);
            assertThat(stage.refused("c", token(later)).detail()).contains("nbf");
            JwtClaims none = claims();
            none.unsetClaim("exp");
            assertThat(stage.refused("c", token(none)).detail()).contains("no exp");
            for (Object wrong : List.of("tomorrow", true, List.of(1))) {
                JwtClaims strange = claims();
                strange.setClaim("exp", wrong);
                assertThat(stage.refused("c", token(strange)).detail()).contains("exp is no time");
            }
        }
        try (AuthStage stage = hmac("requireExpiry: false")) {
            JwtClaims none = claims();
            none.unsetClaim("exp");
            assertThat(stage.accepted("c", token(none)).validFor()).isNull();
            JwtClaims far = claims();
            far.setClaim("exp", 1e300);
            assertThat(stage.accepted("c", token(far)).validFor()).isNull();
        }
    }

    /** The header is under control of the client, which may start from a valid token. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'alg':'HS256','crit':['x'],'x':1}",
                "{'alg':'HS256','crit':['b64'],'b64':false}",
                "{'alg':'HS256','alg':'none'}",
                "{'alg':'none','alg':'HS256'}",
                "{'alg':['HS256']}",
                "{'alg':'hs256'}",
                "{'alg':'HS256','x':" + "NESTED}"
            })
    void aHeaderThatIsNotUnderstoodIsRefused(String header) throws Exception {
        String text = header.replace('\'', '"').replace("NESTED", "[".repeat(5_000));
        try (AuthStage stage = hmac("")) {
            stage.accepted("c", signed("{\"alg\":\"HS256\"}", claims().toJson(), SECRET));
            assertThat(stage.refused("c", signed(text, claims().toJson(), SECRET))
                            .reason())
                    .isEqualTo(RefusalReason.BAD_CREDENTIALS);
        }
    }

    /** A key inside the token, or at a place that the token names, proves nothing. */
    @Test
    void aKeyThatTheTokenBringsIsNotUsed() throws Exception {
        String own = "another secret of sixty-four bytes, that whoever wrote it has - 0";
        String key = Base64.getUrlEncoder().withoutPadding().encodeToString(own.getBytes(StandardCharsets.UTF_8));
        try (AuthStage stage = hmac("")) {
            for (String more : List.of(
                    "\"jwk\":{\"kty\":\"oct\",\"k\":\"" + key + "\"}",
                    "\"jku\":\"http://127.0.0.1:1/keys\"",
                    "\"x5u\":\"http://127.0.0.1:1/keys\"",
                    "\"kid\":\"../../../../dev/null\"")) {
                String header = "{\"alg\":\"HS256\"," + more + "}";
                assertThat(stage.refused("c", signed(header, claims().toJson(), own))
                                .detail())
                        .as(more)
                        .contains("not signed by a known key");
            }
        }
    }

    @Test
    void aUserNameThatHasNoUtf8IsRefused() throws Exception {
        String claims = claims().toJson().replace("\"ann\"", "\"ann\\ud800\"");
        try (AuthStage stage = hmac("")) {
            assertThat(stage.refused("c", signed("{\"alg\":\"HS256\"}", claims, SECRET))
                            .detail())
                    .contains("sub is no user name");
        }
    }

    @Test
    void aTokenIsOfOurIssuerAndForUs() throws Exception {
        try (AuthStage stage = hmac("issuer: 'https://id.example', audience: [mqtt, broker]")) {
            JwtClaims right = issued();
            assertThat(stage.refused("c", token(right)).detail()).contains("aud");
            right.setAudience("broker");
            stage.accepted("c", token(right));
            right.setAudience("web", "mqtt");
            stage.accepted("c", token(right));
            right.setAudience("web");
            assertThat(stage.refused("c", token(right)).detail()).contains("aud");
            right.setAudience("mqtt");
            right.setIssuer("https://id.example.org");
            assertThat(stage.refused("c", token(right)).detail()).contains("iss");
        }
        try (AuthStage stage = hmac("")) {
            JwtClaims forOthers = claims();
            forOthers.setAudience("web");
            assertThat(stage.refused("c", token(forOthers)).detail()).contains("aud");
        }
    }

    @Test
    void claimsSayUserTenantAndClient() throws Exception {
        String settings = "userClaim: name, tenantClaim: org, claims: ['device=%c', 'login=%u', 'kind=x=y']";
        try (AuthStage stage = hmac(settings)) {
            JwtClaims right = claims();
            right.setStringClaim("name", "gate");
            right.setStringClaim("org", "acme");
            right.setStringClaim("device", "c1");
            right.setStringClaim("login", "u");
            right.setStringClaim("kind", "x=y");
            ConnectResult.Accepted accepted = stage.accepted("u", token(right));
            assertThat(accepted.userName()).isEqualTo("gate");
            assertThat(accepted.tenant().value()).isEqualTo("acme");
            assertThat(accepted.namesTenant()).isTrue();
            assertThat(stage.refused("v", token(right)).detail()).contains("login");
            assertThat(stage.refused(null, token(right)).detail()).contains("login");
            for (String claim : List.of("name", "org", "device", "kind")) {
                for (Object wrong : List.of("", "no/tenant \0", 7, Map.of("a", 1))) {
                    JwtClaims other = JwtClaims.parse(right.toJson());
                    other.setClaim(claim, wrong);
                    assertThat(stage.refused("u", token(other)).detail())
                            .as(claim + wrong)
                            .contains(claim);
                }
                JwtClaims without = JwtClaims.parse(right.toJson());
                without.unsetClaim(claim);
                assertThat(stage.refused("u", token(without)).detail()).contains(claim);
            }
        }
    }

    // ---- what it may do

    @Test
    void theTokenSaysWhatItsClientMayDo() throws Exception {
        JwtClaims claims = claims();
        claims.setClaim(
                "acl",
                Map.of(
                        "publish", List.of("devices/%c/#"),
                        "subscribe", List.of("news/+"),
                        "all", List.of("chat/%u")));
        try (AuthStage stage = hmac("")) {
            ConnectResult.Accepted client = stage.accepted("other", token(claims));
            for (String topic : List.of("devices/c1/t", "chat/ann")) {
                assertThat(stage.publish(client, topic)).as(topic).isEqualTo(AuthDecision.ALLOWED);
            }
            for (String topic : List.of("devices/c2/t", "news/today", "chat/other", "$SYS/x")) {
                assertThat(stage.publish(client, topic)).as(topic).isInstanceOf(AuthDecision.Denied.class);
            }
            for (String filter : List.of("news/+", "news/today", "$share/g/news/+", "chat/ann")) {
                assertThat(stage.subscribe(client, filter)).as(filter).isEqualTo(AuthDecision.ALLOWED);
            }
            for (String filter : List.of("#", "news/#", "devices/c1/#", "$share/g/#")) {
                assertThat(stage.subscribe(client, filter)).as(filter).isInstanceOf(AuthDecision.Denied.class);
            }
        }
    }

    @Test
    void rightsThatAreNotUnderstoodLetNobodyIn() throws Exception {
        try (AuthStage stage = hmac("withoutAcl: allow")) {
            for (Object wrong : List.of(
                    "all",
                    List.of("#"),
                    Map.of("publish", "#"),
                    Map.of("deny", List.of("secret/#")),
                    Map.of("publish", List.of("a/#/b")),
                    Map.of("publish", List.of("%x")),
                    Map.of("publish", List.of(1)))) {
                JwtClaims claims = claims();
                claims.setClaim("acl", wrong);
                assertThat(stage.refused("c", token(claims)).detail())
                        .as(wrong.toString())
                        .contains("acl");
            }
            JwtClaims nothing = claims();
            nothing.setClaim("acl", null);
            assertThat(stage.refused("c", token(nothing)).detail())
                    .as("an acl of null must not allow everything")
                    .contains("acl");
        }
    }

    @ParameterizedTest
    @CsvSource({"pass, Undecided", "allow, Allowed", "deny, Denied"})
    void aTokenMaySayNothingOfRights(String setting, String answer) throws Exception {
        try (AuthStage stage = hmac("withoutAcl: " + setting)) {
            ConnectResult.Accepted client = stage.accepted("c", token(claims()));
            assertThat(client.namesTenant()).isFalse();
            assertThat(stage.publish(client, "t").getClass().getSimpleName()).isEqualTo(answer);
            assertThat(stage.subscribe(client, "t").getClass().getSimpleName()).isEqualTo(answer);
        }
    }

    // ---- its end

    @Test
    void aClientStaysAsLongAsItsTokenIsValid() throws Exception {
        try (AuthStage stage = hmac("leeway: 10")) {
            assertThat(stage.accepted("c", token(ends(600))).validFor())
                    .isBetween(Duration.ofSeconds(540), Duration.ofSeconds(611));
        }
        try (AuthStage stage = hmac("atExpiry: keep")) {
            assertThat(stage.accepted("c", token(ends(600))).validFor()).isNull();
        }
    }

    @Test
    void aClientMayHaveAWhileToShowAnotherToken() throws Exception {
        try (AuthStage stage = hmac("leeway: 0, atExpiry: reauthenticate, grace: 1h, withoutAcl: allow")) {
            assertThat(stage.accepted("c", token(ends(600))).validFor())
                    .as("without an authentication method there is no grace period")
                    .isLessThan(Duration.ofSeconds(601));
            ConnectResult.Accepted client = (ConnectResult.Accepted) stage.exchange("JWT", token(ends(5)));
            assertThat(client.validFor()).isGreaterThan(Duration.ofMinutes(59));
            long before = stage.auth.rulesVersion();
            Await.until("its time is over", () -> stage.publish(client, "t") instanceof AuthDecision.Denied);
            assertThat(stage.subscribe(client, "t")).isInstanceOf(AuthDecision.Denied.class);
            assertThat(stage.auth.rulesVersion())
                    .as("a new version makes cached answers invalid")
                    .isNotEqualTo(before);
        }
    }

    @Test
    void aMethodOfMqtt5TakesTokens() throws Exception {
        try (AuthStage stage = hmac("method: TOKEN")) {
            assertThat(stage.exchange("TOKEN", token(claims()))).isInstanceOf(ConnectResult.Accepted.class);
            for (String data : List.of("", "sesame", token(ends(-60)))) {
                assertThat(stage.exchange("TOKEN", data)).isInstanceOf(ConnectResult.Refused.class);
            }
            assertThat(stage.exchange("JWT", token(claims()))).isInstanceOf(ConnectResult.Refused.class);
        }
    }

    // ---- files and settings

    @Test
    void aChangedFileCountsAndOneWithAMistakeDoesNot() throws Exception {
        try (AuthStage stage = hmac("")) {
            String before = token(claims());
            Files.writeString(directory.resolve("secret"), "short");
            String next = "another secret, which is long enough too";
            Key nextKey = new SecretKeySpec(next.getBytes(StandardCharsets.UTF_8), "HMAC");
            stage.accepted("c", before);
            Files.writeString(directory.resolve("secret"), next);
            String after = sign(claims(), "HS256", nextKey);
            Await.until("the new secret counts", () -> stage.connect("c", after) instanceof ConnectResult.Accepted);
            assertThat(stage.connect("c", before)).isInstanceOf(ConnectResult.Refused.class);
        }
    }

    @Test
    void keysThatCannotBeReadEndTheStart() throws Exception {
        Files.writeString(directory.resolve("short"), "sesame");
        Files.writeString(directory.resolve("none.pem"), "nothing");
        Files.writeString(directory.resolve("keys.json"), "{\"keys\": []}");
        for (String file : List.of("secretFile: short", "publicKeyFile: none.pem", "jwksFile: keys.json")) {
            String name = file.substring(file.indexOf(' ') + 1);
            assertThatThrownBy(() -> new AuthStage(directory, """
                            authConfig: {provider: jwt}
                            plugins: {jwt: {algorithms: [HS256], %s}}
                            """.formatted(file)).close())
                    .hasMessageContaining(name)
                    .hasMessageNotContaining("sesame");
        }
    }

    @Test
    void aCheckTellsWhatIsWrongWithItsSettings() throws Exception {
        Path file = Files.writeString(directory.resolve("standalone.yml"), """
                authConfig: {providers: [jwt]}
                plugins:
                  jwt:
                    algorithms: [none, RS256]
                    jwksUrl: "ftp://user:sesame@id.example"
                    claims: [device]
                    tls: {certificate: broker.pem}
                    isuer: x
                """);
        List<String> errors = StartCheck.errors(ConfigLoader.load(file, Map.of()), directory.resolve("plugins"));
        assertThat(errors)
                .anyMatch(error -> error.contains("plugins.jwt.algorithms") && error.contains("\"none\""))
                .anyMatch(error -> error.contains("plugins.jwt.jwksUrl"))
                .anyMatch(error -> error.contains("plugins.jwt.claims"))
                .anyMatch(error -> error.contains("plugins.jwt.tls.key"))
                .anyMatch(error -> error.contains("plugins.jwt.isuer") && error.contains("plugins.jwt.issuer"))
                .noneMatch(error -> error.contains("sesame"));
    }
}
