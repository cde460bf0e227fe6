package io.godwit.broker.messages;

import io.godwit.api.port.NotAllowedException;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.Page;
import io.godwit.api.port.message.RetainedAdmin;
import io.godwit.broker.api.BoundedQuestions;
import io.godwit.broker.api.LogText;
import io.godwit.broker.api.StoreFailures;
import io.godwit.common.failure.Failures;
import io.godwit.kv.client.Deadline;
import io.godwit.mqtt.topic.ClientTopics;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.plugin.topic.TopicName;
import io.godwit.retain.client.RetainClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The retained messages of all nodes, for the API. The store finds the leader of each range. The number of questions at
 * a time is bounded, also for each tenant, since each may read a lot. Thread-safe.
 */
public final class RetainedOverNodes implements RetainedAdmin {
    private static final Logger LOG = LoggerFactory.getLogger(RetainedOverNodes.class);
    private static final StoreFailures FAILURES = new StoreFailures(LOG);
    static final int MAX_QUESTIONS = 4;
    /**
     * Bound of questions about one message. It is separate, so that slow searches do not keep operators from clearing a
     * message.
     */
    static final int MAX_SINGLE_QUESTIONS = 32;
    /** Bound of a page in stored bytes; a larger message is a page of its own. */
    static final int MAX_PAGE_BYTES = 1 << 20;
    /** Messages that are cleared in parallel. */
    static final int GROUP = 100;

    /** Cursors of the store are URL-safe, except those of the node's own values. */
    private static final String OWN = "own:";

    private static final String OWN_IN_URL = "own.";

    private final RetainClient retain;
    private final TopicRules rules;
    private final LongSupplier wallMillis;
    private final BoundedQuestions searches =
            new BoundedQuestions(MAX_QUESTIONS, "retained messages", RetainedOverNodes::reasonOf);
    private final BoundedQuestions singles =
            new BoundedQuestions(MAX_SINGLE_QUESTIONS, "retained messages", RetainedOverNodes::reasonOf);

    /**
     * @param retain as seen by clients of this node
     * @param wallMillis milliseconds since the epoch
     */
    public RetainedOverNodes(RetainClient retain, TopicRules rules, LongSupplier wallMillis) {
        this.retain = retain;
        this.rules = rules;
        this.wallMillis = wallMillis;
    }

    @Override
    public CompletableFuture<Page<RetainedView, String>> retained(
            String tenant, String filter, @Nullable String cursor, int limit, Duration within) {
        return searches.ask(tenant, within, () -> search(tenant, filter, cursor, limit, deadline(within)))
                .thenApply(page -> new Page<>(
                        page.messages().stream().map(RetainedView::of).toList(), inUrl(page.cursor())));
    }

    @Override
    public CompletableFuture<Optional<Message>> message(String tenant, String topic, Duration within) {
        return singles.ask(tenant, within, () -> find(tenant, topic, deadline(within)));
    }

    @Override
    public CompletableFuture<Boolean> clear(String tenant, String topic, Duration within) {
        return singles.ask(tenant, within, () -> {
            if (isBrokersOwn(topic)) {
                throw new NotAllowedException("the broker alone publishes to this topic");
            }
            return find(tenant, topic, deadline(within))
                    .thenCompose(found -> found.isEmpty()
                            ? CompletableFuture.completedFuture(false)
                            : clear(new TenantId(tenant), topic).thenApply(done -> true));
        });
    }

    @Override
    public CompletableFuture<Cleared> clearMatching(
            String tenant, String filter, @Nullable String cursor, int limit, Duration within) {
        Deadline deadline = deadline(within);
        return searches.ask(tenant, within, () -> {
            LOG.info(
                    "operator clears retained messages tenant={} filter={} limit={}",
                    LogText.of(tenant),
                    LogText.of(filter),
                    limit);
            return search(tenant, filter, cursor, limit, deadline)
                    .thenCompose(page -> new Clearing(new TenantId(tenant), page, deadline).group(0));
        });
    }

    /** Clears the messages of a page in groups. */
    private final class Clearing {
        private final TenantId tenant;
        private final RetainClient.Page page;
        private final Deadline deadline;
        private int cleared;

        Clearing(TenantId tenant, RetainClient.Page page, Deadline deadline) {
            this.tenant = tenant;
            this.page = page;
            this.deadline = deadline;
        }

        CompletableFuture<Cleared> group(int from) {
            List<Message> messages = page.messages();
            if (from >= messages.size()) {
                return CompletableFuture.completedFuture(new Cleared(cleared, inUrl(page.cursor())));
            }
            if (from > 0 && deadline.hasPassed(System.nanoTime())) {
                return CompletableFuture.completedFuture(upTo(from));
            }
            int to = Math.min(messages.size(), from + GROUP);
            List<String> topics = messages.subList(from, to).stream()
                    .map(Message::topic)
                    .filter(topic -> !isBrokersOwn(topic))
                    .toList();
            CompletableFuture<?>[] sets = topics.stream()
                    .map(topic -> RetainedOverNodes.this.clear(tenant, topic))
                    .toArray(CompletableFuture<?>[]::new);
            CompletableFuture<Cleared> rest = CompletableFuture.allOf(sets).thenCompose(done -> {
                cleared += topics.size();
                return group(to);
            });
            return from == 0
                    ? rest
                    : rest.exceptionally(failure -> {
                        LOG.info(
                                "clearing of retained messages goes on with the next page cause={}",
                                LogText.of(failure));
                        return upTo(from);
                    });
        }

        private Cleared upTo(int end) {
            String last = page.messages().get(end - 1).topic();
            return new Cleared(cleared, inUrl(retain.cursorBehind(tenant, last)));
        }
    }

    private boolean isBrokersOwn(String topic) {
        return ClientTopics.UNCHANGED.refusal(rules, topic) != null;
    }

    private CompletableFuture<Void> clear(TenantId tenant, String topic) {
        return retain.set(
                tenant,
                new Message(
                        topic, new byte[0], Qos.AT_LEAST_ONCE, true, wallMillis.getAsLong(), MessageProperties.NONE));
    }

    private CompletableFuture<RetainClient.Page> search(
            String tenantName, String filter, @Nullable String cursor, int limit, Deadline deadline) {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("a page has 1 to " + MAX_LIMIT + " messages, was " + limit);
        }
        TopicFilter parsed = TopicFilter.parse(filter)
                .filter(each -> each.sharing() == TopicFilter.Sharing.NONE
                        && filter.getBytes(StandardCharsets.UTF_8).length <= TopicName.MAX_BYTES)
                .orElseThrow(() -> new IllegalArgumentException(
                        "is no topic filter of at most " + TopicName.MAX_BYTES + " bytes, or one of a shared group"));
        TenantId tenant = tenant(tenantName);
        if (tenant == null) {
            return CompletableFuture.completedFuture(new RetainClient.Page(List.of(), null));
        }
        return retain.search(tenant, parsed, ofStore(cursor), limit, MAX_PAGE_BYTES, deadline)
                .exceptionally(failure -> {
                    if (Failures.cause(failure) instanceof IllegalArgumentException wrong) {
                        throw new WrongCursorException(String.valueOf(wrong.getMessage()));
                    }
                    throw new CompletionException(Failures.cause(failure));
                });
    }

    private CompletableFuture<Optional<Message>> find(String tenantName, String topic, Deadline deadline) {
        if (!TopicName.isValid(topic) || topic.getBytes(StandardCharsets.UTF_8).length > TopicName.MAX_BYTES) {
            throw new IllegalArgumentException("is no topic name of at most " + TopicName.MAX_BYTES + " bytes");
        }
        TenantId tenant = tenant(tenantName);
        if (tenant == null) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return retain.search(tenant, new TopicFilter(null, topic), null, 1, MAX_PAGE_BYTES, deadline)
                .thenApply(page -> {
                    if (page.messages().isEmpty() && page.cursor() != null) {
                        throw new CompletionException(new NotServingException("the retain store does not answer"));
                    }
                    return page.messages().stream().findFirst();
                });
    }

    /** Null if there can be no such tenant. */
    private static @Nullable TenantId tenant(String name) {
        try {
            return new TenantId(name);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable String inUrl(@Nullable String cursor) {
        return cursor == null || !cursor.startsWith(OWN)
                ? cursor
                : OWN_IN_URL
                        + Base64.getUrlEncoder()
                                .withoutPadding()
                                .encodeToString(cursor.substring(OWN.length()).getBytes(StandardCharsets.UTF_8));
    }

    private static @Nullable String ofStore(@Nullable String cursor) {
        if (cursor == null || !cursor.startsWith(OWN_IN_URL)) {
            return cursor;
        }
        try {
            byte[] topic = Base64.getUrlDecoder().decode(cursor.substring(OWN_IN_URL.length()));
            return OWN + new String(topic, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new WrongCursorException("no cursor of retained messages");
        }
    }

    /** Leaves time for an answer: an incomplete page is better than a timeout. */
    private static Deadline deadline(Duration within) {
        return new Deadline(System.nanoTime() + within.toNanos() / 4 * 3);
    }

    private static Throwable reasonOf(Throwable cause) {
        boolean isSaid = cause instanceof IllegalArgumentException
                || cause instanceof WrongCursorException
                || cause instanceof NotAllowedException
                || cause instanceof NotServingException;
        return isSaid ? cause : new NotServingException(FAILURES.told("the retain store does not answer", cause));
    }
}
