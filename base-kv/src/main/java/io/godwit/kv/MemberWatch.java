package io.godwit.kv;

import io.godwit.cluster.ClusterListener;
import io.godwit.cluster.Departure;
import io.godwit.cluster.Member;
import io.godwit.plugin.balance.Liveness;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which nodes of this node's cluster are there, and since when; and which members are none of it. Told on the cluster's
 * thread, asked on any: hence the lock, held for a look.
 */
final class MemberWatch implements ClusterListener {
    private static final Logger LOG = LoggerFactory.getLogger(MemberWatch.class);

    private final String clusterId;
    private final Consumer<Member> onSuperseded;
    private final long startNanos = System.nanoTime();
    private final Map<String, Seen> seen = new HashMap<>(); // guarded by this
    /** By node id; told once each. */
    private final Map<String, String> conflicts = new HashMap<>(); // guarded by this

    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    /** A node as it was seen last. */
    record Seen(Member member, Liveness liveness, long sinceNanos) {
        Duration forHowLong() {
            return Duration.ofNanos(System.nanoTime() - sinceNanos);
        }
    }

    /** @param onSuperseded told when this process is not the one of its node any more */
    MemberWatch(String clusterId, Consumer<Member> onSuperseded) {
        this.clusterId = clusterId;
        this.onSuperseded = onSuperseded;
    }

    boolean isOurs(Member member) {
        return MemberFacts.of(member).clusterId().equals(clusterId);
    }

    /**
     * From now on {@code listener} is called when the conflicts may have changed, on a thread that it must not block.
     */
    void onConflict(Runnable listener) {
        listeners.add(listener);
    }

    @Override
    public void joined(Member member) {
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
        joined(member);
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

    /** Nodes of this cluster, by store id. */
    synchronized Map<String, Seen> seen() {
        return Map.copyOf(seen);
    }

    synchronized boolean isAlive(String storeId) {
        Seen known = seen.get(storeId);
        return known != null && known.liveness() == Liveness.ALIVE;
    }

    /** How long a node has been missed that was never seen. */
    Duration sinceStart() {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }

    /** Members of other clusters that are here by mistake, for the operator; mostly empty. */
    synchronized List<String> conflicts() {
        return new TreeSet<>(conflicts.values()).stream().toList();
    }
}
