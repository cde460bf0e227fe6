package io.godwit.broker.tenants;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.clients.ClusterNodes;
import io.godwit.cluster.rpc.LocalAccess;
import io.godwit.cluster.rpc.LocalRpcServer;
import io.godwit.cluster.rpc.RpcConnection;
import io.godwit.mqtt.quota.Holdings;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.quota.TenantAccounts;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.throttle.TenantResource;
import io.godwit.testing.Await;
import io.grpc.Channel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Quotas of a tenant hold for three nodes together, which ask each other over gRPC. */
@Timeout(180)
class QuotasOverNodesTest {
    private static final TenantId BIRDS = new TenantId("birds");

    @TempDir
    private Path directory;

    private final AtomicLong nanos = new AtomicLong();
    private final Map<TenantResource, Long> quotas = new ConcurrentHashMap<>();
    private final Map<String, Channel> channels = new ConcurrentHashMap<>();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final List<Node> nodes = new ArrayList<>();

    private final class Node implements ClusterNodes, WaitingTenants, Holdings {
        private final String id;
        private final UsageExchange exchange = new UsageExchange(this, nanos::get);
        private final TenantAccounts accounts = new TenantAccounts(tenant -> most(), nanos::get);
        private final TenantLimiter limiter = new TenantLimiter(accounts, null, exchange, nanos::get);
        /** Volatile: other nodes ask on a thread of the exchange. */
        private volatile long queued;

        private volatile long delayed;

        private Map<TenantId, Long> bounds = Map.of();

        Node(String id) throws Exception {
            this.id = id;
            accounts.holdings(this);
            limiter.bound(this);
            opened.push(exchange);
            opened.push(limiter);
            Path file = directory.resolve(id);
            opened.push(LocalRpcServer.start(List.of(exchange.service()), file));
            RpcConnection connection = RpcConnection.local(LocalAccess.read(file));
            opened.push(connection);
            channels.put(id, connection.channel());
        }

        @Override
        public String self() {
            return id;
        }

        @Override
        public Set<String> others() {
            Set<String> others = new TreeSet<>(channels.keySet());
            others.remove(id);
            return others;
        }

        @Override
        public @Nullable Channel to(String nodeId) {
            return channels.get(nodeId);
        }

        @Override
        public long queuedBytes(TenantId tenant) {
            return queued;
        }

        @Override
        public long delayedMessages(TenantId tenant) {
            return delayed;
        }

        @Override
        public Set<TenantId> withQueues() {
            return queued == 0 ? Set.of() : Set.of(BIRDS);
        }

        @Override
        public void boundQueues(Map<TenantId, Long> mostBytes) {
            bounds = mostBytes;
        }

        private @Nullable TenantResource enter() {
            return accounts.enter(BIRDS);
        }

        private void enter(int clients) {
            for (int i = 0; i < clients; i++) {
                assertThat(enter()).isNull();
            }
        }

        /** Waits until this node may use that much of the quota. */
        private void awaitShare(TenantResource resource, long share) {
            Supplier<String> what = () -> id + " has " + accounts.peek(BIRDS).most(resource) + " and not " + share;
            Await.until(what, Await.PATIENCE, () -> {
                limiter.look();
                return accounts.peek(BIRDS).most(resource) == share;
            });
        }
    }

    private long[] most() {
        long[] most = new long[TenantResource.values().length];
        Arrays.fill(most, TenantAccount.ANY);
        quotas.forEach((resource, quota) -> most[resource.ordinal()] = quota);
        return most;
    }

    @BeforeEach
    void start() throws Exception {
        for (String id : List.of("a", "b", "c")) {
            nodes.add(new Node(id));
        }
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    @Test
    void clientsOfOtherNodesCount() {
        quotas.put(TenantResource.CONNECTIONS, 10L);
        Node a = nodes.get(0);
        Node b = nodes.get(1);
        Node c = nodes.get(2);
        a.enter(5);
        b.enter(3);
        c.enter(1);
        c.awaitShare(TenantResource.CONNECTIONS, 2);
        a.awaitShare(TenantResource.CONNECTIONS, 6);
        assertThat(c.enter()).isNull();
        assertThat(c.enter()).isEqualTo(TenantResource.CONNECTIONS);
        a.awaitShare(TenantResource.CONNECTIONS, 5);
        assertThat(a.enter()).isEqualTo(TenantResource.CONNECTIONS);
        b.accounts.leave(BIRDS);
        a.awaitShare(TenantResource.CONNECTIONS, 6);
        assertThat(a.enter()).isNull();
    }

    /** The first round only asks the other nodes; the second one measures too. */
    @Test
    void nodesAskEachOtherAlsoInRoundsThatMeasureNothing() {
        quotas.put(TenantResource.CONNECTIONS, 10L);
        Node c = nodes.get(2);
        nodes.get(0).enter(4);
        c.enter(1);
        c.limiter.round();
        Await.until(
                "what the first node has",
                () -> c.exchange.others(BIRDS).stream().anyMatch(other -> other.of(TenantResource.CONNECTIONS) == 4));
    }

    @Test
    void aNodeThatIsSilentOrGoneLeavesItsPartToTheOthers() {
        quotas.put(TenantResource.CONNECTIONS, 10L);
        Node a = nodes.get(0);
        a.enter(5);
        nodes.get(1).enter(3);
        nodes.get(2).enter(1);
        a.awaitShare(TenantResource.CONNECTIONS, 6);
        channels.remove("c");
        a.awaitShare(TenantResource.CONNECTIONS, 7);
        nodes.get(1).exchange.close();
        a.limiter.look();
        assertThat(a.accounts.peek(BIRDS).most(TenantResource.CONNECTIONS))
                .as("the last report of a silent node stays valid for a while")
                .isEqualTo(7);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(6));
        a.awaitShare(TenantResource.CONNECTIONS, 10);
    }

    @Test
    void nodesThatAreShortOfDeliveriesShareTheQuota() {
        quotas.put(TenantResource.DELIVER_RATE, 90L);
        quotas.put(TenantResource.DELIVER_BYTES, 9_000L);
        Node a = nodes.get(0);
        Node b = nodes.get(1);
        nodes.forEach(each -> each.enter(1));
        for (int i = 0; i < 200; i++) {
            a.accounts.of(BIRDS).delivered(10);
            b.accounts.of(BIRDS).delivered(10);
        }
        nodes.forEach(each -> each.limiter.look());
        a.awaitShare(TenantResource.DELIVER_RATE, 45);
        a.awaitShare(TenantResource.DELIVER_BYTES, 7_000);
        b.awaitShare(TenantResource.DELIVER_RATE, 45);
        nodes.get(2).awaitShare(TenantResource.DELIVER_RATE, 30);
    }

    @Test
    void whatWaitsIsBoundedWhereTheTenantHasNoClients() {
        quotas.put(TenantResource.QUEUED_BYTES, 100L);
        Node a = nodes.get(0);
        Node b = nodes.get(1);
        a.queued = 40;
        b.queued = 30;
        a.awaitShare(TenantResource.QUEUED_BYTES, 70);
        a.limiter.look();
        assertThat(a.bounds).containsExactly(Map.entry(BIRDS, 70L));
        assertThat(a.accounts.all()).isEmpty();
        b.queued = 0;
        a.awaitShare(TenantResource.QUEUED_BYTES, 100);
        a.queued = 0;
        a.limiter.look();
        assertThat(a.bounds).isEmpty();
    }

    @Test
    void delayedMessagesOfOtherNodesCount() {
        quotas.put(TenantResource.DELAYED_MESSAGES, 10L);
        Node a = nodes.get(0);
        Node b = nodes.get(1);
        a.enter(1);
        b.delayed = 7;
        a.awaitShare(TenantResource.DELAYED_MESSAGES, 3);
        a.delayed = 2;
        assertThat(a.accounts.of(BIRDS).hasRoomForDelayed()).isTrue();
        a.delayed = 3;
        assertThat(a.accounts.of(BIRDS).hasRoomForDelayed()).isFalse();
        b.delayed = 0;
        a.awaitShare(TenantResource.DELAYED_MESSAGES, 10);
        assertThat(a.accounts.of(BIRDS).hasRoomForDelayed()).isTrue();
    }

    @Test
    void nothingIsKeptOfATenantWithoutClients() {
        quotas.put(TenantResource.CONNECTIONS, 10L);
        nodes.forEach(each -> each.enter(1));
        nodes.get(0).awaitShare(TenantResource.CONNECTIONS, 8);
        nodes.forEach(each -> each.accounts.leave(BIRDS));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(6));
        nodes.forEach(each -> each.limiter.look());
        assertThat(nodes).allSatisfy(each -> assertThat(each.accounts.all()).isEmpty());
        Await.until("what was told is forgotten", () -> {
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(6));
            nodes.get(0).limiter.look();
            return nodes.get(0).exchange.others(BIRDS).isEmpty();
        });
    }
}
