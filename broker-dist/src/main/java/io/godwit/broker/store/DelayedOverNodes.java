package io.godwit.broker.store;

import io.godwit.api.port.NotServingException;
import io.godwit.api.port.Page;
import io.godwit.api.port.message.DelayedAdmin;
import io.godwit.broker.api.BoundedQuestions;
import io.godwit.broker.api.LogText;
import io.godwit.broker.api.StoreFailures;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.catalog.SessionCatalog;
import io.godwit.inbox.client.catalog.StoredSessionInfo;
import io.godwit.inbox.client.catalog.StoredSessionInfo.KeptWill;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages that {@link DelayedMessages} stores on all nodes, for the API. A search walks the records of all
 * sessions at the leaders of their ranges; a page ends when its time is over.
 *
 * <p>A message with a delivery token may be published again until its publisher's session records that it was
 * distributed. So this record is written before the message is discarded, as it is before publishing.
 */
public final class DelayedOverNodes implements DelayedAdmin {
    private static final Logger LOG = LoggerFactory.getLogger(DelayedOverNodes.class);
    private static final StoreFailures FAILURES = new StoreFailures(LOG);
    static final int MAX_QUESTIONS = 4;
    /**
     * Bound of questions about one message. It is separate, so that slow searches do not keep operators from discarding
     * a message.
     */
    static final int MAX_SINGLE_QUESTIONS = 32;
    /** Messages that are discarded in parallel. */
    private static final int MAX_AT_A_TIME = 16;

    private final SessionCatalog catalog;
    private final InboxClient inboxes;
    private final DelayedMessages delayed;
    private final BoundedQuestions searches =
            new BoundedQuestions(MAX_QUESTIONS, "delayed messages", DelayedOverNodes::reasonOf);
    private final BoundedQuestions singles =
            new BoundedQuestions(MAX_SINGLE_QUESTIONS, "delayed messages", DelayedOverNodes::reasonOf);

    public DelayedOverNodes(SessionCatalog catalog, InboxClient inboxes, DelayedMessages delayed) {
        this.catalog = catalog;
        this.inboxes = inboxes;
        this.delayed = delayed;
    }

    /** A delayed message with its session. */
    private record Kept(ClientInfo keeper, KeptWill will) {}

    private record Found(List<Kept> items, @Nullable String next) {}

    @Override
    public CompletableFuture<Page<DelayedView, String>> delayed(
            String tenant, Optional<String> filter, @Nullable String cursor, int limit, Duration within) {
        return searches.ask(tenant, within, () -> find(tenant, filter, cursor, limit, within))
                .thenApply(found ->
                        new Page<>(found.items().stream().map(this::view).toList(), found.next()));
    }

    @Override
    public CompletableFuture<Count> count(String tenant, Optional<String> filter, Duration within) {
        Deadline deadline = deadline(within.dividedBy(2));
        return searches.ask(tenant, within, () -> count(tenant, filter, null, 0, deadline));
    }

    /** Each page waits for the store, so the next one begins on another thread and the stack stays flat. */
    private CompletableFuture<Count> count(
            String tenant, Optional<String> filter, @Nullable String cursor, long before, Deadline deadline) {
        Duration left = Duration.ofNanos(Math.max(1, deadline.remainingNanos(System.nanoTime())));
        return find(tenant, filter, cursor, MAX_LIMIT, left).thenComposeAsync(found -> {
            long messages = before + found.items().size();
            if (found.next() == null || deadline.hasPassed(System.nanoTime())) {
                return CompletableFuture.completedFuture(new Count(messages, found.next() == null));
            }
            return count(tenant, filter, found.next(), messages, deadline);
        });
    }

    private DelayedView view(Kept kept) {
        return new DelayedView(
                idOf(kept.keeper().clientId()),
                kept.will().topic(),
                delayed.publisherOf(kept.keeper()).clientId().value(),
                kept.will().qos(),
                kept.will().payloadBytes(),
                kept.will().dueAtMillis());
    }

    private CompletableFuture<Found> find(
            String tenant, Optional<String> text, @Nullable String cursor, int limit, Duration within) {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("a page has 1 to " + MAX_LIMIT + " messages, was " + limit);
        }
        Optional<TopicFilter> filter = text.map(DelayedOverNodes::filter);
        Deadline deadline = deadline(within.multipliedBy(3).dividedBy(4));
        return catalog.page(DelayedMessages.kept(new TenantId(tenant)), cursor, limit, deadline)
                .thenApply(page -> new Found(
                        page.sessions().stream()
                                .flatMap(DelayedOverNodes::kept)
                                .filter(each -> filter.map(
                                                some -> some.matches(each.will().topic()))
                                        .orElse(true))
                                .toList(),
                        page.cursor()));
    }

    private static Stream<Kept> kept(StoredSessionInfo session) {
        KeptWill will = session.kept();
        return will == null ? Stream.empty() : Stream.of(new Kept(session.client(), will));
    }

    private static TopicFilter filter(String text) {
        return TopicFilter.parse(text)
                .filter(filter -> !filter.isShared() && !filter.isExclusive())
                .orElseThrow(() -> new IllegalArgumentException("is no topic filter"));
    }

    private static String idOf(ClientId keeper) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(keeper.value().getBytes(StandardCharsets.UTF_8));
    }

    /** Empty for text that is not the id of a delayed message. */
    private static Optional<ClientId> keeperOf(String id) {
        try {
            ClientId keeper = new ClientId(new String(Base64.getUrlDecoder().decode(id), StandardCharsets.UTF_8));
            return DelayedMessages.mayBeKeeper(keeper) && idOf(keeper).equals(id)
                    ? Optional.of(keeper)
                    : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    @Override
    public CompletableFuture<Boolean> discard(String tenant, String id, Duration within) {
        Optional<ClientId> keeper = keeperOf(id);
        if (keeper.isEmpty()) {
            return CompletableFuture.completedFuture(false);
        }
        Deadline deadline = deadline(within);
        TenantId ofTenant = new TenantId(tenant);
        // this check comes before the record: a made-up id would mark another message of its publisher as distributed
        return singles.ask(
                tenant,
                within,
                () -> delayed.isThere(ofTenant, keeper.get())
                        .thenCompose(isThere -> isThere
                                ? discard(ofTenant, keeper.get(), deadline)
                                : CompletableFuture.completedFuture(false)));
    }

    private CompletableFuture<Boolean> discard(TenantId tenant, ClientId keeper, Deadline deadline) {
        Resend resend = () -> deadline.hasPassed(System.nanoTime());
        return delayed.beforePublish(tenant, keeper)
                .thenCompose(recorded -> inboxes.discard(tenant, keeper, resend))
                .whenComplete((wasThere, failure) -> LOG.info(
                        "operator discards a delayed message tenant={} keeper={} wasThere={} failure={}",
                        tenant.value(),
                        LogText.of(idOf(keeper)),
                        wasThere,
                        LogText.of(String.valueOf(failure))));
    }

    @Override
    public CompletableFuture<Discarded> discardMatching(
            String tenant, String filter, @Nullable String cursor, int limit, Duration within) {
        Deadline deadline = deadline(within);
        return searches.ask(
                tenant,
                within,
                () -> find(tenant, Optional.of(filter), cursor, limit, within.dividedBy(2))
                        .thenCompose(found -> discard(found.items(), 0, 0, deadline)
                                .thenApply(messages -> new Discarded(messages, found.next()))));
    }

    /** In batches; a page has so few of them that the stack stays flat. */
    private CompletableFuture<Integer> discard(List<Kept> all, int from, int before, Deadline deadline) {
        if (from >= all.size()) {
            return CompletableFuture.completedFuture(before);
        }
        int to = Math.min(all.size(), from + MAX_AT_A_TIME);
        List<CompletableFuture<Boolean>> batch = new ArrayList<>(to - from);
        for (Kept each : all.subList(from, to)) {
            batch.add(discard(each.keeper().tenant(), each.keeper().clientId(), deadline));
        }
        return CompletableFuture.allOf(batch.toArray(CompletableFuture<?>[]::new))
                .thenCompose(done -> {
                    int discarded =
                            (int) batch.stream().filter(CompletableFuture::join).count();
                    return discard(all, to, before + discarded, deadline);
                });
    }

    private static Deadline deadline(Duration within) {
        return new Deadline(System.nanoTime() + within.toNanos());
    }

    private static RuntimeException reasonOf(Throwable cause) {
        return cause instanceof IllegalArgumentException wrong
                ? wrong
                : new NotServingException(FAILURES.told("the inbox store does not answer", cause));
    }
}
