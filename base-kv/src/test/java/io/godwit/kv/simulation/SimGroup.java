package io.godwit.kv.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A Raft group: its members, what each of them has on its disk, and its running replicas. */
final class SimGroup {
    final String id;
    final List<String> voters;
    /** Only in the configuration. */
    final List<String> learners = new ArrayList<>();

    final Map<String, SimDisk> disks = new TreeMap<>();
    final Map<String, SimReplica> replicas = new TreeMap<>();
    /** Who was elected, by term. */
    final NavigableMap<Long, String> leaders = new TreeMap<>();

    long maxTerm;

    SimGroup(String id, List<String> voters) {
        this.id = id;
        this.voters = List.copyOf(voters);
    }

    int majority() {
        return voters.size() / 2 + 1;
    }

    /** The last elected leader, if it still leads. */
    @Nullable
    SimReplica newestLeader() {
        return replicas.values().stream()
                .filter(replica -> replica.leads && replica.leaderTerm == maxTerm)
                .findFirst()
                .orElse(null);
    }
}
