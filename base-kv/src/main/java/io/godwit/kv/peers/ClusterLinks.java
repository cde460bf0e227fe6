package io.godwit.kv.peers;

import io.godwit.cluster.Cluster;
import io.godwit.kv.client.Leaders;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.member.ClusterEntry;
import io.godwit.kv.member.MemberWatch;
import io.godwit.kv.member.NotedFacts;
import io.godwit.kv.remote.CallService;
import io.godwit.kv.remote.NodeRpc;
import io.godwit.kv.remote.ReportExchange;
import io.godwit.kv.remote.RouteLeaders;
import io.godwit.kv.remote.RouteTable;
import io.godwit.kv.remote.RoutedClient;
import io.godwit.kv.store.StoreRanges;
import io.godwit.plugin.balance.Liveness;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Connects a node's stores with those of the other nodes: members, leaders, requests to and from other nodes, and
 * replicas that are added and removed. Made and closed by the thread that opens the node.
 */
public final class ClusterLinks implements AutoCloseable {
    /** Bytes of pending requests to other nodes, for each store. */
    private static final long MAX_PENDING_BYTES = 64L << 20;

    private static final long LOOK_FOR_ENDED_MILLIS = 15_000;

    private final Cluster cluster;
    private final RoutedClient.Caller caller;
    private final KvThreads threads;
    private final LocalRanges local;
    private final NodeRpc rpc;
    private final CallService calls;
    private final MemberWatch members;
    private final ReportExchange exchange;
    private final Replicas replicas;
    private final UnreachedLeaders unreached;
    private final Map<String, RouteTable> tables = new ConcurrentHashMap<>();
    private final List<RoutedClient> clients = new ArrayList<>();

    /**
     * @param stores the open stores, by name; a live view
     * @param members the members of the cluster, which the caller keeps up to date
     * @param facts the facts of the cluster; reports update them and are accepted or refused by them
     */
    public ClusterLinks(
            ClusterEntry.Entered entered,
            OwnReport own,
            MemberWatch members,
            NotedFacts facts,
            Map<String, StoreRanges> stores,
            LeaderTakeOver takeOver,
            KvThreads threads) {
        this.cluster = entered.cluster();
        this.caller = new RoutedClient.Caller(
                entered.directory().clusterId().toString(), own.storeId(), entered.incarnation(), entered.protocol());
        this.threads = threads;
        this.local = new LocalRanges(stores::get);
        this.members = members;
        this.rpc = new NodeRpc(
                new NodeRpc.Self(caller.clusterId(), caller.storeId(), caller.protocol()),
                cluster.server(),
                cluster.channels(),
                threads.io(),
                facts::isForgotten);
        this.calls = new CallService(caller.clusterId(), caller.protocol(), cluster.server(), local);
        this.exchange = new ReportExchange(
                caller.storeId(), rpc, own::of, members::isOurs, facts::admit, threads.timers(), threads.io());
        facts.onForgotten(storeId -> {
            members.forget(storeId);
            exchange.forget(storeId);
        });
        this.replicas = new Replicas(
                caller.storeId(),
                rpc,
                stores::get,
                stores::values,
                () -> members.seen().keySet(),
                threads.io());
        this.unreached = new UnreachedLeaders(caller.storeId(), rpc, cluster.channels(), members, tables, takeOver);
    }

    public void start() {
        replicas.start();
        exchange.onReport(replicas::told);
        exchange.start();
        threads.everyMillis(LOOK_FOR_ENDED_MILLIS, replicas::lookForEnded);
        unreached.start();
        threads.everyMillis(UnreachedLeaders.LOOK_MILLIS, unreached::look);
        cluster.membership().addListener(exchange);
        cluster.channels().onConnected(storeId -> exchange.changed());
    }

    public NodeRpc rpc() {
        return rpc;
    }

    public MemberWatch members() {
        return members;
    }

    public ReportExchange exchange() {
        return exchange;
    }

    public Replicas replicas() {
        return replicas;
    }

    public Cluster cluster() {
        return cluster;
    }

    /** Store ids of the live other nodes that have not reported yet. */
    public Set<String> silent() {
        Set<String> silent = new TreeSet<>();
        Set<String> told = exchange.reports().keySet();
        members.seen().forEach((storeId, node) -> {
            if (node.liveness() == Liveness.ALIVE && !storeId.equals(caller.storeId()) && !told.contains(storeId)) {
                silent.add(storeId);
            }
        });
        return silent;
    }

    /** The routes of a store: its ranges and their leaders. */
    public RouteTable table(String store) {
        return tables.computeIfAbsent(store, name -> {
            RouteTable table = new RouteTable();
            exchange.keep(name, table);
            return table;
        });
    }

    /** The leaders of the ranges of a store. */
    public Leaders leadersOf(String store) {
        return new RouteLeaders(caller.storeId(), table(store), exchange::changed);
    }

    /** A client for all ranges of a store, wherever their leaders are. */
    public RangeClient clientOf(StoreRanges ranges) {
        RoutedClient client = new RoutedClient(
                ranges.name(),
                caller,
                new RoutedClient.Peers(table(ranges.name()), cluster.channels(), exchange::changed),
                local,
                ranges.client(),
                new RoutedClient.Threads(threads.ranges(), threads.timers()),
                new RoutedClient.Limits(MAX_PENDING_BYTES, ranges.maxMutationBytes(), ranges.tooLarge()));
        ranges.onChange(exchange::changed);
        clients.add(client);
        return client;
    }

    /** Closes the clients: requests of this node fail from now on. */
    public void closeClients() {
        clients.forEach(RoutedClient::close);
    }

    /** Leaves the cluster. The stores and Raft must be closed before. */
    @Override
    public void close() {
        exchange.close();
        calls.close();
        rpc.close();
        cluster.close();
    }
}
