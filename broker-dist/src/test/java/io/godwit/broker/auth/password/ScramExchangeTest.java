package io.godwit.broker.auth.password;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.auth.AuthStep;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.TenantId;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScramExchangeTest {
    private static final String NONCE = "rOprNGfwEbeRWgbNEkqO";
    private static final String SERVER_NONCE = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    private static final String SALT = "W22ZaJ0SNY7soEsUEjb6gQ==";

    /** The number of steps that were computed outside the loop. */
    private int computed;

    private final Map<String, ScramCredential> users =
            new HashMap<>(Map.of("user", credential("pencil"), "a,b=c", credential("pencil")));

    private static ScramCredential credential(String password) {
        return ScramCredential.of(
                password.getBytes(StandardCharsets.UTF_8),
                4096,
                Base64.getDecoder().decode(SALT));
    }

    private ScramExchange exchange() {
        return new ScramExchange(
                new ScramExchange.Users() {
                    @Override
                    public @Nullable ScramCredential scram(String user) {
                        return users.get(user);
                    }

                    @Override
                    public ScramCredential nobody(String user) {
                        return ScramCredential.of(new byte[] {'x'}, 4096, new SecureRandom());
                    }
                },
                step -> {
                    computed++;
                    return CompletableFuture.completedFuture(step.get());
                },
                TenantId.DEFAULT,
                SERVER_NONCE);
    }

    /** Such a name would block an event loop for half a second. */
    @Test
    void aLongUserNameIsRefusedAndNotNormalized() {
        String name = "a" + "\u0315\u0316".repeat(SaslPrep.MAX_CHARS / 2);
        assertThat(send(exchange(), "n,,n=" + name + ",r=fyko")).isInstanceOf(ConnectResult.Refused.class);
        assertThat(send(exchange(), "n,,n=user,r=" + "f".repeat(4096))).isInstanceOf(ConnectResult.Refused.class);
        assertThat(send(exchange(), "n,,n=" + "u".repeat(SaslPrep.MAX_CHARS) + ",r=fyko"))
                .isInstanceOf(AuthStep.Challenge.class);
    }

    @Test
    void aNameThatHasToBeNormalizedIsNotNormalizedOnTheLoop() {
        send(exchange(), "n,,n=user,r=" + NONCE);
        assertThat(computed).isZero();
        send(exchange(), "n,,n=us\u00ADer,r=" + NONCE);
        assertThat(computed).isEqualTo(1);
    }

    private static AuthStep send(ScramExchange exchange, String message) {
        return exchange.onData(message.getBytes(StandardCharsets.UTF_8)).join();
    }

    private static String challenge(AuthStep step) {
        assertThat(step).isInstanceOf(AuthStep.Challenge.class);
        return new String(((AuthStep.Challenge) step).data(), StandardCharsets.UTF_8);
    }

    /** A client's answer to {@code serverFirst}. */
    private static String clientFinal(String password, String header, String firstBare, String serverFirst) {
        byte[] salted = Hmac.pbkdf2(
                Hmac.SHA_256,
                password.getBytes(StandardCharsets.UTF_8),
                Base64.getDecoder().decode(serverFirst.replaceAll(".*,s=([^,]*),.*", "$1")),
                4096);
        byte[] clientKey = Hmac.sha256(salted, "Client Key");
        String withoutProof = "c=" + Base64.getEncoder().encodeToString(header.getBytes(StandardCharsets.UTF_8)) + ",r="
                + serverFirst.replaceAll("r=([^,]*),.*", "$1");
        byte[] signature = Hmac.sha256(Hmac.digest(clientKey), firstBare + "," + serverFirst + "," + withoutProof);
        for (int i = 0; i < clientKey.length; i++) {
            clientKey[i] ^= signature[i];
        }
        return withoutProof + ",p=" + Base64.getEncoder().encodeToString(clientKey);
    }

    /** The example of RFC 7677, 3, unchanged. */
    @Test
    void theExchangeIsTheOneOfTheRfc() {
        ScramExchange exchange = exchange();
        assertThat(challenge(send(exchange, "n,,n=user,r=" + NONCE)))
                .isEqualTo("r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
        AuthStep end = send(
                exchange,
                "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
                        + "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
        assertThat(end).isInstanceOf(ConnectResult.Accepted.class);
        ConnectResult.Accepted accepted = (ConnectResult.Accepted) end;
        assertThat(accepted.userName()).isEqualTo("user");
        assertThat(new String(accepted.data(), StandardCharsets.UTF_8))
                .isEqualTo("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    }

    @Test
    void aClientThatSendsNothingYetIsAskedToBegin() {
        ScramExchange exchange = exchange();
        assertThat(challenge(send(exchange, ""))).isEmpty();
        assertThat(challenge(send(exchange, "n,,n=user,r=" + NONCE))).startsWith("r=" + NONCE);
        assertThat(send(exchange(), "n,,n=user,r=")).isInstanceOf(ConnectResult.Refused.class);
        ScramExchange twice = exchange();
        send(twice, "");
        assertThat(send(twice, "")).isInstanceOf(ConnectResult.Refused.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "n,,|n=user|user",
                "y,,|n=user|user",
                "n,a=user,|n=user|user",
                "n,,|n=a=2Cb=3Dc|a,b=c",
                "n,,|n=us\u00ADer|user"
            })
    void namesAreUnderstood(String header, String name, String expected) {
        ScramExchange exchange = exchange();
        String bare = name + ",r=" + NONCE;
        String serverFirst = challenge(send(exchange, header + bare));
        AuthStep end = send(exchange, clientFinal("pencil", header, bare, serverFirst));
        assertThat(end).isInstanceOf(ConnectResult.Accepted.class);
        assertThat(((ConnectResult.Accepted) end).userName()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"user,pencils", "nobody,pencil"})
    void aWrongPasswordAndAnUnknownUserEndAlike(String user, String password) {
        ScramExchange exchange = exchange();
        String bare = "n=" + user + ",r=" + NONCE;
        String serverFirst = challenge(send(exchange, "n,," + bare));
        assertThat(send(exchange, clientFinal(password, "n,,", bare, serverFirst)))
                .isEqualTo(new ConnectResult.Refused(
                        RefusalReason.BAD_CREDENTIALS, "unknown user or wrong password (SCRAM)"));
    }

    /** Even with the password that its made-up credential has. */
    @Test
    void anUnknownUserIsNeverLetIn() {
        ScramExchange exchange = exchange();
        String bare = "n=nobody,r=" + NONCE;
        String serverFirst = challenge(send(exchange, "n,," + bare));
        assertThat(send(exchange, clientFinal("x", "n,,", bare, serverFirst)))
                .isInstanceOf(ConnectResult.Refused.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x",
                "p=tls-unique,,n=user,r=abc",
                "n,,n=user",
                "n,,m=ext,n=user,r=abc",
                "n,,n=us=er,r=abc",
                "n,a=other,n=user,r=abc",
                "n,,n=,r=abc"
            })
    void aMalformedFirstMessageIsRefused(String message) {
        assertThat(send(exchange(), message)).isInstanceOf(ConnectResult.Refused.class);
    }

    @Test
    void headerAndNonceMustBeRepeated() {
        String bare = "n=user,r=" + NONCE;
        ScramExchange otherHeader = exchange();
        String first = challenge(send(otherHeader, "n,," + bare));
        assertThat(send(otherHeader, clientFinal("pencil", "y,,", bare, first)))
                .isInstanceOf(ConnectResult.Refused.class);
        ScramExchange otherNonce = exchange();
        String second = challenge(send(otherNonce, "n,," + bare));
        assertThat(send(otherNonce, clientFinal("pencil", "n,,", bare, second.replace("r=r", "r=x"))))
                .isInstanceOf(ConnectResult.Refused.class);
        ScramExchange garbage = exchange();
        challenge(send(garbage, "n,," + bare));
        assertThat(send(garbage, "c=biws,r=" + NONCE + SERVER_NONCE + ",p=A"))
                .isInstanceOf(ConnectResult.Refused.class);
        assertThat(exchange().onData(new byte[] {(byte) 0xFF}).join()).isInstanceOf(ConnectResult.Refused.class);
    }
}
