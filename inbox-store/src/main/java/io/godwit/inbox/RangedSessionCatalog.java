package io.godwit.inbox;

import io.godwit.inbox.client.catalog.SessionCatalog;
import io.godwit.inbox.client.catalog.StoredSessionInfo;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.format.query.SessionQuery;
import io.godwit.inbox.format.query.SubscriptionQuery;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The catalog over the ranges of a store, led on this node or others. */
final class RangedSessionCatalog implements SessionCatalog {
    private static final byte[] FIRST = {};
    /** Limit on the texts of a page, because clients choose their lengths. */
    private static final long MOST_CHARS = 1 << 20;

    private final RangeClient ranges;
    private final LongSupplier wallMillis;

    /** @param wallMillis milliseconds since the epoch */
    RangedSessionCatalog(RangeClient ranges, LongSupplier wallMillis) {
        this.ranges = ranges;
        this.wallMillis = wallMillis;
    }

    @Override
    public CompletableFuture<Page> page(Criteria criteria, @Nullable String cursor, int limit, Deadline deadline) {
        if (limit < 1 || limit > MAX_LIMIT) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("a page has 1 to " + MAX_LIMIT + " sessions, was " + limit));
        }
        TenantId tenant = criteria.tenant();
        byte[] from = tenant == null ? FIRST : InboxKeys.tenantStart(tenant);
        byte[] end = tenant == null ? null : InboxKeys.tenantEnd(tenant);
        if (cursor != null) {
            byte[] start = from;
            try {
                from = Base64.getUrlDecoder().decode(cursor);
            } catch (IllegalArgumentException e) {
                return CompletableFuture.failedFuture(new IllegalArgumentException("no cursor of sessions", e));
            }
            if (Arrays.compareUnsigned(from, start) < 0 || end != null && Arrays.compareUnsigned(from, end) >= 0) {
                return CompletableFuture.failedFuture(new IllegalArgumentException("a cursor of another list"));
            }
        }
        Listing listing = new Listing(criteria, from, end, limit, deadline);
        listing.ask(from);
        return listing.page;
    }

    @Override
    public CompletableFuture<Optional<StoredSessionInfo>> find(TenantId tenant, ClientId clientId, Deadline deadline) {
        byte[] prefix = InboxKeys.prefix(tenant, clientId);
        byte[] end = InboxKeys.key(prefix, InboxKeys.END);
        SessionQuery query = new SessionQuery(prefix, end, 1, wallMillis.getAsLong(), Criteria.ALL);
        return ranges.query(prefix, query.encode(), deadline)
                .thenApply(answer ->
                        SessionQuery.Answer.decode(answer).sessions().stream().findFirst());
    }

    @Override
    public CompletableFuture<Optional<SubscriptionPage>> subscriptions(
            TenantId tenant, ClientId clientId, @Nullable String after, int limit, Deadline deadline) {
        if (limit < 1 || limit > MAX_LIMIT) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("a page has 1 to " + MAX_LIMIT + " subscriptions, was " + limit));
        }
        byte[] prefix = InboxKeys.prefix(tenant, clientId);
        byte[] query = new SubscriptionQuery(prefix, after, limit, wallMillis.getAsLong()).encode();
        return ranges.query(prefix, query, deadline).thenApply(SubscriptionQuery.Answer::decode);
    }

    /** One page request: queries this range and the next ones until the page is full or nothing is left. */
    private final class Listing {
        private final Criteria criteria;
        private final byte[] start;
        private final byte @Nullable [] end;
        private final int limit;
        private final Deadline deadline;
        private final List<StoredSessionInfo> found = new ArrayList<>();
        private long chars;
        private final CompletableFuture<Page> page = new CompletableFuture<>();

        Listing(Criteria criteria, byte[] start, byte @Nullable [] end, int limit, Deadline deadline) {
            this.criteria = criteria;
            this.start = start;
            this.end = end;
            this.limit = limit;
            this.deadline = deadline;
        }

        void ask(byte[] from) {
            List<byte[]> starts = ranges.rangeKeys(from, end);
            byte[] nextRange = starts.size() > 1 ? starts.get(1) : null;
            byte[] rangeEnd = nextRange == null ? end : nextRange;
            SessionQuery query =
                    new SessionQuery(from, rangeEnd, limit - found.size(), wallMillis.getAsLong(), criteria);
            ranges.query(from, rangeEnd, query.encode(), deadline).whenComplete((answer, failure) -> {
                if (failure instanceof RangeException cause && cause.reason() == RangeException.Cause.MOVED) {
                    ask(from); // a split moved the end of the range
                } else if (failure != null) {
                    failed(from, failure);
                } else {
                    answered(from, answer, nextRange);
                }
            });
        }

        private void failed(byte[] from, Throwable failure) {
            if (found.isEmpty() && Arrays.equals(from, start)) {
                page.completeExceptionally(failure);
            } else {
                complete(from);
            }
        }

        private void answered(byte[] from, byte[] bytes, byte @Nullable [] nextRange) {
            try {
                SessionQuery.Answer answer = SessionQuery.Answer.decode(bytes);
                found.addAll(answer.sessions());
                answer.sessions().forEach(each -> chars += StoredSessionInfo.chars(each.client()));
                byte[] next = answer.next() == null ? nextRange : answer.next();
                if (next != null && Arrays.compareUnsigned(next, from) <= 0) {
                    throw new IllegalArgumentException("the answer continues where it began");
                }
                if (next == null || found.size() >= limit || chars >= MOST_CHARS) {
                    complete(next);
                } else if (deadline.hasPassed(System.nanoTime())) {
                    complete(next);
                } else {
                    ask(next);
                }
            } catch (RuntimeException e) {
                page.completeExceptionally(e); // the caller must not hang when an answer cannot be decoded
            }
        }

        private void complete(byte @Nullable [] next) {
            page.complete(new Page(
                    found,
                    next == null
                            ? null
                            : Base64.getUrlEncoder().withoutPadding().encodeToString(next)));
        }
    }
}
