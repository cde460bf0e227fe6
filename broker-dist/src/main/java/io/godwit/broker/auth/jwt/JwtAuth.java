package io.godwit.broker.auth.jwt;

import io.godwit.broker.auth.login.LoginSource;
import io.godwit.broker.auth.login.LoginTurns;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.AuthExchange;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.AuthStep;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.ExchangeRequest;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.auth.SubscribeRequest;
import io.godwit.plugin.client.ClientInfo;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets in clients that present a token, as password or by an authentication method of MQTT 5.0. A password that is no
 * token is left to other providers; an invalid token is refused. The rights of a client are in its token, and so in the
 * grant of its connection.
 *
 * <p>Nothing blocks: {@code worker} checks signatures, with turns for the sources; the rest is look-ups.
 */
final class JwtAuth implements AuthProvider {
    private static final CompletableFuture<AuthDecision> ALLOWED =
            CompletableFuture.completedFuture(AuthDecision.ALLOWED);
    private static final CompletableFuture<AuthDecision> UNDECIDED =
            CompletableFuture.completedFuture(AuthDecision.UNDECIDED);
    private static final CompletableFuture<AuthDecision> NOT_IN_TOKEN =
            CompletableFuture.completedFuture(new AuthDecision.Denied("the token does not allow it"));
    private static final CompletableFuture<AuthDecision> NO_RIGHTS =
            CompletableFuture.completedFuture(new AuthDecision.Denied("the token has no claim of what is allowed"));
    private static final CompletableFuture<AuthDecision> EXPIRED = CompletableFuture.completedFuture(
            new AuthDecision.Denied("the token has expired, the client has to authenticate again"));

    private static final ConnectResult NOT_TAKEN = new ConnectResult.Refused(
            RefusalReason.BAD_CREDENTIALS, "token: it is malformed, or its algorithm is not allowed");
    private static final ConnectResult TOO_LONG = new ConnectResult.Refused(
            RefusalReason.BAD_CREDENTIALS, "token: it is longer than " + JwtVerifier.MAX_BYTES + " bytes");
    private static final ConnectResult NO_TOKEN =
            new ConnectResult.Refused(RefusalReason.BAD_CREDENTIALS, "token: the client sent none");
    private static final ConnectResult NOT_SIGNED =
            new ConnectResult.Refused(RefusalReason.BAD_CREDENTIALS, "token: it is not signed by a known key");
    private static final ConnectResult NO_KEYS =
            new ConnectResult.Refused(RefusalReason.UNAVAILABLE, "token: there are no keys to check it with");
    private static final CompletableFuture<ConnectResult> FULL = CompletableFuture.completedFuture(
            new ConnectResult.Refused(RefusalReason.BUSY, "token: too many, or too many of this source, wait"));
    private static final CompletableFuture<ConnectResult> LATE = CompletableFuture.completedFuture(
            new ConnectResult.Refused(RefusalReason.BUSY, "token: it was not checked in time"));

    /** Tokens that may wait for a check. Fewer than the 1,000 tasks of the executor, which knows no sources. */
    static final int PLACES = 500;

    /** How long a token may wait for its check: few clients wait longer. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private final JwtSettings settings;
    private final Keys keys;
    private final JwtVerifier tokens;
    private final TokenClaims claims;
    private final LoginTurns<CompletableFuture<ConnectResult>> turns;
    private final Clock clock;
    private final Consumer<ConnectResult> told;

    /** The source of keys. Thread-safe; nothing blocks. */
    interface Keys {
        /** The currently valid keys. */
        KeySet now();

        /** Newer keys, as {@link JwksUrl#newer}. */
        @Nullable
        CompletableFuture<KeySet> newer();
    }

    /** @param told receives the result of each token */
    JwtAuth(
            JwtSettings settings,
            Keys keys,
            Executor worker,
            Clock clock,
            LongSupplier nanoTime,
            Consumer<ConnectResult> told) {
        this.settings = settings;
        this.keys = keys;
        this.tokens = new JwtVerifier(settings.algorithms());
        this.claims = new TokenClaims(settings, clock);
        this.turns = new LoginTurns<>(worker, PLACES, PATIENCE, nanoTime, FULL, LATE);
        this.clock = clock;
        this.told = told;
    }

    @Override
    public Set<AuthCheck> checks() {
        return EnumSet.allOf(AuthCheck.class);
    }

    // ---- logins

    @Override
    public CompletableFuture<ConnectResult> connect(ConnectRequest request) {
        byte[] password = request.password();
        return password == null || !JwtVerifier.isToken(password)
                ? CompletableFuture.completedFuture(ConnectResult.UNDECIDED)
                : check(password, request.client(), false);
    }

    @Override
    public @Nullable AuthExchange exchange(ExchangeRequest request) {
        if (settings.method().isEmpty() || !request.method().equals(settings.method())) {
            return null;
        }
        return data -> check(data, request.client(), true).thenApply(AuthStep.class::cast);
    }

    private CompletableFuture<ConnectResult> check(byte[] bytes, ClientInfo client, boolean mayReauthenticate) {
        if (bytes.length > JwtVerifier.MAX_BYTES) {
            return refused(TOO_LONG);
        }
        if (!JwtVerifier.isToken(bytes)) {
            return refused(NO_TOKEN);
        }
        String token = new String(bytes, StandardCharsets.US_ASCII);
        long source = LoginSource.of(client.remoteAddress());
        return inTurn(source, () -> check(token, client, mayReauthenticate, source))
                .thenApply(result -> {
                    if (result instanceof ConnectResult.Accepted) {
                        turns.proved(source);
                    }
                    told.accept(result);
                    return result;
                });
    }

    private CompletableFuture<ConnectResult> refused(ConnectResult result) {
        told.accept(result);
        return CompletableFuture.completedFuture(result);
    }

    /** Sources are served in turn, so that a flood of bad tokens from one does not delay the others. */
    private CompletableFuture<ConnectResult> inTurn(long source, Supplier<CompletableFuture<ConnectResult>> work) {
        return turns.submit(source, work).thenCompose(result -> result);
    }

    /** Runs on a worker. */
    private CompletableFuture<ConnectResult> check(
            String token, ClientInfo client, boolean mayReauthenticate, long source) {
        JwtVerifier.Header header = tokens.header(token).orElse(null);
        if (header == null) {
            return CompletableFuture.completedFuture(NOT_TAKEN);
        }
        KeySet known = keys.now();
        String keyId = header.keyId();
        boolean isMissing = keyId == null ? known.keys().isEmpty() : !known.has(keyId);
        CompletableFuture<KeySet> newer = isMissing ? keys.newer() : null;
        if (newer == null) {
            return CompletableFuture.completedFuture(check(token, header, known, client, mayReauthenticate));
        }
        return newer.thenCompose(fetched -> inTurn(
                source,
                () -> CompletableFuture.completedFuture(check(token, header, keys.now(), client, mayReauthenticate))));
    }

    private ConnectResult check(
            String token, JwtVerifier.Header header, KeySet known, ClientInfo client, boolean mayReauthenticate) {
        if (known.keys().isEmpty()) {
            return NO_KEYS;
        }
        return tokens.claims(token, header, known.candidates(header.algorithm(), header.keyId()))
                .map(found -> claims.accept(found, client, mayReauthenticate))
                .orElse(NOT_SIGNED);
    }

    // ---- checks

    @Override
    public CompletableFuture<AuthDecision> publish(PublishRequest request) {
        return decide(request.grant(), rights -> rights.mayPublish(request.client(), request.topic()));
    }

    @Override
    public CompletableFuture<AuthDecision> subscribe(SubscribeRequest request) {
        return decide(
                request.grant(),
                rights -> rights.maySubscribe(request.client(), request.filter().filter()));
    }

    private CompletableFuture<AuthDecision> decide(@Nullable Object given, Predicate<Rights> allows) {
        if (!(given instanceof TokenGrant grant)) {
            return UNDECIDED; // a client without a token
        }
        if (clock.millis() >= grant.endMillis()) {
            return EXPIRED;
        }
        Rights rights = grant.rights();
        if (rights != null) {
            return allows.test(rights) ? ALLOWED : NOT_IN_TOKEN;
        }
        return switch (settings.withoutAcl()) {
            case PASS -> UNDECIDED;
            case ALLOW -> ALLOWED;
            case DENY -> NO_RIGHTS;
        };
    }

    /** Decisions change when the token expires. If this must be noticed, they are asked for again each second. */
    @Override
    public long rulesVersion() {
        return settings.atExpiry() == JwtSettings.AtExpiry.REAUTHENTICATE ? clock.millis() / 1_000 : 0;
    }
}
