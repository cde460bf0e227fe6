package io.godwit.broker.auth.password;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.TenantId;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LoginsUnderWayTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final ConnectResult RIGHT = new ConnectResult.Accepted(TenantId.DEFAULT, "ann");
    private static final ConnectResult BUSY = new ConnectResult.Refused(RefusalReason.BUSY, "full");

    private final Credential credential = ScramCredential.of(new byte[] {'x'}, 4096, RANDOM);
    private final LoginsUnderWay logins = new LoginsUnderWay(RANDOM);
    private final List<CompletableFuture<ConnectResult>> submitted = new ArrayList<>();

    private CompletableFuture<ConnectResult> join(String user, @Nullable Credential against, String password) {
        return logins.join(user, against, password.getBytes(StandardCharsets.UTF_8), () -> {
            CompletableFuture<ConnectResult> login = new CompletableFuture<>();
            submitted.add(login);
            return login;
        });
    }

    @Test
    void oneHashIsComputedForAllThatCome() {
        List<CompletableFuture<ConnectResult>> fleet = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            fleet.add(join("ann", credential, "grutto"));
        }
        assertThat(submitted).hasSize(1);
        submitted.get(0).complete(RIGHT);
        assertThat(fleet).allMatch(login -> login.getNow(BUSY).equals(RIGHT));
        assertThat(logins.size()).isZero();
        assertThat(join("ann", credential, "grutto"))
                .as("the result is not kept for later logins")
                .isNotDone();
    }

    @Test
    void whatDiffersIsCheckedByItself() {
        join("ann", credential, "grutto");
        join("ann", credential, "Grutto");
        join("bob", credential, "grutto");
        join("ann", ScramCredential.of(new byte[] {'x'}, 4096, RANDOM), "grutto");
        join("ann", null, "grutto");
        join("anng", null, "rutto");
        assertThat(submitted).hasSize(6);
    }

    /** Otherwise the time would reveal which users exist. */
    @Test
    void unknownUsersAreTreatedAlike() {
        join("nobody", null, "x");
        join("nobody", null, "x");
        assertThat(submitted).hasSize(1);
    }

    @Test
    void oneThatIsNotCheckedStandsForItselfAlone() {
        CompletableFuture<ConnectResult> first = join("ann", credential, "grutto");
        CompletableFuture<ConnectResult> second = join("ann", credential, "grutto");
        submitted.get(0).complete(BUSY);
        assertThat(first).isCompletedWithValue(BUSY);
        assertThat(second).isNotDone();
        assertThat(submitted).hasSize(2);
        submitted.get(1).complete(RIGHT);
        assertThat(second).isCompletedWithValue(RIGHT);
    }

    @Test
    void aCheckThatFailsFailsAll() {
        CompletableFuture<ConnectResult> first = join("ann", credential, "grutto");
        CompletableFuture<ConnectResult> second = join("ann", credential, "grutto");
        submitted.get(0).completeExceptionally(new IllegalStateException("broken"));
        assertThat(first).isCompletedExceptionally();
        assertThat(second).isCompletedExceptionally();
        assertThat(logins.size()).isZero();
    }
}
