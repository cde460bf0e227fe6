package io.godwit.broker.clients;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.Page;
import io.godwit.api.port.client.ClientReference;
import io.godwit.api.port.client.SubscriptionAdmin;
import io.godwit.broker.api.StoreFailures;
import io.godwit.broker.clients.AllNodes.Answers;
import io.godwit.broker.clients.node.NodeReceivers;
import io.godwit.broker.clients.node.NodeSubscriptions;
import io.godwit.broker.clients.node.TopicLookup;
import io.godwit.broker.clients.node.TopicQuestion;
import io.godwit.dist.client.GroupInfo;
import io.godwit.inbox.client.catalog.SessionCatalog;
import io.godwit.inbox.client.catalog.SessionCatalog.SubscriptionPage;
import io.godwit.kv.client.Deadline;
import io.godwit.mqtt.client.ClientKey;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The receivers of a topic, and the subscribers of a filter, on all nodes, for the API. Each node reports the sessions
 * in its memory; every node knows all stored ones, so these come from this node.
 */
final class ReceiversOverNodes implements SubscriptionAdmin {
    private static final StoreFailures FAILURES = new StoreFailures(LoggerFactory.getLogger(ReceiversOverNodes.class));
    /** Bound of the texts in a list with more than one receiver; clients choose the texts. */
    private static final long MOST_CHARS = 1 << 20;

    private static final int MAX_STORE_QUESTIONS = 16;
    /** Each of these questions walks all filters of a tenant. */
    private static final int MAX_GROUP_QUESTIONS = 4;

    private final AllNodes nodes;
    private final SessionCatalog catalog;
    private final TopicLookup topics;
    private final Executor thread;
    /** Questions under way, even if nobody waits for them any more. Atomic: changed on any thread. */
    private final AtomicInteger storeQuestions = new AtomicInteger();
    /** The same for questions about groups. */
    private final AtomicInteger groupQuestions = new AtomicInteger();

    /**
     * @param topics knows the groups with their members on all nodes
     * @param thread looks groups up
     */
    ReceiversOverNodes(AllNodes nodes, SessionCatalog catalog, TopicLookup topics, Executor thread) {
        this.nodes = nodes;
        this.catalog = catalog;
        this.topics = topics;
        this.thread = thread;
    }

    /** Every node knows the number of a group's members on each other node, so this node answers alone. */
    @Override
    public CompletableFuture<Page<GroupView, String>> groups(
            String tenant,
            Optional<String> group,
            Optional<String> filter,
            @Nullable String after,
            int limit,
            Duration within) {
        if (limit < 1 || limit > MAX_LIMIT) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("a page has 1 to " + MAX_LIMIT + " groups, was " + limit));
        }
        Optional<TenantId> known = ClientWords.tenant(tenant);
        if (known.isEmpty()) {
            return CompletableFuture.completedFuture(new Page<>(List.of(), null));
        }
        TenantId of = known.get();
        if (groupQuestions.incrementAndGet() > MAX_GROUP_QUESTIONS) {
            groupQuestions.decrementAndGet();
            return CompletableFuture.failedFuture(
                    new NotServingException("too many questions about groups; try again later"));
        }
        try {
            return CompletableFuture.supplyAsync(
                            () -> topics.groups(of, group.orElse(null), filter.orElse(null), after, limit + 1), thread)
                    .whenComplete((found, failure) -> groupQuestions.decrementAndGet())
                    .thenApply(found -> page(found, limit));
        } catch (RejectedExecutionException e) {
            groupQuestions.decrementAndGet();
            return CompletableFuture.failedFuture(new NotServingException("this node is stopping"));
        }
    }

    private static Page<GroupView, String> page(List<GroupInfo> found, int limit) {
        List<GroupView> views = new ArrayList<>();
        long chars = 0;
        for (GroupInfo each : found) {
            if (views.size() == limit || chars > MOST_CHARS) {
                return new Page<>(views, views.get(views.size() - 1).sharedFilter());
            }
            TopicFilter shared = each.filter();
            String text = shared.text();
            chars += text.length();
            GroupView.Sharing sharing = switch (shared.sharing()) {
                case ORDERED -> GroupView.Sharing.ORDERED;
                case QUEUE -> GroupView.Sharing.QUEUE;
                case SHARED, NONE, EXCLUSIVE -> GroupView.Sharing.SHARED;
            };
            views.add(new GroupView(
                    text,
                    String.valueOf(shared.shareGroup()),
                    shared.filter(),
                    sharing,
                    each.live() + each.elsewhere(),
                    each.stored()));
        }
        return new Page<>(views, null);
    }

    /** Asks all nodes for a live session and the leader for a stored one, both at once. */
    @Override
    public CompletableFuture<ClusterAnswer<Optional<Page<Subscription, String>>>> subscriptions(
            ClientReference key, @Nullable String after, int limit, Duration within) {
        if (limit < 1 || limit > MAX_LIMIT) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("a page has 1 to " + MAX_LIMIT + " subscriptions, was " + limit));
        }
        ClientKey wanted = ClientWords.key(key).orElse(null);
        if (wanted == null) {
            return CompletableFuture.completedFuture(ClusterAnswer.complete(Optional.empty()));
        }
        CompletableFuture<Answers<Optional<NodeSubscriptions>>> live =
                nodes.ask(within, node -> node.subscriptions(wanted, after, limit, within));
        return live.isCompletedExceptionally() // too many questions, so the store is not asked
                ? live.thenApply(none -> ClusterAnswer.complete(Optional.empty()))
                : live.thenCombine(stored(wanted, after, limit, within), ReceiversOverNodes::either);
    }

    private record Stored(
            Optional<SubscriptionPage> page, @Nullable Throwable failure) {}

    private CompletableFuture<Stored> stored(ClientKey key, @Nullable String after, int limit, Duration within) {
        if (storeQuestions.incrementAndGet() > MAX_STORE_QUESTIONS) {
            storeQuestions.decrementAndGet();
            return CompletableFuture.failedFuture(
                    new NotServingException("too many questions to the inbox store; try again later"));
        }
        Deadline deadline = new Deadline(System.nanoTime() + within.toNanos());
        return catalog.subscriptions(key.tenant(), key.clientId(), after, limit, deadline)
                .whenComplete((page, failure) -> storeQuestions.decrementAndGet())
                .copy()
                .orTimeout(within.toNanos(), TimeUnit.NANOSECONDS)
                .handle((page, failure) -> new Stored(page == null ? Optional.empty() : page, failure));
    }

    /**
     * The subscriptions that were found. If none were and a node or the store did not answer, it is unknown whether the
     * client exists.
     */
    private static ClusterAnswer<Optional<Page<Subscription, String>>> either(
            Answers<Optional<NodeSubscriptions>> live, Stored stored) {
        Optional<Page<Subscription, String>> found = live.answers().values().stream()
                .flatMap(Optional::stream)
                .findFirst()
                .map(ReceiversOverNodes::page)
                .or(() -> stored.page.map(ReceiversOverNodes::page));
        if (found.isPresent()) {
            return ClusterAnswer.complete(found);
        }
        if (stored.failure != null) {
            throw new CompletionException(
                    new NotServingException(FAILURES.told("the inbox store does not answer", stored.failure)));
        }
        return new ClusterAnswer<>(found, List.copyOf(live.missing().keySet()));
    }

    private static Page<Subscription, String> page(NodeSubscriptions live) {
        List<Subscription> items = live.entries().stream()
                .map(entry -> view(
                        entry.filter(),
                        entry.options().qos(),
                        entry.options().noLocal(),
                        entry.options().retainAsPublished(),
                        entry.options().subscriptionId()))
                .toList();
        return page(items, live.hasMore());
    }

    private static Page<Subscription, String> page(SubscriptionPage stored) {
        List<Subscription> items = stored.subscriptions().stream()
                .map(each -> view(
                        each.filter().text(),
                        each.qos(),
                        each.noLocal(),
                        each.retainAsPublished(),
                        each.subscriptionId()))
                .toList();
        return page(items, stored.hasMore());
    }

    private static Page<Subscription, String> page(List<Subscription> items, boolean hasMore) {
        return new Page<>(items, hasMore ? items.get(items.size() - 1).filter() : null);
    }

    private static Subscription view(
            String filter, Qos qos, boolean noLocal, boolean retainAsPublished, int subscriptionId) {
        return new Subscription(filter, qos.value(), noLocal, retainAsPublished, subscriptionId);
    }

    @Override
    public CompletableFuture<ClusterAnswer<Receivers>> receivers(
            String tenant, String topic, int limit, Duration within) {
        return ask(tenant, of -> TopicQuestion.ofTopic(of, topic), limit, within);
    }

    @Override
    public CompletableFuture<ClusterAnswer<Receivers>> subscribers(
            String tenant, String filter, int limit, Duration within) {
        return ask(tenant, of -> TopicQuestion.ofFilter(of, filter), limit, within);
    }

    private CompletableFuture<ClusterAnswer<Receivers>> ask(
            String tenant, Function<TenantId, TopicQuestion> asking, int limit, Duration within) {
        if (limit < 1 || limit > MAX_LIMIT) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("a list has 1 to " + MAX_LIMIT + " receivers, was " + limit));
        }
        try {
            return ClientWords.tenant(tenant)
                    .map(asking)
                    .map(question -> nodes.ask(within, node -> node.receivers(question, limit, within))
                            .thenApply(answers -> merged(answers, limit)))
                    .orElseGet(() ->
                            CompletableFuture.completedFuture(ClusterAnswer.complete(new Receivers(List.of(), 0))));
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private ClusterAnswer<Receivers> merged(Answers<NodeReceivers> answers, int limit) {
        List<Receiver> all = new ArrayList<>();
        long[] total = {0};
        answers.answers().forEach((node, of) -> {
            total[0] += of.liveTotal();
            of.live().forEach(each -> all.add(new Receiver(each.clientId(), node, false, each.qos(), each.group())));
            if (node.equals(nodes.self())) {
                total[0] += of.storedTotal();
                of.stored().forEach(each -> all.add(new Receiver(each.clientId(), "", true, each.qos(), each.group())));
            }
        });
        all.sort(Comparator.comparing(Receiver::clientId)
                .thenComparing(Receiver::node)
                .thenComparing(Receiver::sharedFilter));
        List<Receiver> first = new ArrayList<>();
        long chars = 0;
        for (Receiver each : all) {
            chars += each.clientId().length() + each.sharedFilter().length();
            if (first.size() == limit || chars > MOST_CHARS && !first.isEmpty()) {
                break;
            }
            first.add(each);
        }
        return new ClusterAnswer<>(
                new Receivers(first, total[0]), List.copyOf(answers.missing().keySet()));
    }
}
