package io.godwit.kv.peers;

import io.godwit.cluster.rpc.RpcChannels;
import io.godwit.kv.member.MemberWatch;
import io.godwit.kv.remote.NodeRpc;
import io.godwit.kv.remote.NodeRpc.Question;
import io.godwit.kv.remote.RangeRoutes.Route;
import io.godwit.kv.remote.RouteTable;
import io.godwit.kv.store.RangeDescriptor;
import io.godwit.plugin.balance.Liveness;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
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
 *
 * <pre>
 * TAKE_OVER   utf leader | int groups, each: utf group id
 * answer      nothing
 * </pre>
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
        rpc.on(Question.TAKE_OVER, (asker, content) -> takeOver(asker, content));
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
            rpc.ask(voter, Question.TAKE_OVER, encode(leader, groups), TIMEOUT_MILLIS)
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

    private static byte[] encode(String leader, List<String> groups) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeUTF(leader);
            out.writeInt(groups.size());
            for (String group : groups) {
                out.writeUTF(group);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Answers a node that does not reach the leader. */
    private CompletableFuture<byte[]> takeOver(String asker, byte[] content) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(content))) {
            String leader = in.readUTF();
            if (!channels.isConnected(leader)) {
                throw new IOException(leader + " is not reached from here either");
            }
            int count = in.readInt();
            if (count < 0 || count > MAX_GROUPS) {
                throw new IOException("count of " + count);
            }
            LOG.info(
                    "asked to lead, because another node cannot reach the leader leader={} asker={} groups={}",
                    leader,
                    asker,
                    count);
            for (int i = 0; i < count; i++) {
                takeOver.takeOver(in.readUTF(), leader);
            }
        }
        return CompletableFuture.completedFuture(new byte[0]);
    }
}
