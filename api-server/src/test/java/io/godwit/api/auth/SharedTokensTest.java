package io.godwit.api.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.access.TokenAdmin;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;

class SharedTokensTest {
    private static TokenAdmin.Token certificate(String name, Role role, String tenant) {
        return new TokenAdmin.Token(name, role.spelled(), tenant, "", "CN=ops", -1, "", 0);
    }

    private static Principal owner(TokenAdmin.Token... tokens) {
        List<TokenAdmin.Token> all = List.of(tokens);
        Principal found = new SharedTokens(new TokenAdmin() {
                    @Override
                    public List<Token> tokens() {
                        return all;
                    }

                    @Override
                    public long nowMillis() {
                        return 0;
                    }

                    @Override
                    public CompletableFuture<Boolean> add(Token token, Duration within) {
                        return CompletableFuture.completedFuture(false);
                    }

                    @Override
                    public CompletableFuture<ClusterAnswer<Boolean>> remove(String name, Duration within) {
                        return CompletableFuture.completedFuture(ClusterAnswer.complete(false));
                    }
                })
                .ofSubject(new X500Principal("CN=ops"));
        assertThat(found).isNotNull();
        return found;
    }

    /** Two nodes may have taken the same subject at one moment. */
    @Test
    void ofTwoWithOneSubjectTheLesserCounts() {
        assertThat(owner(certificate("a", Role.ADMIN, ""), certificate("b", Role.VIEWER, ""))
                        .role())
                .isEqualTo(Role.VIEWER);
        assertThat(owner(certificate("a", Role.VIEWER, ""), certificate("b", Role.VIEWER, "birds"))
                        .tenant())
                .isEqualTo(Optional.of("birds"));
        assertThat(owner(certificate("a", Role.VIEWER, "birds"), certificate("b", Role.VIEWER, ""))
                        .tenant())
                .isEqualTo(Optional.of("birds"));
    }
}
