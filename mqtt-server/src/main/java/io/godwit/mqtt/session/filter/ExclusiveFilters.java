package io.godwit.mqtt.session.filter;

import io.godwit.inbox.client.SessionDirectory;
import io.godwit.mqtt.session.core.ExclusiveLeases;
import io.godwit.mqtt.session.core.SessionCore;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import io.godwit.plugin.topic.TopicFilter;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The exclusive filters of one session in a cluster (ADR 107). A session holds a lease for each of them
 * ({@link ExclusiveLeases}), from the SUBSCRIBE until it has lost the filter or ends. So of the connected clients of
 * all nodes one at most has the filter. The index of a node knows the subscriptions of stored sessions, also of those
 * that are offline. It is asked under the lease, so no other client asks another node's index at the same time.
 *
 * <p>Confined to the loop of its session. Exists from the first exclusive filter on.
 */
public final class ExclusiveFilters {
    private final SessionCore session;
    private final ExclusiveLeases leases;
    /** Whether the session has the filter, or is about to have it. */
    private final Predicate<TopicFilter> has;

    private final Map<TopicFilter, Hold> holds = new HashMap<>(2);
    private boolean isClosed;

    public ExclusiveFilters(SessionCore session, ExclusiveLeases leases, Predicate<TopicFilter> has) {
        this.session = session;
        this.leases = leases;
        this.has = has;
    }

    /**
     * Claims the filter for a SUBSCRIBE. Completes on the loop, with whether the client may subscribe to it; then
     * {@link #subscribed} must follow. Fails when the directory gives no answer.
     */
    public CompletableFuture<Boolean> claim(TopicFilter filter) {
        Hold known = holds.get(filter);
        Hold hold = known == null ? new Hold(filter) : known;
        if (known == null) {
            holds.put(filter, hold);
            hold.acquire();
        }
        hold.claims++;
        CompletableFuture<Boolean> granted = new CompletableFuture<>();
        CompletableFuture<Boolean> asked = hold.granted.thenCompose(
                isOurs -> isOurs ? askIndex(filter) : CompletableFuture.completedFuture(false));
        OnEventLoop.whenComplete(session.connection(), asked, (isOurs, failure) -> {
            if (failure != null) {
                subscribed(filter);
                granted.completeExceptionally(failure);
                return;
            }
            if (!isOurs) {
                subscribed(filter);
            }
            granted.complete(isOurs);
        });
        return granted;
    }

    private CompletableFuture<Boolean> askIndex(TopicFilter filter) {
        return session.services.dist.claimExclusive(
                session.client().tenant(), filter, session.client().clientId());
    }

    /** The step that a {@link #claim} was made for is over, successful or not. */
    public void subscribed(TopicFilter filter) {
        Hold hold = holds.get(filter);
        if (hold != null) {
            hold.claims--;
            releaseIfUnused(hold);
        }
    }

    /** The session is about to lose the filter, or does not get it. */
    public void removed(TopicFilter filter) {
        Hold hold = holds.get(filter);
        if (hold != null) {
            releaseIfUnused(hold);
        }
    }

    private void releaseIfUnused(Hold hold) {
        if (hold.claims <= 0 && !has.test(hold.filter)) {
            holds.remove(hold.filter, hold);
            hold.release();
        }
    }

    /** The session has ended: releases all leases. */
    public void close() {
        isClosed = true;
        holds.values().forEach(Hold::release);
        holds.clear();
    }

    /** The lease of a filter, or the request for it. */
    private final class Hold {
        private final TopicFilter filter;
        /** Whether the directory has granted the lease; completes on any thread. */
        private final CompletableFuture<Boolean> granted = new CompletableFuture<>();

        private int claims;
        private SessionDirectory.@Nullable Lease lease;
        private boolean isReleased;

        Hold(TopicFilter filter) {
            this.filter = filter;
        }

        void acquire() {
            CompletableFuture<SessionDirectory.Answer> answer = leases.acquire(session.client(), filter, this::giveUp);
            OnEventLoop.whenComplete(session.connection(), answer, (answered, failure) -> {
                if (failure != null) {
                    holds.remove(filter, this); // the next SUBSCRIBE asks again
                    granted.completeExceptionally(failure);
                } else if (!(answered instanceof SessionDirectory.Lease ours)) {
                    holds.remove(filter, this);
                    granted.complete(false);
                } else if (isReleased || isClosed) {
                    ours.release();
                    granted.complete(false);
                } else {
                    lease = ours;
                    granted.complete(true);
                }
            });
        }

        void release() {
            isReleased = true;
            SessionDirectory.Lease held = lease;
            if (held != null) {
                lease = null;
                held.release();
            }
        }

        /** Another connection of this client wants the filter: this one is taken over, or has ended. Any thread. */
        private void giveUp() {
            session.connection().loop().execute(() -> {
                holds.remove(filter, this);
                release();
            });
        }
    }
}
