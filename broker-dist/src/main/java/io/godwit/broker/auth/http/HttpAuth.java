package io.godwit.broker.auth.http;

import io.godwit.broker.auth.login.LoginSource;
import io.godwit.broker.auth.login.LoginTurns;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.auth.SubscribeRequest;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.net.URI;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks a service for decisions. Only its "allow" lets a client in or permits an action. Without a verdict a login is
 * refused ("busy" or "unavailable"), and a check fails, which the broker denies this one time. Logins that wait for a
 * request have turns by their source ({@link LoginTurns}), so that one source with many or slow logins keeps no other
 * source out.
 *
 * <p>Nothing blocks: answers come on threads of the HTTP client. Accepted logins and decisions of checks are cached for
 * a while; refused logins are not.
 */
final class HttpAuth implements AuthProvider {
    private static final CompletableFuture<AuthDecision> ALLOWED =
            CompletableFuture.completedFuture(AuthDecision.ALLOWED);
    private static final CompletableFuture<AuthDecision> UNDECIDED =
            CompletableFuture.completedFuture(AuthDecision.UNDECIDED);
    private static final CompletableFuture<AuthDecision> NO_URL =
            CompletableFuture.completedFuture(new AuthDecision.Denied("no aclUrl is configured"));

    private static final CompletableFuture<ConnectResult> FULL = CompletableFuture.completedFuture(
            new ConnectResult.Refused(RefusalReason.BUSY, "http: too many, or too many of this source, wait"));
    private static final CompletableFuture<ConnectResult> LATE = CompletableFuture.completedFuture(
            new ConnectResult.Refused(RefusalReason.BUSY, "http: the service could not be asked in time"));

    /** Logins that may wait for a request. */
    private static final int PLACES = 500;

    /** How long a login may wait for its request. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final HttpSettings settings;
    private final URI connectUrl;
    private final Supplier<Service> service;
    private final LongSupplier nanoClock;
    private final LoginTurns<CompletableFuture<ConnectResult>> turns;
    private final DecisionCache<ConnectResult.Accepted> logins;
    private final DecisionCache<AuthDecision> decisions;
    /** The version without a cache: another number for each call. Atomic: any thread. */
    private final AtomicLong never = new AtomicLong();

    /** @param service available from the first question on */
    HttpAuth(HttpSettings settings, URI connectUrl, Supplier<Service> service, LongSupplier nanoClock) {
        this.settings = settings;
        this.connectUrl = connectUrl;
        this.service = service;
        this.nanoClock = nanoClock;
        this.turns = new LoginTurns<>(
                login -> service.get().whenThereIsRoom(login), PLACES, PATIENCE, nanoClock, FULL, LATE);
        this.logins = new DecisionCache<>(settings.connectCache(), settings.cacheEntries(), nanoClock);
        this.decisions = new DecisionCache<>(settings.aclCache(), settings.cacheEntries(), nanoClock);
    }

    @Override
    public Set<AuthCheck> checks() {
        return settings.aclUrl() == null && settings.withoutAcl() == HttpSettings.WithoutAcl.ALLOW
                ? EnumSet.of(AuthCheck.CONNECT)
                : EnumSet.allOf(AuthCheck.class);
    }

    // ---- logins

    @Override
    public CompletableFuture<ConnectResult> connect(ConnectRequest request) {
        String question = Question.of(request);
        DecisionCache.Key key = logins.isUsed() ? logins.key(question) : null;
        ConnectResult.Accepted known = key == null ? null : logins.get(key);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        Service asked = service.get();
        ClientInfo client = request.client();
        long source = LoginSource.of(client.remoteAddress());
        return turns.submit(source, () -> ask(asked, question, client, source, key))
                // before the broker counts the waiting as a failure of this plugin
                .completeOnTimeout(LATE, PATIENCE.toNanos(), TimeUnit.NANOSECONDS)
                .thenCompose(result -> result)
                .thenApply(result -> {
                    if (result instanceof ConnectResult.Accepted) {
                        turns.proved(source);
                    }
                    return result;
                });
    }

    private CompletableFuture<ConnectResult> ask(
            Service asked, String question, ClientInfo client, long source, DecisionCache.@Nullable Key key) {
        return asked.ask(connectUrl, question, source).handle((verdict, failure) -> {
            if (verdict == null) {
                return refused(failure);
            }
            ConnectResult result = result(verdict, client);
            // a login with an end is not cached, since its time would begin anew
            if (key != null && result instanceof ConnectResult.Accepted accepted && accepted.validFor() == null) {
                logins.put(key, accepted);
            }
            return result;
        });
    }

    private static ConnectResult refused(@Nullable Throwable failure) {
        boolean isBusy = failure instanceof Service.NoVerdictException known && known.isBusy;
        String detail = failure instanceof Service.NoVerdictException known
                ? String.valueOf(known.getMessage())
                : "the service cannot be asked";
        return new ConnectResult.Refused(isBusy ? RefusalReason.BUSY : RefusalReason.UNAVAILABLE, "http: " + detail);
    }

    private static ConnectResult result(ServiceVerdict verdict, ClientInfo client) {
        return switch (verdict.result()) {
            case ALLOW -> accepted(verdict, client);
            case DENY -> new ConnectResult.Refused(RefusalReason.BAD_CREDENTIALS, detail(verdict));
            case PASS -> ConnectResult.UNDECIDED;
        };
    }

    private static ConnectResult accepted(ServiceVerdict verdict, ClientInfo client) {
        ConnectResult.Accepted accepted = new ConnectResult.Accepted(
                        client.tenant(), verdict.user() == null ? client.userName() : verdict.user())
                .lasting(verdict.validFor());
        TenantId tenant = verdict.tenant();
        return tenant == null ? accepted : accepted.in(tenant);
    }

    private static String detail(ServiceVerdict verdict) {
        return "http: the service denied it" + (verdict.detail().isEmpty() ? "" : ": " + verdict.detail());
    }

    // ---- checks

    @Override
    public CompletableFuture<AuthDecision> publish(PublishRequest request) {
        URI url = settings.aclUrl();
        return url == null ? withoutUrl() : decide(url, Question.of(request), request.client());
    }

    @Override
    public CompletableFuture<AuthDecision> subscribe(SubscribeRequest request) {
        URI url = settings.aclUrl();
        return url == null ? withoutUrl() : decide(url, Question.of(request), request.client());
    }

    private CompletableFuture<AuthDecision> withoutUrl() {
        return switch (settings.withoutAcl()) {
            case PASS -> UNDECIDED;
            case ALLOW -> ALLOWED;
            case DENY -> NO_URL;
        };
    }

    private CompletableFuture<AuthDecision> decide(URI url, String question, ClientInfo client) {
        DecisionCache.Key key = decisions.isUsed() ? decisions.key(question) : null;
        AuthDecision known = key == null ? null : decisions.get(key);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        long source = LoginSource.of(client.remoteAddress());
        return service.get().ask(url, question, source).thenApply(verdict -> {
            AuthDecision decision = switch (verdict.result()) {
                case ALLOW -> AuthDecision.ALLOWED;
                case DENY -> new AuthDecision.Denied(detail(verdict));
                case PASS -> AuthDecision.UNDECIDED;
            };
            if (key != null) {
                decisions.put(key, decision);
            }
            return decision;
        });
    }

    /** A new number each second, so that a connection asks again; the cache then answers while it has the decision. */
    @Override
    public long rulesVersion() {
        return decisions.isUsed() || settings.aclUrl() == null
                ? TimeUnit.NANOSECONDS.toSeconds(nanoClock.getAsLong())
                : never.incrementAndGet();
    }
}
