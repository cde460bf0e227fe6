package io.godwit.api.port.access;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.NotServingException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Tokens that all nodes share, beside those of each node's tokens file. Called on any thread; calls return at once and
 * do not block. Futures complete like those of {@link BanAdmin}. They fail with {@link NotServingException} and, when
 * there are {@link #MAX_TOKENS} already, with {@link LimitReachedException}.
 */
public interface TokenAdmin {
    int MAX_TOKENS = 1_000;

    /**
     * A token or a certificate that may use the API.
     *
     * @param name of letters, digits, dots, hyphens and underscores
     * @param role as {@code Role} spells it
     * @param tenant empty for all tenants and the cluster
     * @param sha256 of the token's text, in hexadecimal; empty for a certificate
     * @param subject of a certificate; empty for a token
     * @param untilMillis of the wall clock, since the epoch; -1 for no end
     * @param by name of the caller that made it
     * @param sinceMillis of the wall clock
     */
    record Token(
            String name,
            String role,
            String tenant,
            String sha256,
            String subject,
            long untilMillis,
            String by,
            long sinceMillis) {
        /** @param nowMillis as {@link TokenAdmin#nowMillis} */
        public boolean isOver(long nowMillis) {
            return untilMillis >= 0 && untilMillis <= nowMillis;
        }

        /** Without the hash. */
        @Override
        public String toString() {
            return "Token[" + name + ", " + role + ", tenant=" + tenant + "]";
        }
    }

    /** All shared tokens by name, as this node knows them; the same list object until something changes. */
    List<Token> tokens();

    /** The wall clock to compare expiry times with. */
    long nowMillis();

    /** @return false when that name exists already; the existing token stays */
    CompletableFuture<Boolean> add(Token token, Duration within);

    /**
     * Removes a token. On completion no serving node accepts it any more, except those that the answer names.
     *
     * @return whether there was one; missing are nodes that have not confirmed and may still accept it, also when it is
     *     removed already
     */
    CompletableFuture<ClusterAnswer<Boolean>> remove(String name, Duration within);
}
