package io.godwit.broker.clients;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.OperationException;
import io.godwit.api.port.client.ClientReference;
import io.godwit.api.port.client.SubscribeOnBehalf;
import io.godwit.broker.api.LogText;
import io.godwit.broker.api.StoreFailures;
import io.godwit.broker.api.TenantShares;
import io.godwit.broker.clients.node.NodeClients;
import io.godwit.broker.clients.remote.BehalfWire;
import io.godwit.common.failure.Failures;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.catalog.SessionCatalog;
import io.godwit.inbox.client.catalog.StoredSessionInfo;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.mqtt.client.ClientKey;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.RetainHandling;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.session.persistent.StoredSubscriber;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Subscribes clients of all nodes, for the API. All nodes are asked, and the one with the connection subscribes the
 * client. If all have answered and none has the connection, this node changes the stored session.
 */
public final class SubscribersOverNodes implements SubscribeOnBehalf {
    private static final Logger LOG = LoggerFactory.getLogger(SubscribersOverNodes.class);
    private static final StoreFailures FAILURES = new StoreFailures(LOG);
    /** Each may hold a client id for as long as the stores take. */
    static final int MAX_STORED = 16;
    /** One tenant has one part in this many. */
    static final int SHARES = 4;

    private final AllNodes nodes;
    private final SessionCatalog catalog;
    private final Supplier<StoredSubscriber> stored;
    private final boolean hasMountPoints;
    /** Changes of stored sessions under way; their bytes are bounded by their number. */
    private final TenantShares underWay = new TenantShares(MAX_STORED, 0, SHARES);

    /**
     * @param stored uses the current configuration
     * @param hasMountPoints whether sessions may have a mount point, which only their connections know
     */
    SubscribersOverNodes(
            AllNodes nodes, SessionCatalog catalog, Supplier<StoredSubscriber> stored, boolean hasMountPoints) {
        this.nodes = nodes;
        this.catalog = catalog;
        this.stored = stored;
        this.hasMountPoints = hasMountPoints;
    }

    @Override
    public CompletableFuture<ClusterAnswer<Optional<List<Coded>>>> subscribe(
            ClientReference key, List<Wanted> wanted, int subscriptionId, Duration within) {
        List<Subscription> subscriptions = new ArrayList<>();
        List<String> filters = wanted.stream().map(Wanted::filter).toList();
        try {
            check(filters);
            for (Wanted each : wanted) {
                subscriptions.add(subscription(each));
            }
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedFuture(e);
        }
        Optional<ClientKey> known = ClientWords.key(key);
        if (known.isEmpty()) {
            return CompletableFuture.completedFuture(ClusterAnswer.complete(Optional.empty()));
        }
        ClientKey client = known.get();
        LOG.info("operator subscribes client={} filters={}", LogText.of(client), filters.size());
        Deadline deadline = new Deadline(System.nanoTime() + within.toNanos());
        return ask(
                client,
                filters,
                within,
                node -> node.subscribe(client, subscriptions, subscriptionId, within),
                info -> stored.get()
                        .subscribe(
                                info,
                                subscriptions,
                                subscriptionId,
                                () -> present(client, deadline),
                                passed(deadline)));
    }

    private static Subscription subscription(Wanted wanted) {
        TopicFilter filter = BehalfWire.filter(wanted.filter());
        if (wanted.noLocal() && filter.isShared()) {
            throw new IllegalArgumentException("noLocal is not for shared subscriptions");
        }
        return new Subscription(
                filter,
                Qos.of(wanted.qos()),
                wanted.noLocal(),
                wanted.retainAsPublished(),
                RetainHandling.of(wanted.retainHandling()));
    }

    @Override
    public CompletableFuture<ClusterAnswer<Optional<List<Coded>>>> unsubscribe(
            ClientReference key, List<String> filters, Duration within) {
        List<TopicFilter> parsed;
        try {
            check(filters);
            parsed = filters.stream().map(BehalfWire::filter).toList();
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedFuture(e);
        }
        Optional<ClientKey> known = ClientWords.key(key);
        if (known.isEmpty()) {
            return CompletableFuture.completedFuture(ClusterAnswer.complete(Optional.empty()));
        }
        ClientKey client = known.get();
        LOG.info("operator unsubscribes client={} filters={}", LogText.of(client), filters.size());
        Deadline deadline = new Deadline(System.nanoTime() + within.toNanos());
        return ask(
                client,
                filters,
                within,
                node -> node.unsubscribe(client, parsed, within),
                info -> stored.get().unsubscribe(info, parsed, passed(deadline)));
    }

    private static void check(List<String> filters) {
        if (filters.isEmpty() || filters.size() > MAX_FILTERS) {
            throw new IllegalArgumentException("1 to " + MAX_FILTERS + " filters, were " + filters.size());
        }
    }

    private static BooleanSupplier passed(Deadline deadline) {
        return () -> deadline.hasPassed(System.nanoTime());
    }

    private CompletableFuture<ClusterAnswer<Optional<List<Coded>>>> ask(
            ClientKey client,
            List<String> filters,
            Duration within,
            Function<NodeClients, CompletableFuture<Optional<List<ReasonCode>>>> connected,
            Function<ClientInfo, CompletableFuture<StoredSubscriber.Outcome>> kept) {
        long untilNanos = System.nanoTime() + within.toNanos();
        return nodes.askAboutOne(within, connected).thenCompose(answers -> {
            Optional<List<ReasonCode>> codes = answers.answers().values().stream()
                    .flatMap(Optional::stream)
                    .findFirst();
            if (codes.isPresent()) {
                return CompletableFuture.completedFuture(
                        ClusterAnswer.complete(Optional.of(coded(filters, codes.get()))));
            }
            if (!answers.missing().isEmpty()) { // a missing node may have the connection
                return CompletableFuture.completedFuture(new ClusterAnswer<>(
                        Optional.<List<Coded>>empty(),
                        List.copyOf(answers.missing().keySet())));
            }
            Duration left = Duration.ofNanos(Math.max(0, untilNanos - System.nanoTime()));
            return ofStored(client, left, kept)
                    .thenApply(found -> ClusterAnswer.complete(found.map(all -> coded(filters, all))));
        });
    }

    private static List<Coded> coded(List<String> filters, List<ReasonCode> codes) {
        List<Coded> all = new ArrayList<>(filters.size());
        for (int i = 0; i < filters.size(); i++) {
            all.add(new Coded(filters.get(i), codes.get(i).value()));
        }
        return all;
    }

    /** Empty if there is no such session. */
    private CompletableFuture<Optional<List<ReasonCode>>> ofStored(
            ClientKey client,
            Duration within,
            Function<ClientInfo, CompletableFuture<StoredSubscriber.Outcome>> change) {
        String tenant = client.tenant().value();
        if (!underWay.enter(tenant, 0)) {
            return CompletableFuture.failedFuture(new NotServingException("this node changes " + MAX_STORED
                    + " stored sessions already, or " + MAX_STORED / SHARES + " of the tenant; ask again later"));
        }
        Deadline deadline = new Deadline(System.nanoTime() + within.toNanos());
        return catalog.find(client.tenant(), client.clientId(), deadline)
                .thenCompose(found -> found.map(session -> ofStored(session, change))
                        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty())))
                .whenComplete((done, failure) -> underWay.leave(tenant, 0))
                .copy() // it continues, and counts, until it ends
                .orTimeout(within.toNanos(), TimeUnit.NANOSECONDS)
                .exceptionally(failure -> {
                    throw new CompletionException(reasonOf(failure));
                });
    }

    private CompletableFuture<Optional<List<ReasonCode>>> ofStored(
            StoredSessionInfo session, Function<ClientInfo, CompletableFuture<StoredSubscriber.Outcome>> change) {
        if (session.isAttached()) { // its connection has just begun or just been lost
            return CompletableFuture.failedFuture(refused());
        }
        if (hasMountPoints) {
            return CompletableFuture.failedFuture(new OperationException(
                    OperationException.Kind.REFUSED,
                    "the client is not connected, and only its connection knows its mount point"));
        }
        return change.apply(session.client()).thenApply(outcome -> switch (outcome.outcome()) {
            case NO_SESSION -> Optional.empty();
            case HELD -> throw refused();
            case DONE -> Optional.of(outcome.codes());
        });
    }

    private static OperationException refused() {
        return new OperationException(
                OperationException.Kind.REFUSED, "the client is just connecting or leaving: try again");
    }

    private static RuntimeException reasonOf(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        if (cause instanceof OperationException || cause instanceof NotServingException) {
            return (RuntimeException) cause;
        }
        if (cause instanceof StoredSubscriber.TenantNotKnownException) {
            return new NotServingException(String.valueOf(cause.getMessage()));
        }
        boolean isRefused = cause instanceof RangeException store && store.reason() == RangeException.Cause.OVERLOADED;
        if (isRefused) {
            return new NotServingException(FAILURES.told("the stores are overloaded", cause));
        }
        if (cause instanceof RangeException || cause instanceof TimeoutException) {
            return new OperationException(
                    OperationException.Kind.FAILED,
                    FAILURES.told(
                            "the stores did not answer: the change may be done, wholly or in part, or follow later; "
                                    + "new subscriptions apply at the latest when the client connects",
                            cause));
        }
        return cause instanceof RuntimeException fault ? fault : new CompletionException(cause);
    }

    /** All pages; a session has a bounded number of subscriptions. */
    private CompletableFuture<List<StoredSubscription>> present(ClientKey client, Deadline deadline) {
        return present(client, null, new ArrayList<>(), deadline);
    }

    private CompletableFuture<List<StoredSubscription>> present(
            ClientKey client, @Nullable String after, List<StoredSubscription> found, Deadline deadline) {
        return catalog.subscriptions(client.tenant(), client.clientId(), after, SessionCatalog.MAX_LIMIT, deadline)
                .thenCompose(page -> {
                    page.ifPresent(some -> found.addAll(some.subscriptions()));
                    boolean hasMore =
                            page.map(SessionCatalog.SubscriptionPage::hasMore).orElse(false);
                    return hasMore
                            ? present(
                                    client, found.get(found.size() - 1).filter().text(), found, deadline)
                            : CompletableFuture.completedFuture(found);
                });
    }
}
