package io.godwit.kv.peers;

import io.godwit.cluster.rpc.RpcChannels;
import io.godwit.kv.member.MemberWatch;
import io.godwit.kv.protocol.WireBytes;
import io.godwit.kv.remote.NodeRpc;
import io.godwit.kv.remote.RangeRoutes.Route;
import io.godwit.kv.remote.RouteTable;
import io.godwit.kv.store.RangeDescriptor;
import io.godwit.kv.wire.NodeAnswer;
import io.godwit.kv.wire.NodeAnswer.OutcomeCase;
import io.godwit.kv.wire.NodeQuestion;
import io.godwit.kv.wire.NodeQuestion.QuestionCase;
import io.godwit.kv.wire.TakeOver;
import io.godwit.plugin.balance.Liveness;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces leaders that are alive but cannot be reached by this node, because only the link between the two is cut.
 *
 * <p>Raft does not detect this, because such a leader has a majority without this node. Nor does the membership, as
 * long as somebody reaches both. But requests at this node would wait for as long as the link is cut. So this node asks
 * a voter that it reaches to stand for election, and that voter does so ({@link #takeOver}) if it reaches the leader
 * itself: then both sides reach the new leader. A voter that does not reach the leader either learns of its death from
 * the membership, or asks another voter itself.
 */
final class UnreachedLeaders {
    private static final Logger LOG = LoggerFactory.getLogger(UnreachedLeaders.class);
    /** A broken connection is usually made again within a second. */
    private static final long UNREACHED_NANOS = TimeUnit.SECONDS.toNanos(2);

    static final long LOOK_MILLIS = 1_000;
    private static final long ASK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final long TIMEOUT_MILLIS = 2_000;
    private static final int MAX_GROUPS = 1 << 16;

    private final String self;
    private final NodeRpc rpc;
    private final RpcChannels channels;
    private final MemberWatch members;
    private final Map<String, RouteTable> tables;
    private final LeaderTakeOver takeOver;
    /** By store id: since when a node has not been connected, and when others were asked last. Guarded by this. */
    private final Map<String, Long> unreachedSince = new HashMap<>();

    private final Map<String, Long> askedAt = new HashMap<>();

    /** @param tables the routes of each store, by its name; a live view */
    UnreachedLeaders(
            String self,
            NodeRpc rpc,
            RpcChannels channels,
            MemberWatch members,
            Map<String, RouteTable> tables,
            LeaderTakeOver takeOver) {
        this.self = self;
        this.rpc = rpc;
        this.channels = channels;
        this.members = members;
        this.tables = tables;
        this.takeOver = takeOver;
    }

    void start() {
        rpc.on(QuestionCase.TAKE_OVER, question -> takeOver(question.getAsker(), question.getTakeOver()));
    }

    /** Called every {@link #LOOK_MILLIS}, one call at a time. Very cheap while all nodes are reached. */
    synchronized void look() {
        long now = System.nanoTime();
        members.seen().forEach((storeId, seen) -> {
            if (storeId.equals(self) || seen.liveness() != Liveness.ALIVE || channels.isConnected(storeId)) {
                unreachedSince.remove(storeId);
                return;
            }
            long since = unreachedSince.computeIfAbsent(storeId, fresh -> now);
            @Nullable Long asked = askedAt.get(storeId);
            if (now - since >= UNREACHED_NANOS && (asked == null || now - asked >= ASK_AGAIN_NANOS)) {
                askedAt.put(storeId, now);
                replace(storeId);
            }
        });
    }

    private void replace(String leader) {
        Map<String, List<String>> asked = new TreeMap<>();
        tables.forEach((store, table) -> {
            Set<Long> followed = followed(table, leader);
            for (Route route : table.routes().all()) {
                boolean isLed =
                        route.leader().equals(leader) || route.leader().isEmpty() && followed.contains(route.rangeId());
                List<String> voters = isLed ? others(route, leader) : List.of();
                if (!voters.isEmpty()) {
                    // every asker chooses the same voter for a range; different ranges get different ones
                    String voter = voters.get((int) Math.floorMod(route.rangeId(), (long) voters.size()));
                    asked.computeIfAbsent(voter, fresh -> new ArrayList<>())
                            .add(RangeDescriptor.groupId(store, route.rangeId()));
                }
            }
        });
        asked.forEach((voter, groups) -> {
            LOG.info(
                    "leader is not reachable, asking another voter to lead leader={} voter={} groups={}",
                    leader,
                    voter,
                    groups);
            TakeOver wanted =
                    TakeOver.newBuilder().setLeader(leader).addAllGroups(groups).build();
            rpc.ask(voter, NodeQuestion.newBuilder().setTakeOver(wanted), OutcomeCase.DONE, TIMEOUT_MILLIS)
                    .whenComplete((done, failure) -> {
                        if (failure != null) {
                            LOG.info("voter could not be asked to lead voter={} cause={}", voter, failure.getMessage());
                        }
                    });
        });
    }

    /**
     * Ids of ranges that reachable replicas say {@code leader} leads. After the cut, the leader cannot report to this
     * node what it leads.
     */
    private Set<Long> followed(RouteTable table, String leader) {
        Set<Long> followed = new HashSet<>();
        table.told().forEach((storeId, reports) -> {
            if (channels.isConnected(storeId)) {
                reports.stream()
                        .filter(report -> report.leader().equals(leader))
                        .forEach(report -> followed.add(report.rangeId()));
            }
        });
        return followed;
    }

    private List<String> others(Route route, String leader) {
        return route.report().voters().stream()
                .filter(voter -> !voter.equals(self) && !voter.equals(leader) && channels.isConnected(voter))
                .sorted()
                .toList();
    }

    /** Answers a node that does not reach the leader. */
    private CompletableFuture<NodeAnswer> takeOver(String asker, TakeOver wanted) throws IOException {
        String leader = wanted.getLeader();
        if (!channels.isConnected(leader)) {
            throw new IOException(leader + " is not reached from here either");
        }
        int count = WireBytes.requireAtMost(wanted.getGroupsCount(), MAX_GROUPS, "groups");
        LOG.info(
                "asked to lead, because another node cannot reach the leader leader={} asker={} groups={}",
                leader,
                asker,
                count);
        wanted.getGroupsList().forEach(group -> takeOver.takeOver(group, leader));
        return CompletableFuture.completedFuture(NodeRpc.DONE);
    }
}
