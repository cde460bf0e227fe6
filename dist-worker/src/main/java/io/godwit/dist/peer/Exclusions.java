package io.godwit.dist.peer;

import io.godwit.dist.member.Members;
import io.godwit.dist.member.NodeLife;
import io.godwit.kv.client.RangeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for the exclusion of members, once for all who need it at a time. What cannot be agreed on is asked again for a
 * while: a node that has just got its proof back has no say about silence yet, and meanwhile the confirmation may come.
 * Thread-safe; the lock is for subscribers, publishers and links that lose the same member together.
 */
final class Exclusions {
    private static final Logger LOG = LoggerFactory.getLogger(Exclusions.class);

    /** Longer than a node has no say, see {@link Members#exclude}. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    static final Duration PAUSE = Duration.ofMillis(500);

    private final Members members;
    private final PeerTimers timers;
    private final LongSupplier nanoTime;
    private final Map<NodeLife, Asking> underWay = new HashMap<>();
    private boolean isClosed;

    Exclusions(Members members, PeerTimers timers, LongSupplier nanoTime) {
        this.members = members;
        this.timers = timers;
        this.nanoTime = nanoTime;
    }

    /** One exclusion that is asked for. The needs are guarded by the owner; empty when it is settled. */
    private record Asking(NodeLife life, String why, List<Need> needs) {}

    private record Need(BooleanSupplier isNeeded, long dueNanos, CompletableFuture<Void> agreed) {}

    /**
     * As {@link Members#exclude}; asks again for up to {@link #PATIENCE}. Fails once closed: a node that stops loses all
     * others, who go on without it.
     *
     * @param isNeeded whether it is needed still; looked at before it is asked again, on any thread
     */
    CompletableFuture<Void> exclude(NodeLife life, String why, BooleanSupplier isNeeded) {
        Need need = new Need(isNeeded, nanoTime.getAsLong() + PATIENCE.toNanos(), new CompletableFuture<>());
        Asking fresh;
        synchronized (this) {
            if (isClosed) {
                return CompletableFuture.failedFuture(
                        new RangeException(RangeException.Cause.CLOSED, "the dist-worker is closed"));
            }
            Asking known = underWay.get(life);
            if (known != null) {
                known.needs.add(need);
                return need.agreed;
            }
            fresh = new Asking(life, why, new ArrayList<>(List.of(need)));
            underWay.put(life, fresh);
        }
        LOG.warn("member is to be excluded node={} incarnation={} cause={}", life.nodeId(), life.incarnation(), why);
        ask(fresh);
        return need.agreed;
    }

    private void ask(Asking asking) {
        members.exclude(asking.life, asking.why).whenComplete((done, failure) -> {
            if (failure == null) {
                settled(asking).forEach(need -> need.agreed.complete(null));
            } else if (areLeft(asking, failure)) {
                timers.after(PAUSE, () -> askAgain(asking, failure));
            }
        });
    }

    private void askAgain(Asking asking, Throwable before) {
        if (areLeft(asking, before)) {
            ask(asking);
        }
    }

    private synchronized List<Need> settled(Asking asking) {
        underWay.remove(asking.life);
        return List.copyOf(asking.needs);
    }

    /** Whether somebody needs it still; else it is settled. */
    private boolean areLeft(Asking asking, Throwable failure) {
        Set<Need> over = over(asking);
        over.forEach(need -> need.agreed.completeExceptionally(failure));
        synchronized (this) {
            asking.needs.removeIf(over::contains);
            if (!asking.needs.isEmpty()) {
                return true;
            }
            underWay.remove(asking.life);
        }
        LOG.warn(
                "member could not be excluded node={} incarnation={} cause={}",
                asking.life.nodeId(),
                asking.life.incarnation(),
                failure.toString());
        return false;
    }

    /** Needs that are given up. They are looked at without the lock: they take locks of their own. */
    private Set<Need> over(Asking asking) {
        List<Need> needs;
        boolean isEnd;
        synchronized (this) {
            needs = List.copyOf(asking.needs);
            isEnd = isClosed;
        }
        long now = nanoTime.getAsLong();
        return needs.stream()
                .filter(need -> isEnd || need.dueNanos - now <= 0 || !need.isNeeded.getAsBoolean())
                .collect(Collectors.toSet());
    }

    synchronized void close() {
        isClosed = true;
    }
}
