package io.godwit.broker.auth.jwt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.auth.remote.RemoteTls;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.nio.charset.StandardCharsets;
import java.security.Key;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import javax.crypto.spec.SecretKeySpec;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.lang.JoseException;
import org.junit.jupiter.api.Test;

/** Whoever sends bad tokens without end costs others no place and no turn. The test runs the worker by hand. */
class TokenTurnsTest {
    private static final Key SECRET =
            new SecretKeySpec("0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8), "HMAC");
    private static final Key OTHER =
            new SecretKeySpec("fedcba9876543210fedcba9876543210".getBytes(StandardCharsets.UTF_8), "HMAC");
    private static final JwtSettings SETTINGS = new JwtSettings(
            List.of("HS256"),
            null,
            null,
            null,
            null,
            new RemoteTls(null, null, null),
            new JwksUrl.Times(
                    Duration.ofSeconds(5), Duration.ofMinutes(15), Duration.ofSeconds(30), Duration.ofDays(1)),
            "",
            List.of(),
            Duration.ZERO,
            false,
            "sub",
            "",
            "acl",
            JwtSettings.WithoutAcl.PASS,
            Map.of(),
            "JWT",
            JwtSettings.AtExpiry.DISCONNECT,
            Duration.ofSeconds(30));

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean isFull;
    private CompletableFuture<KeySet> newer;
    private final AtomicLong nanos = new AtomicLong();
    private final List<ConnectResult> told = new ArrayList<>();
    private final JwtAuth auth = new JwtAuth(
            SETTINGS,
            new JwtAuth.Keys() {
                @Override
                public KeySet now() {
                    return new KeySet(List.of(new TokenKey(null, null, KeyKind.HMAC, SECRET)), 0);
                }

                @Override
                public CompletableFuture<KeySet> newer() {
                    return newer;
                }
            },
            task -> {
                if (isFull) {
                    throw new RejectedExecutionException("full");
                }
                tasks.add(task);
            },
            Clock.systemUTC(),
            nanos::get,
            told::add);

    private static byte[] token(Key key, String keyId) {
        try {
            JsonWebSignature signature = new JsonWebSignature();
            signature.setAlgorithmHeaderValue("HS256");
            if (keyId != null) {
                signature.setKeyIdHeaderValue(keyId);
            }
            signature.setKey(key);
            signature.setPayload("{\"sub\":\"ann\"}");
            return signature.getCompactSerialization().getBytes(StandardCharsets.US_ASCII);
        } catch (JoseException e) {
            throw new AssertionError(e);
        }
    }

    private CompletableFuture<ConnectResult> connect(String address, byte[] token) {
        ClientInfo client = new ClientInfo(TenantId.DEFAULT, new ClientId("c"), null, address, 5);
        return auth.connect(new ConnectRequest(client, false, token, List.of()));
    }

    private CompletableFuture<ConnectResult> good(String address) {
        return connect(address, token(SECRET, null));
    }

    private void run(int count) {
        for (int i = 0; i < count; i++) {
            tasks.remove().run();
        }
    }

    private static RefusalReason reason(CompletableFuture<ConnectResult> result) {
        assertThat(result).isDone();
        return ((ConnectResult.Refused) result.join()).reason();
    }

    @Test
    void aFloodOfBadTokensKeepsNobodyElseWaiting() {
        byte[] bad = token(OTHER, null);
        List<CompletableFuture<ConnectResult>> flood = new ArrayList<>();
        for (int i = 0; i < JwtAuth.PLACES; i++) {
            flood.add(connect("10.0.0.1:" + (1_000 + i), bad));
        }
        assertThat(reason(connect("10.0.0.1:1", bad)))
                .as("all places are taken")
                .isEqualTo(RefusalReason.BUSY);

        CompletableFuture<ConnectResult> other = good("10.0.0.2:1");
        assertThat(reason(flood.get(flood.size() - 1)))
                .as("the newest login of the flood gives up its place")
                .isEqualTo(RefusalReason.BUSY);
        assertThat(tasks).as("there are no more tasks than places").hasSize(JwtAuth.PLACES);
        run(2);
        assertThat(other).as("the other source has the second turn").isDone();
        assertThat(other.join()).isInstanceOf(ConnectResult.Accepted.class);
        assertThat(flood.stream().filter(CompletableFuture::isDone)).hasSize(2);
    }

    @Test
    void manySourcesDoNotKeepOutOneThatAGoodTokenCameFrom() {
        CompletableFuture<ConnectResult> first = good("10.0.0.2:1");
        run(1);
        assertThat(first).isDone();
        byte[] bad = token(OTHER, null);
        for (int i = 0; i < JwtAuth.PLACES; i++) {
            connect("10.1." + i / 250 + "." + i % 250 + ":1", bad);
        }
        assertThat(reason(good("10.0.0.3:1")))
                .as("an unknown source has no priority over other unknown ones")
                .isEqualTo(RefusalReason.BUSY);
        CompletableFuture<ConnectResult> back = good("10.0.0.2:2");
        run(2);
        assertThat(back.getNow(null)).isInstanceOf(ConnectResult.Accepted.class);
    }

    /** Unknown keys are the caller's choice: what waits for a fetch goes through the turns again. */
    @Test
    void aTokenOfAnUnknownKeyHasATurnAgainAfterTheFetch() {
        newer = new CompletableFuture<>();
        CompletableFuture<ConnectResult> unknown = connect("10.0.0.1:1", token(SECRET, "k1"));
        run(1);
        newer.complete(KeySet.NONE);
        assertThat(unknown).isNotDone();
        run(1);
        assertThat(unknown.getNow(null)).isInstanceOf(ConnectResult.Accepted.class);
        assertThat(tasks).isEmpty();
    }

    @Test
    void whoHasWaitedTooLongIsNotChecked() {
        CompletableFuture<ConnectResult> late = good("10.0.0.1:1");
        nanos.set(JwtAuth.PATIENCE.plusSeconds(1).toNanos());
        run(1);
        assertThat(reason(late)).isEqualTo(RefusalReason.BUSY);
        assertThat(told).hasSize(1);
    }

    @Test
    void aWorkerThatTakesNoMoreRefusesAsBusy() {
        isFull = true;
        assertThat(reason(good("10.0.0.1:1"))).isEqualTo(RefusalReason.BUSY);
        isFull = false;
        CompletableFuture<ConnectResult> next = good("10.0.0.1:1");
        run(1);
        assertThat(next.getNow(null))
                .as("no other login is before it in the queue")
                .isInstanceOf(ConnectResult.Accepted.class);
    }
}
