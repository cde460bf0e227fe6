package io.godwit.kv.member;

import io.godwit.cluster.member.ClusterListener;
import io.godwit.cluster.member.Departure;
import io.godwit.cluster.member.Member;
import io.godwit.plugin.balance.Liveness;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks which nodes of this node's cluster are alive, and since when, and which members belong to another cluster.
 * Changed on the cluster's thread, read on any: hence the lock, which is held briefly.
 */
public final class MemberWatch implements ClusterListener {
    private static final Logger LOG = LoggerFactory.getLogger(MemberWatch.class);

    private final String clusterId;
    private final Consumer<Member> onSuperseded;
    private final Predicate<String> isForgotten;
    private final long startNanos = System.nanoTime();
    private final Map<String, Seen> seen = new HashMap<>(); // guarded by this
    /** By node id; each text is logged once. */
    private final Map<String, String> conflicts = new HashMap<>(); // guarded by this

    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    /** The last known state of a node. */
    public record Seen(Member member, Liveness liveness, long sinceNanos) {
        public Duration forHowLong() {
            return Duration.ofNanos(System.nanoTime() - sinceNanos);
        }
    }

    /**
     * @param isForgotten whether the node of a store id was given up and so does not belong to the cluster
     * @param onSuperseded called when a later process of this node has taken over
     */
    public MemberWatch(String clusterId, Predicate<String> isForgotten, Consumer<Member> onSuperseded) {
        this.isForgotten = isForgotten;
        this.clusterId = clusterId;
        this.onSuperseded = onSuperseded;
    }

    public boolean isOurs(Member member) {
        return MemberFacts.of(member).clusterId().equals(clusterId) && !isForgotten.test(member.nodeId());
    }

    /**
     * Adds {@code listener}, which is called when the conflicts may have changed, on a thread that it must not block.
     */
    public void onConflict(Runnable listener) {
        listeners.add(listener);
    }

    @Override
    public void joined(Member member) {
        if (isForgotten.test(member.nodeId())) {
            LOG.warn("a forgotten node has joined, it is told to stop node={}", member);
        }
        look(member);
    }

    private void look(Member member) {
        Optional<String> conflict = JoinRule.conflict(clusterId, member);
        boolean isNews;
        synchronized (this) {
            if (conflict.isPresent()) {
                isNews = !conflict.get().equals(conflicts.put(member.nodeId(), conflict.get()));
            } else {
                isNews = conflicts.remove(member.nodeId()) != null;
                if (isOurs(member)) {
                    Seen before = seen.get(member.nodeId());
                    long since = before != null && before.liveness() == Liveness.ALIVE
                            ? before.sinceNanos()
                            : System.nanoTime();
                    seen.put(member.nodeId(), new Seen(member, Liveness.ALIVE, since));
                }
            }
        }
        if (isNews) {
            conflict.ifPresent(what -> LOG.error("two clusters in one environment: {}", what));
            listeners.forEach(Runnable::run);
        }
    }

    @Override
    public void updated(Member member) {
        look(member);
    }

    @Override
    public void gone(Member member, Departure departure) {
        boolean wasConflict;
        synchronized (this) {
            wasConflict = conflicts.remove(member.nodeId()) != null;
            if (isOurs(member)) {
                seen.put(member.nodeId(), new Seen(member, Liveness.DOWN, System.nanoTime()));
            }
        }
        if (wasConflict) {
            listeners.forEach(Runnable::run);
        }
    }

    @Override
    public void superseded(Member other) {
        onSuperseded.accept(other);
    }

    /** Removes a node that was given up: it is no longer missed, and not accepted as a member if it comes back. */
    public void forget(String storeId) {
        Seen before;
        synchronized (this) {
            before = seen.remove(storeId);
        }
        LOG.info("node forgotten node={} wasThere={}", storeId, before != null && before.liveness() == Liveness.ALIVE);
    }

    /** The nodes of this cluster by store id. */
    public synchronized Map<String, Seen> seen() {
        return Map.copyOf(seen);
    }

    public synchronized boolean isAlive(String storeId) {
        Seen known = seen.get(storeId);
        return known != null && known.liveness() == Liveness.ALIVE;
    }

    /** Time since the start; how long a node that was never seen has been missing. */
    public Duration sinceStart() {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }

    /** Members of other clusters, which are here by a configuration error, for an operator; usually empty. */
    public synchronized List<String> conflicts() {
        return new TreeSet<>(conflicts.values()).stream().toList();
    }
}
