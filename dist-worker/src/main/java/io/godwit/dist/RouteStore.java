package io.godwit.dist;

import io.godwit.common.failure.Failures;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.RouteNumber;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.member.Members;
import io.godwit.dist.route.Route;
import io.godwit.dist.route.RouteKeys;
import io.godwit.dist.route.RouteMutation;
import io.godwit.dist.route.RouteQuery;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes routes through the ranges of the dist store. Thread-safe; futures fail with RangeException only.
 *
 * <p>A nearly full disk refuses no route, neither its removal nor its addition: the inbox store has accepted or refused
 * the subscription before that, and a resumed session needs the routes of its subscriptions.
 *
 * <p>A write whose leader was lost is sent again in its order, by {@link RangeClient#relieveAgain}, unless a later
 * write of its key from this node has been sent. A write that fails with {@code LOST} or {@code TIMEOUT} is not
 * repeated here: it may have been applied, or may be later, and its caller may have changed the same routes since. A
 * second copy after a removal would leave a route without a subscription, and of two changes without numbers the
 * earlier one would win. The caller learns that the outcome is unknown. The next attachment of the session writes
 * missing routes with a larger number, and {@link RemovalsAgain} removes routes that a late copy brings back.
 *
 * <p>A change with a number is for a session with a client or a plugin on this node. Once the node has given up its
 * clients, the change is not sent any more: the client may resume elsewhere, and a route that it has removed there
 * would come back. Repeated removals are not bound by this.
 */
final class RouteStore {
    /** Most changes in one mutation. */
    private static final int MAX_CHANGES = 256;
    /** A mutation ends with the key that exceeds this total; a key is up to 128 KiB. */
    private static final int MAX_BYTES = 64 * 1024;

    private final RangeClient ranges;
    private final Duration timeout;
    private final Members members;

    RouteStore(RangeClient ranges, Duration timeout, Members members) {
        this.ranges = ranges;
        this.timeout = timeout;
        this.members = members;
    }

    /** The failure of a write by an attachment that is over; it had no effect. */
    private static RangeException outdated() {
        return new RangeException(
                RangeException.Cause.CLOSED, "a later attachment of the session has written a route of these");
    }

    CompletableFuture<Void> put(
            Map<TopicFilter, SubscriptionOptions> routes, InboxReceiver receiver, RouteNumber number) {
        List<RouteMutation.Change> changes = new ArrayList<>(routes.size());
        routes.forEach((filter, options) -> changes.add(
                RouteMutation.Change.put(RouteKeys.key(filter, receiver), RouteKeys.value(options, number))));
        return writeAll(changes, isWanted(number));
    }

    /**
     * Repeats a removal that was made before, see {@link RemovalsAgain}. Its number protects later subscriptions, so it
     * is also sent when the client may be served elsewhere.
     */
    CompletableFuture<Void> removeAgain(TopicFilter filter, InboxReceiver receiver, RouteNumber number) {
        return writeAll(List.of(RouteMutation.Change.remove(RouteKeys.key(filter, receiver), number)), () -> true);
    }

    CompletableFuture<Void> remove(Collection<TopicFilter> filters, InboxReceiver receiver, RouteNumber number) {
        List<RouteMutation.Change> changes = new ArrayList<>(filters.size());
        for (TopicFilter filter : filters) {
            changes.add(RouteMutation.Change.remove(RouteKeys.key(filter, receiver), number));
        }
        return writeAll(changes, isWanted(number));
    }

    /** At most {@code maxRoutes} routes of the tenant, from {@code cursor} on; the first page for null. */
    CompletableFuture<RoutePage> list(TenantId tenant, @Nullable String cursor, int maxRoutes) {
        byte[] from = cursor == null
                ? RouteKeys.tenantPrefix(tenant)
                : Base64.getUrlDecoder().decode(cursor);
        return plain(list(from, RouteKeys.tenantEnd(tenant), maxRoutes, deadline()));
    }

    private CompletableFuture<RoutePage> list(byte[] from, byte[] to, int maxRoutes, Deadline deadline) {
        List<byte[]> starts = ranges.rangeKeys(from, to);
        byte[] next = starts.size() > 1 ? starts.get(1) : null;
        return ranges.query(from, next == null ? to : next, new RouteQuery(from, to, maxRoutes).encode(), deadline)
                .handle((answer, failure) -> {
                    if (failure == null) {
                        return CompletableFuture.completedFuture(page(RouteQuery.Answer.decode(answer), next));
                    }
                    return failure instanceof RangeException cause && cause.reason() == RangeException.Cause.MOVED
                            ? list(from, to, maxRoutes, deadline) // a split moved the end of the range
                            : CompletableFuture.<RoutePage>failedFuture(failure);
                })
                .thenCompose(Function.identity());
    }

    /**
     * Writes in mutations of bounded size: a range applies each without a pause, and its log refuses one that is too
     * large.
     */
    private CompletableFuture<Void> writeAll(List<RouteMutation.Change> changes, BooleanSupplier isWanted) {
        Deadline deadline = deadline();
        List<CompletableFuture<Void>> parts = new ArrayList<>(1);
        for (int from = 0; from < changes.size(); ) {
            int to = partEnd(changes, from);
            parts.add(write(changes.subList(from, to), deadline, isWanted));
            from = to;
        }
        return plain(
                parts.size() == 1 ? parts.get(0) : CompletableFuture.allOf(parts.toArray(new CompletableFuture<?>[0])));
    }

    /** A change without a number is for a session that has ended, so no client matters. */
    private BooleanSupplier isWanted(RouteNumber number) {
        return number.isNone() ? () -> true : members.clientsStay();
    }

    private static int partEnd(List<RouteMutation.Change> changes, int from) {
        int bytes = 0;
        int to = from;
        while (to < changes.size() && to < from + MAX_CHANGES && bytes < MAX_BYTES) {
            bytes += changes.get(to++).key().length;
        }
        return to;
    }

    /**
     * Writes the changes to the range of the first key; sends changes that this range does not own on in the same way,
     * until none is left.
     */
    private CompletableFuture<Void> write(
            List<RouteMutation.Change> changes, Deadline deadline, BooleanSupplier isWanted) {
        if (changes.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return ranges.relieveAgain(changes.get(0).key(), RouteMutation.encode(changes), deadline, isWanted)
                .thenCompose(reply -> {
                    CompletableFuture<Void> rest = write(RouteMutation.elsewhere(changes, reply), deadline, isWanted);
                    return RouteMutation.isOutdated(reply)
                            ? rest.thenCompose(done -> CompletableFuture.<Void>failedFuture(outdated()))
                            : rest;
                });
    }

    /** The same future with the store's failure, not wrapped by dependent stages. */
    static <T> CompletableFuture<T> plain(CompletableFuture<T> steps) {
        CompletableFuture<T> result = new CompletableFuture<>();
        steps.whenComplete((value, failure) -> {
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(Failures.cause(failure));
            }
        });
        return result;
    }

    private static RoutePage page(RouteQuery.Answer answer, byte @Nullable [] nextRange) {
        List<Route> routes = new ArrayList<>(answer.entries().size());
        for (RouteQuery.Entry entry : answer.entries()) {
            routes.add(RouteKeys.route(entry.key(), entry.value()));
        }
        byte[] next = nextRange;
        if (answer.more()) {
            byte[] last = answer.entries().get(answer.entries().size() - 1).key();
            next = Arrays.copyOf(last, last.length + 1); // the smallest key after the last
        }
        return new RoutePage(
                routes,
                next == null ? null : Base64.getUrlEncoder().withoutPadding().encodeToString(next));
    }

    private Deadline deadline() {
        return Deadline.afterMillis(timeout.toMillis());
    }
}
