package io.godwit.broker.auth.chain;

import io.godwit.mqtt.auth.ClientDecisions;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.AuthExchange;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.ExchangeRequest;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.auth.SubscribeRequest;
import io.godwit.plugin.client.ClientInfo;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Several auth providers in a fixed order. A question moves only down the list, and only after "undecided":
 *
 * <ul>
 *   <li>{@link #connect} and {@link #exchange}: the first provider that accepts or refuses decides. A provider
 *       that does not check logins is skipped; it lets nobody in.
 *   <li>{@link #publish} and {@link #subscribe}: the provider that let the client in decides. If it does
 *       not check them, they are allowed. If it is undecided, the later providers that check them are asked.
 *   <li>A failure, a null or a timeout ends the question: no other provider is asked, and the answer is no.
 *   <li>If nobody decides, the result is "undecided", which {@link io.godwit.mqtt.auth.Authorizer} treats as no.
 * </ul>
 *
 * <p>The grant of a connection records which provider let the client in, and wraps the provider's own grant. A question
 * without a grant, for a client that is not connected, goes to all providers that check it, from the first on.
 *
 * <p>Thread-safe if the providers are. Futures complete on the threads of the provider that decided.
 */
public final class AuthChain implements ClientDecisions {
    private static final Logger LOG = LoggerFactory.getLogger(AuthChain.class);
    private static final CompletableFuture<AuthDecision> ALLOWED =
            CompletableFuture.completedFuture(AuthDecision.ALLOWED);

    private final List<Link> links;
    private final Set<AuthCheck> checks = EnumSet.of(AuthCheck.CONNECT);
    /** The version when nothing may be cached. Atomic: any thread. */
    private final AtomicLong never = new AtomicLong(Long.MIN_VALUE);

    private record Link(
            String name, AuthProvider provider, @Nullable ClientDecisions ofClients, Set<AuthCheck> checks) {
        Link(String name, AuthProvider provider) {
            this(name, provider, provider instanceof ClientDecisions decisions ? decisions : null, provider.checks());
        }

        long rulesVersion(ClientInfo client) {
            ClientDecisions own = ofClients;
            return own == null ? provider.rulesVersion() : own.rulesVersion(client);
        }
    }

    /**
     * A provider with its name.
     *
     * @param name as in the configuration, for messages
     */
    public record Named(String name, AuthProvider provider) {}

    /**
     * The grant of a connection.
     *
     * @param link the index of the provider that let the client in
     * @param own the grant of that provider
     */
    private record Grant(int link, @Nullable Object own) {}

    /** @param providers at least one, in the order in which they are asked; {@link #close} closes them */
    public AuthChain(List<Named> providers) {
        if (providers.isEmpty()) {
            throw new IllegalArgumentException("a chain has at least one provider");
        }
        links = providers.stream()
                .map(each -> new Link(each.name(), each.provider()))
                .toList();
        links.forEach(link -> checks.addAll(link.checks()));
    }

    /** The providers in their order. */
    public List<AuthProvider> providers() {
        return links.stream().map(Link::provider).toList();
    }

    @Override
    public Set<AuthCheck> checks() {
        return EnumSet.copyOf(checks);
    }

    // ---- logins

    @Override
    public CompletableFuture<ConnectResult> connect(ConnectRequest request) {
        return firstToDecide(
                0,
                AuthCheck.CONNECT,
                provider -> provider.connect(request),
                ConnectResult.UNDECIDED,
                AuthChain::granted);
    }

    private static ConnectResult granted(int link, ConnectResult result) {
        return result instanceof ConnectResult.Accepted accepted
                ? accepted.granting(new Grant(link, accepted.grant()))
                : result;
    }

    /** Null if no provider knows the method, as far as this is known yet. */
    @Override
    public @Nullable AuthExchange exchange(ExchangeRequest request) {
        ChainExchange exchange =
                new ChainExchange(links.stream().map(Link::provider).toList(), request, AuthChain::granted);
        return exchange.begin() ? exchange : null;
    }

    // ---- checks

    @Override
    public CompletableFuture<AuthDecision> publish(PublishRequest request) {
        return decide(AuthCheck.PUBLISH, request.grant(), (provider, grant) -> provider.publish(request.with(grant)));
    }

    @Override
    public CompletableFuture<AuthDecision> subscribe(SubscribeRequest request) {
        return decide(
                AuthCheck.SUBSCRIBE, request.grant(), (provider, grant) -> provider.subscribe(request.with(grant)));
    }

    private interface Question {
        CompletableFuture<AuthDecision> ask(AuthProvider provider, @Nullable Object grant);
    }

    private CompletableFuture<AuthDecision> decide(AuthCheck check, @Nullable Object given, Question question) {
        if (!(given instanceof Grant grant)) {
            return firstToDecide(
                    0,
                    check,
                    provider -> question.ask(provider, null),
                    AuthDecision.UNDECIDED,
                    (link, decision) -> decision);
        }
        Link owner = links.get(grant.link());
        if (!owner.checks().contains(check)) {
            return ALLOWED;
        }
        return firstToDecide(
                grant.link(),
                check,
                provider -> question.ask(provider, provider == owner.provider() ? grant.own() : null),
                AuthDecision.UNDECIDED,
                (link, decision) -> decision);
    }

    // ---- the walk down the list

    private interface Answered<T> {
        T by(int link, T answer);
    }

    /** Asks the providers from {@code from} on that have {@code check}, until one decides. */
    private <T> CompletableFuture<T> firstToDecide(
            int from,
            AuthCheck check,
            Function<AuthProvider, @Nullable CompletableFuture<T>> question,
            T undecided,
            Answered<T> answered) {
        for (int i = from; i < links.size(); i++) {
            Link link = links.get(i);
            if (!link.checks().contains(check)) {
                continue;
            }
            CompletableFuture<T> asked;
            try {
                asked = question.apply(link.provider());
            } catch (RuntimeException | Error e) { // outermost frame of the provider
                return CompletableFuture.failedFuture(e);
            }
            if (asked == null) {
                return failed(link, "null instead of a future");
            }
            if (!asked.isDone() || asked.isCompletedExceptionally()) {
                int here = i;
                return asked.thenCompose(answer -> undecided.equals(answer)
                        ? firstToDecide(here + 1, check, question, undecided, answered)
                        : decided(here, answer, answered));
            }
            T answer = asked.getNow(null);
            if (!undecided.equals(answer)) {
                return decided(i, answer, answered);
            }
        }
        return CompletableFuture.completedFuture(undecided);
    }

    private <T> CompletableFuture<T> decided(int link, @Nullable T answer, Answered<T> answered) {
        return answer == null
                ? failed(links.get(link), "null instead of an answer")
                : CompletableFuture.completedFuture(answered.by(link, answer));
    }

    private static <T> CompletableFuture<T> failed(Link link, String what) {
        return CompletableFuture.failedFuture(new IllegalStateException("auth provider " + link.name() + ": " + what));
    }

    // ---- caching

    @Override
    public long rulesVersion() {
        return never.incrementAndGet(); // the broker uses only rulesVersion(ClientInfo)
    }

    /** Changes when the version of any provider changes: each only rises, or is negative if nothing may be cached. */
    @Override
    public long rulesVersion(ClientInfo client) {
        long sum = 0;
        for (Link link : links) {
            long version = link.rulesVersion(client);
            if (version < 0) {
                return never.incrementAndGet();
            }
            sum += version;
        }
        return sum;
    }

    /** Closes the last provider first. Each is closed, even if another one throws. */
    @Override
    public void close() {
        for (int i = links.size() - 1; i >= 0; i--) {
            Link link = links.get(i);
            try {
                link.provider().close();
            } catch (RuntimeException e) { // outermost frame of the provider
                LOG.warn("auth provider not closed cleanly name={}", link.name(), e);
            }
        }
    }
}
