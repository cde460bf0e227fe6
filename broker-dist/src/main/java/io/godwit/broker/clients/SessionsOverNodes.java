package io.godwit.broker.clients;

import io.godwit.api.port.NotServingException;
import io.godwit.api.port.client.ClientFilter.TextPattern;
import io.godwit.api.port.client.ClientReference;
import io.godwit.api.port.client.SessionAdmin;
import io.godwit.api.port.client.SessionView;
import io.godwit.broker.api.BoundedQuestions;
import io.godwit.broker.api.LogText;
import io.godwit.broker.api.StoreFailures;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.catalog.SessionCatalog;
import io.godwit.inbox.client.catalog.StoredSessionInfo;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.Leaders;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stored sessions of all nodes, for the API. The store finds the leader of each range. The number of questions at a
 * time is bounded, also for each tenant, since each may read a lot.
 */
public final class SessionsOverNodes implements SessionAdmin {
    private static final Logger LOG = LoggerFactory.getLogger(SessionsOverNodes.class);
    private static final StoreFailures FAILURES = new StoreFailures(LOG);
    static final int MAX_QUESTIONS = 4;
    /**
     * Bound of questions about one session. It is separate, so that slow searches do not keep operators from ending a
     * session.
     */
    static final int MAX_SINGLE_QUESTIONS = 32;

    private final SessionCatalog catalog;
    private final InboxClient inboxes;
    private final Leaders leaders;
    private final String self;
    private final BoundedQuestions searches =
            new BoundedQuestions(MAX_QUESTIONS, "sessions", SessionsOverNodes::reasonOf);
    private final BoundedQuestions singles =
            new BoundedQuestions(MAX_SINGLE_QUESTIONS, "sessions", SessionsOverNodes::reasonOf);

    /**
     * @param leaders of the inbox store
     * @param self store id of this node
     */
    public SessionsOverNodes(SessionCatalog catalog, InboxClient inboxes, Leaders leaders, String self) {
        this.catalog = catalog;
        this.inboxes = inboxes;
        this.leaders = leaders;
        this.self = self;
    }

    @Override
    public CompletableFuture<SessionPage> sessions(Filter filter, @Nullable String cursor, int limit, Duration within) {
        Optional<TenantId> tenant = filter.tenant().flatMap(ClientWords::tenant);
        if (filter.tenant().isPresent() && tenant.isEmpty()) {
            return CompletableFuture.completedFuture(new SessionPage(List.of(), null));
        }
        SessionCatalog.Criteria criteria = new SessionCatalog.Criteria(
                tenant.orElse(null),
                filter.clientId().map(TextPattern::text).orElse(""),
                filter.clientId().map(TextPattern::kind).orElse(TextPattern.Kind.PREFIX) == TextPattern.Kind.PREFIX,
                filter.onlyDisconnected(),
                filter.leastQueued());
        // an incomplete page is better than a timeout
        Duration search = within.multipliedBy(3).dividedBy(4);
        String about = tenant.map(TenantId::value).orElse(BoundedQuestions.ALL_TENANTS);
        return searches.ask(about, within, () -> catalog.page(criteria, cursor, limit, deadline(search)))
                .thenApply(page ->
                        new SessionPage(page.sessions().stream().map(this::view).toList(), page.cursor()));
    }

    @Override
    public CompletableFuture<Optional<SessionView>> session(ClientReference key, Duration within) {
        return ClientWords.key(key)
                .map(wanted -> singles.ask(
                                key.tenant(),
                                within,
                                () -> catalog.find(wanted.tenant(), wanted.clientId(), deadline(within)))
                        .thenApply(found -> found.map(this::view)))
                .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
    }

    @Override
    public CompletableFuture<Boolean> delete(ClientReference key, Duration within) {
        return ClientWords.key(key)
                .map(wanted -> singles.ask(key.tenant(), within, () -> {
                    String client = LogText.of(wanted);
                    LOG.info("operator deletes a session client={}", client);
                    return inboxes.delete(wanted.tenant(), wanted.clientId())
                            .whenComplete((existed, failure) -> LOG.info(
                                    "operator's deletion of a session ended client={} existed={} failure={}",
                                    client,
                                    existed,
                                    LogText.of(String.valueOf(failure))));
                }))
                .orElseGet(() -> CompletableFuture.completedFuture(false));
    }

    @Override
    public CompletableFuture<Optional<Purged>> purge(ClientReference key, Duration within) {
        Deadline deadline = deadline(within);
        return ClientWords.key(key)
                .map(wanted -> singles.ask(key.tenant(), within, () -> {
                    String client = LogText.of(wanted);
                    LOG.info("operator empties the queue of a session client={}", client);
                    return inboxes.purge(
                                    wanted.tenant(), wanted.clientId(), () -> deadline.hasPassed(System.nanoTime()))
                            .whenComplete((purged, failure) -> LOG.info(
                                    "operator's emptying of a queue ended client={} purged={} failure={}",
                                    client,
                                    purged,
                                    LogText.of(String.valueOf(failure))))
                            .thenApply(purged -> purged.map(done -> new Purged(done.messages(), done.kept())));
                }))
                .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
    }

    private static Deadline deadline(Duration within) {
        return new Deadline(System.nanoTime() + within.toNanos());
    }

    private static RuntimeException reasonOf(Throwable failure) {
        return failure instanceof IllegalArgumentException wrong
                ? wrong
                : new NotServingException(FAILURES.told("the inbox store does not answer", failure));
    }

    private SessionView view(StoredSessionInfo session) {
        ClientInfo client = session.client();
        String userName = client.userName();
        return new SessionView(
                client.tenant().value(),
                client.clientId().value(),
                userName == null ? "" : userName,
                client.protocolLevel(),
                home(client),
                session.isAttached(),
                session.expirySeconds(),
                session.detachedAtMillis(),
                session.endsAtMillis() == Long.MAX_VALUE ? -1 : session.endsAtMillis(),
                session.hasWill(),
                session.messages(),
                session.payloadBytes(),
                session.inflight(),
                session.subscriptions());
    }

    private String home(ClientInfo client) {
        String leader = leaders.leaderOf(InboxKeys.prefix(client.tenant(), client.clientId()));
        if (leader == null) {
            return "";
        }
        return leader.isEmpty() ? self : leader; // empty on a node without a cluster
    }
}
