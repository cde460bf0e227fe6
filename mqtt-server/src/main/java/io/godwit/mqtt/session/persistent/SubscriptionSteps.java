package io.godwit.mqtt.session.persistent;

import io.godwit.dist.client.DistClient;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.RouteNumber;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxFailure;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Adds and removes the subscriptions of a persistent session, which are kept in two stores. Confined to the loop of its
 * session.
 *
 * <p>A subscription is first committed in the inbox and then routed; both before SUBACK. Removal goes in the other
 * order. A crash between the two leaves a subscription without its route, which the next attach writes.
 *
 * <p>Steps of single filters may overlap, so that many share a batch of either store: both stores keep the order of
 * operations on one filter. But steps of the same filter wait for each other: a route that is written again because its
 * node was lost would come after a later one. Steps of several filters wait for all steps before them, and all later
 * steps wait for them, because routes written together keep no order with later ones. For the same reason the session
 * is not handed to its next connection before the steps under way are over ({@link #close}).
 *
 * <p>Another node may serve that connection, and if this node is cut off it cannot hand over anything. So changes of
 * routes have numbers ({@link RouteNumber}): a removal or a write that arrives after a later attachment's write has no
 * effect. A home of a cluster answers an attach after its commit, so no other attachment has this number. A removed
 * route leaves no number: docs/adr/0069 describes the effect of a late write.
 *
 * <p>The answers leave in the order of the requests.
 *
 * <p>A failure after something may have been written is a {@link HalfDone}: neither success nor failure would be a true
 * answer.
 */
final class SubscriptionSteps {
    private final Connection connection;
    private final DistClient dist;
    private final InboxReceiver receiver;
    private final InboxAttachment attachment;
    /** 0 when the node is alone: then no other node writes these routes. */
    private final long attachNumber;

    private final ArrayDeque<Step> waiting = new ArrayDeque<>(0);
    /** Steps begun and not answered, in order. */
    private final ArrayDeque<Step> begun = new ArrayDeque<>(0);
    /** Filters of the single-filter steps under way. */
    private final Set<TopicFilter> single = new HashSet<>(0);

    /** Number of route changes begun. */
    private long changes;

    private int running;
    private boolean isRunningAlone;
    private @Nullable CompletableFuture<Void> closed;

    /** @param attachNumber of the attachment; the routes with change 0 are already written */
    SubscriptionSteps(
            Connection connection,
            DistClient dist,
            InboxReceiver receiver,
            InboxAttachment attachment,
            long attachNumber) {
        this.connection = connection;
        this.dist = dist;
        this.receiver = receiver;
        this.attachment = attachment;
        this.attachNumber = attachNumber;
    }

    /** The delivery options of {@code stored}. */
    static SubscriptionOptions optionsOf(StoredSubscription stored) {
        return new SubscriptionOptions(
                stored.qos(), stored.noLocal(), stored.retainAsPublished(), stored.subscriptionId());
    }

    private RouteNumber nextNumber() {
        return RouteNumber.of(attachNumber, ++changes);
    }

    CompletableFuture<List<Boolean>> subscribe(List<StoredSubscription> added) {
        TopicFilter only = added.size() == 1 ? added.get(0).filter() : null;
        return enter(new Step(only, step -> beginSubscribe(added, step)));
    }

    private void beginSubscribe(List<StoredSubscription> added, Step step) {
        OnEventLoop.whenComplete(connection, attachment.subscribe(added), (isNew, failure) -> {
            if (failure != null) {
                leave(step, List.of(), failure);
                return;
            }
            if (closed != null) { // if this node was cut off, the client may have unsubscribed elsewhere since
                leave(step, List.of(), HalfDone.by(InboxFailure.over()));
                return;
            }
            Map<TopicFilter, SubscriptionOptions> routes = new LinkedHashMap<>();
            // the last subscription of a filter counts
            added.forEach(s -> routes.put(s.filter(), optionsOf(s)));
            OnEventLoop.whenComplete(
                    connection,
                    dist.addRoutes(routes, receiver, nextNumber()),
                    (all, cause) -> leave(step, isNew, HalfDone.by(cause)));
        });
    }

    CompletableFuture<List<Boolean>> unsubscribe(List<TopicFilter> filters) {
        TopicFilter only = filters.size() == 1 ? filters.get(0) : null;
        return enter(new Step(only, step -> removeRoutes(filters, step)));
    }

    private void removeRoutes(List<TopicFilter> filters, Step step) {
        OnEventLoop.whenComplete(connection, dist.removeRoutes(filters, receiver, nextNumber()), (all, failure) -> {
            if (failure != null) {
                // of several routes some may be gone
                leave(step, List.of(), filters.size() == 1 ? failure : HalfDone.by(failure));
                return;
            }
            OnEventLoop.whenComplete(
                    connection,
                    attachment.unsubscribe(filters),
                    (existed, cause) -> leave(step, existed, HalfDone.by(cause)));
        });
    }

    /**
     * The connection is over: waiting steps never begin, and no answer is needed. Completes, on the loop, when the
     * steps under way are over.
     */
    CompletableFuture<Void> close() {
        CompletableFuture<Void> quiet = new CompletableFuture<>();
        closed = quiet;
        waiting.clear();
        completeIfQuiet();
        return quiet;
    }

    private void completeIfQuiet() {
        if (closed != null && running == 0) {
            closed.complete(null);
        }
    }

    private CompletableFuture<List<Boolean>> enter(Step step) {
        if (closed == null) {
            waiting.addLast(step);
            advance();
        }
        return step.answer;
    }

    private void advance() {
        for (Step head = waiting.peekFirst(); head != null && mayBegin(head); head = waiting.peekFirst()) {
            waiting.removeFirst();
            begun.addLast(head);
            running++;
            isRunningAlone = head.only == null;
            if (head.only != null) {
                single.add(head.only);
            }
            head.action.accept(head);
        }
    }

    private boolean mayBegin(Step step) {
        if (running == 0) {
            return true;
        }
        if (step.only == null || isRunningAlone) {
            return false;
        }
        return !single.contains(step.only);
    }

    private void leave(Step step, List<Boolean> results, @Nullable Throwable failure) {
        running--;
        if (step.only != null) {
            single.remove(step.only);
        }
        step.results = results;
        step.failure = failure;
        step.isOver = true;
        for (Step head = begun.peekFirst(); head != null && head.isOver; head = begun.peekFirst()) {
            begun.removeFirst();
            head.tell();
        }
        advance();
        completeIfQuiet();
    }

    /** Only one of the two stores has it, or only a part of it. */
    static final class HalfDone extends RuntimeException {
        private HalfDone(Throwable cause) {
            super("written in part: " + cause.getMessage(), cause, false, false);
        }

        private static @Nullable Throwable by(@Nullable Throwable cause) {
            return cause == null ? null : new HalfDone(cause);
        }
    }

    /** A subscription or unsubscription. */
    private static final class Step {
        /** Its only filter; null when there are several. */
        private final @Nullable TopicFilter only;

        private final Consumer<Step> action;
        private final CompletableFuture<List<Boolean>> answer = new CompletableFuture<>();

        private boolean isOver;
        private List<Boolean> results = List.of();
        private @Nullable Throwable failure;

        private Step(@Nullable TopicFilter only, Consumer<Step> action) {
            this.only = only;
            this.action = action;
        }

        private void tell() {
            if (failure != null) {
                answer.completeExceptionally(failure);
            } else {
                answer.complete(results);
            }
        }
    }
}
