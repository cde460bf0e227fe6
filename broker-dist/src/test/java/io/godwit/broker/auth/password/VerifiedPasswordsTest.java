package io.godwit.broker.auth.password;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class VerifiedPasswordsTest {
    private static final byte[] PASSWORD = {1, 2, 3};

    private final AtomicLong nanoTime = new AtomicLong(-5);
    private final Credential credential = BcryptHash.parse(BcryptHash.NOBODY.text());

    private VerifiedPasswords remembering(Duration life) {
        return new VerifiedPasswords(life, new SecureRandom(), nanoTime::get);
    }

    @Test
    void onlyTheSamePasswordOfTheSameCredentialIsKnown() {
        VerifiedPasswords verified = remembering(Duration.ofMinutes(1));
        verified.add("ann", credential, PASSWORD);
        assertThat(verified.contains("ann", credential, PASSWORD)).isTrue();
        assertThat(verified.contains("ann", credential, new byte[] {1, 2})).isFalse();
        assertThat(verified.contains("bob", credential, PASSWORD)).isFalse();
        assertThat(verified.contains("ann", BcryptHash.parse(credential.text()), PASSWORD))
                .as("the same credential, parsed again from the file")
                .isTrue();
        assertThat(verified.contains("ann", BcryptHash.of(PASSWORD, 4, new SecureRandom()), PASSWORD))
                .as("a new hash of the same password")
                .isFalse();
    }

    @Test
    void itIsForgottenInTime() {
        VerifiedPasswords verified = remembering(Duration.ofMinutes(1));
        verified.add("ann", credential, PASSWORD);
        nanoTime.addAndGet(Duration.ofSeconds(59).toNanos());
        assertThat(verified.contains("ann", credential, PASSWORD)).isTrue();
        nanoTime.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(verified.contains("ann", credential, PASSWORD)).isFalse();
    }

    @Test
    void withoutALifeNothingIsRemembered() {
        VerifiedPasswords verified = remembering(Duration.ZERO);
        verified.add("ann", credential, PASSWORD);
        assertThat(verified.contains("ann", credential, PASSWORD)).isFalse();
    }

    @Test
    void theNumberOfUsersIsBounded() {
        VerifiedPasswords verified = remembering(Duration.ofMinutes(1));
        int added = VerifiedPasswords.MAX_USERS + 100;
        for (int i = 0; i < added; i++) {
            verified.add("user" + i, credential, PASSWORD);
        }
        assertThat(IntStream.range(0, added).filter(i -> verified.contains("user" + i, credential, PASSWORD)))
                .hasSize(VerifiedPasswords.MAX_USERS);
    }
}
