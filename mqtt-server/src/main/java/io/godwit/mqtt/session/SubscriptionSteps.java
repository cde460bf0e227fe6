package io.godwit.mqtt.session;

import io.godwit.dist.client.DistClient;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.RouteNumber;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxFailure;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.mqtt.transport.Connection;
import io.godwit.mqtt.transport.OnEventLoop;
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
 * Adds and removes the subscriptions of a persistent session, which stand in two stores. Confined to the loop of its
 * session.
 *
 * <p>A subscription is committed in the inbox first and routed then; both before SUBACK. It is removed the other way
 * round. A crash between the two leaves either a subscription whose route the next attach writes, or, after an
 * unsubscription without its answer, the same. Those of one filter each may overlap, so that many share a batch of
 * either store: both stores keep the order of what concerns one filter. But those of the same filter wait for each
 * other: a route that is written again, since its node was lost, would come behind a later one. And those of
 * several filters wait for all before them, and all behind wait for them: routes that are written together keep no
 * order with later ones. For the same reason the session is not handed to its next connection before the steps under
 * way are over ({@link #close}).
 *
 * <p>That connection may be served by another node, to which this one, cut off, cannot hand anything. So the changes of
 * routes have numbers ({@link RouteNumber}): a removal that arrives behind what a later attachment has written has no
 * effect, nor has a write. For that the number must be this attachment's own. A leader may answer an attach before it
 * is committed, and the next leader may give its number again. What a subscription commits comes behind it; before the
 * first removal, when nothing else was committed, a change without filters is. A route that was removed leaves no
 * number: docs/adr/0069 says what then becomes of a write that comes late.
 *
 * <p>The answers leave in the order of the requests.
 *
 * <p>A failure after something may have been written is a {@link HalfDone}: neither "yes" nor "no" would be true.
 */
final class SubscriptionSteps {
    private final Connection connection;
    private final DistClient dist;
    private final InboxReceiver receiver;
    private final InboxAttachment attachment;
    /** 0 when the node is alone: then nobody else writes these routes. */
    private final long attachNumber;

    private final ArrayDeque<Step> waiting = new ArrayDeque<>(0);
    /** Begun and not answered, in order. */
    private final ArrayDeque<Step> begun = new ArrayDeque<>(0);
    /** The filters of steps under way that have one. */
    private final Set<TopicFilter> single = new HashSet<>(0);

    /** Changes of routes that were begun. */
    private long changes;
    /** Whether the attachment is known to be committed, and its number so nobody else's. */
    private boolean isNumberCommitted;

    private int running;
    private boolean isRunningAlone;
    private @Nullable CompletableFuture<Void> closed;

    /** @param attachNumber of the attachment; the routes with change 0 are written before */
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
        this.isNumberCommitted = attachNumber == 0;
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
            isNumberCommitted = true;
            if (closed != null) { // on a node that was cut off, the client may have unsubscribed elsewhere since
                leave(step, List.of(), HalfDone.by(InboxFailure.over()));
                return;
            }
            Map<TopicFilter, SubscriptionOptions> routes = new LinkedHashMap<>();
            added.forEach(s -> routes.put(s.filter(), PersistentSession.optionsOf(s))); // the last of a filter counts
            OnEventLoop.whenComplete(
                    connection,
                    dist.addRoutes(routes, receiver, nextNumber()),
                    (all, cause) -> leave(step, isNew, HalfDone.by(cause)));
        });
    }

    CompletableFuture<List<Boolean>> unsubscribe(List<TopicFilter> filters) {
        TopicFilter only = filters.size() == 1 ? filters.get(0) : null;
        return enter(new Step(only, step -> beginUnsubscribe(filters, step)));
    }

    private void beginUnsubscribe(List<TopicFilter> filters, Step step) {
        if (isNumberCommitted) {
            removeRoutes(filters, step);
            return;
        }
        OnEventLoop.whenComplete(connection, attachment.unsubscribe(List.of()), (nothing, failure) -> {
            if (failure != null) {
                leave(step, List.of(), failure);
            } else if (closed != null) {
                leave(step, List.of(), InboxFailure.over());
            } else {
                isNumberCommitted = true;
                removeRoutes(filters, step);
            }
        });
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
     * The connection is over: what has not begun never will, and nobody is left to be told. Completes, on the loop,
     * when what has begun is over.
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

    /** One of the two stores has it and the other has not, or not all of it. */
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
        /** Its one filter; null when there are several. */
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
