package io.godwit.mqtt.session;

import io.godwit.dist.client.DistClient;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.mqtt.transport.Connection;
import io.godwit.mqtt.transport.OnEventLoop;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Adds and removes the subscriptions of a persistent session, which stand in two stores. Confined to the loop of its session.
 *
 * <p>A subscription is committed in the inbox first and routed then; both before SUBACK. It is removed the other way round. A crash
 * between the two leaves either a subscription whose route the next attach writes, or, after an unsubscription without its answer, the
 * same. Subscriptions to one filter each may overlap each other, since both stores keep their order. All others wait for those before them:
 * between a subscription and an unsubscription a route could be written after it was removed; and routes that are written together keep
 * no order with later ones. For the same reason the session is not handed to its next connection before
 * the steps under way are over ({@link #close}).
 *
 * <p>A failure after something may have been written is a {@link HalfDone}: neither "yes" nor "no" would be true.
 */
final class SubscriptionSteps {
    private final Connection connection;
    private final DistClient dist;
    private final InboxReceiver receiver;
    private final InboxAttachment attachment;

    private final ArrayDeque<Step> waiting = new ArrayDeque<>(0);
    private int running;
    private boolean isRunningAlone;
    private @Nullable CompletableFuture<Void> closed;

    SubscriptionSteps(Connection connection, DistClient dist, InboxReceiver receiver, InboxAttachment attachment) {
        this.connection = connection;
        this.dist = dist;
        this.receiver = receiver;
        this.attachment = attachment;
    }

    CompletableFuture<List<Boolean>> subscribe(List<StoredSubscription> added) {
        CompletableFuture<List<Boolean>> done = new CompletableFuture<>();
        enter(new Step(added.size() > 1, () -> beginSubscribe(added, done)));
        return done;
    }

    private void beginSubscribe(List<StoredSubscription> added, CompletableFuture<List<Boolean>> done) {
        OnEventLoop.whenComplete(connection, attachment.subscribe(added), (isNew, failure) -> {
            if (failure != null) {
                leave(done, List.of(), failure);
                return;
            }
            Map<TopicFilter, SubscriptionOptions> routes = new LinkedHashMap<>();
            added.forEach(s -> routes.put(s.filter(), PersistentSession.optionsOf(s))); // the last of a filter counts
            OnEventLoop.whenComplete(
                    connection,
                    dist.addRoutes(routes, receiver),
                    (all, cause) -> leave(done, isNew, HalfDone.by(cause)));
        });
    }

    CompletableFuture<List<Boolean>> unsubscribe(List<TopicFilter> filters) {
        CompletableFuture<List<Boolean>> done = new CompletableFuture<>();
        enter(new Step(true, () -> beginUnsubscribe(filters, done)));
        return done;
    }

    private void beginUnsubscribe(List<TopicFilter> filters, CompletableFuture<List<Boolean>> done) {
        OnEventLoop.whenComplete(connection, dist.removeRoutes(filters, receiver), (all, failure) -> {
            if (failure != null) {
                // of several routes some may be gone
                leave(done, List.of(), filters.size() == 1 ? failure : HalfDone.by(failure));
                return;
            }
            OnEventLoop.whenComplete(
                    connection,
                    attachment.unsubscribe(filters),
                    (existed, cause) -> leave(done, existed, HalfDone.by(cause)));
        });
    }

    /** The connection is over: what has not begun never will, and nobody is left to be told. Completes, on the loop, when what has begun is over. */
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

    private void enter(Step step) {
        if (closed == null) {
            waiting.addLast(step);
            advance();
        }
    }

    private void advance() {
        for (Step head = waiting.peekFirst(); head != null; head = waiting.peekFirst()) {
            if (running > 0 && (head.isAlone || isRunningAlone)) {
                return;
            }
            waiting.removeFirst();
            running++;
            isRunningAlone = head.isAlone;
            head.action.run();
        }
    }

    private void leave(CompletableFuture<List<Boolean>> done, List<Boolean> results, @Nullable Throwable failure) {
        running--;
        if (failure != null) {
            done.completeExceptionally(failure);
        } else {
            done.complete(results);
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

    /**
     * A subscription or unsubscription that waits for its turn.
     *
     * @param isAlone whether no other may be under way at the same time
     */
    private record Step(boolean isAlone, Runnable action) {}
}
