package io.godwit.broker.store;

import io.godwit.broker.auth.AllowAll;
import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.cluster.Late;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.BrokerSettings;
import io.godwit.dist.DistWorker;
import io.godwit.dist.client.Delayer;
import io.godwit.inbox.InboxOutlets;
import io.godwit.inbox.InboxStore;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.session.NodeSessionDirectory;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.testing.InMemoryRangeHost;
import io.godwit.mqtt.MqttServer;
import io.godwit.mqtt.session.core.SessionStores;
import io.godwit.mqtt.trace.Tracing;
import io.godwit.mqtt.transport.report.ReportTargets;
import io.godwit.plugin.event.EventListener;
import io.godwit.retain.RetainConfig;
import io.godwit.retain.RetainStore;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A broker with its real parts and a real socket on stores in memory, so that it can be stopped between any two commits
 * and "killed" there: what was committed is all that the next one finds. One thread runs the stores; {@link #onStores}
 * is the way to them.
 */
final class InMemoryBroker implements AutoCloseable {
    private final BrokerConfig config;
    private final ScheduledExecutorService storeThread = Executors.newSingleThreadScheduledExecutor();
    private final InMemoryRangeHost dist;
    private final InMemoryRangeHost inbox;
    private final InMemoryRangeHost retain;
    private Life life;
    private volatile @Nullable Throwable fault;
    private volatile UnaryOperator<LeaderRequest> onInboxRequest = request -> request;

    InMemoryBroker() throws Exception {
        Path file = Files.createTempFile("standalone", ".yml");
        Files.writeString(file, "mqttServerConfig:\n  tcpListener:\n    host: 127.0.0.1\n    port: 0\n");
        config = ConfigLoader.load(file, Map.of());
        Files.delete(file);
        life = new Life();
        dist = new InMemoryRangeHost(() -> life.dist.coprocessorFactory().get());
        retain = new InMemoryRangeHost(() -> life.retain.coprocessorFactory().get());
        inbox = new InMemoryRangeHost(() -> life.inbox.coprocessorFactory().get());
        life.start();
        storeThread.scheduleWithFixedDelay(this::turn, 0, 1, TimeUnit.MILLISECONDS);
    }

    /** Where the present one listens; another port after each kill. */
    InetSocketAddress address() {
        return life.address;
    }

    /** Runs {@code work} between two steps of the stores. */
    <T> T onStores(Callable<T> work) throws Exception {
        T result = storeThread.submit(work).get(10, TimeUnit.SECONDS);
        Throwable thrown = fault;
        if (thrown != null) {
            throw new IllegalStateException("a store has failed", thrown);
        }
        return result;
    }

    void holdCommitsOfDist() throws Exception {
        onStores(() -> {
            dist.holdCommits();
            return true;
        });
    }

    void holdCommitsOfInbox() throws Exception {
        onStores(() -> {
            inbox.holdCommits();
            return true;
        });
    }

    /** Has every range of the inbox store led anew, in good order, as soon as what is under way is over. */
    void moveInboxLeaders() throws Exception {
        onStores(() -> {
            inbox.moveLeaders();
            return true;
        });
    }

    /** From now on requests for leaders of the inbox store become what {@code change} makes of them. */
    void changeInboxRequests(UnaryOperator<LeaderRequest> change) {
        onInboxRequest = change;
    }

    int inboxMoves() throws Exception {
        return onStores(inbox::moves);
    }

    /** A counter of the present one; one told apart by tags is added up. */
    double count(String name) {
        return life.meters.find(name).functionCounters().stream()
                        .mapToDouble(FunctionCounter::count)
                        .sum()
                + life.meters.find(name).counters().stream()
                        .mapToDouble(Counter::count)
                        .sum();
    }

    int entriesInFlightOfDist() throws Exception {
        return onStores(dist::entriesInFlight);
    }

    int entriesInFlightOfInbox() throws Exception {
        return onStores(inbox::entriesInFlight);
    }

    /**
     * Ends it between two steps and starts the next on what was committed. To clients of the old one nothing more is
     * said: abort them first.
     *
     * @param reachedTheDisk whether the entries in flight were committed, though nobody has been told
     */
    void killAndRestart(boolean reachedTheDisk) throws Exception {
        int survivors = reachedTheDisk ? Integer.MAX_VALUE : 0;
        Life over = life;
        onStores(() -> {
            over.isOver = true;
            life = new Life();
            List.of(dist, retain, inbox).forEach(store -> store.crashAndRestart(survivors));
            life.start();
            return true;
        });
        // not waited for: what it has asked the stores for never happens, so its close takes the whole drain time-out
        Thread closing = new Thread(over.server::close, "end of a killed broker");
        closing.setDaemon(true);
        closing.start();
    }

    private void turn() {
        try {
            List.of(dist, retain, inbox).forEach(store -> store.advanceMillis(1));
        } catch (RuntimeException | Error e) { // told to whoever looks next
            fault = e;
            throw e;
        }
    }

    @Override
    public void close() {
        life.server.close();
        storeThread.shutdownNow();
    }

    /** What dies with a process: wired as {@code MqttStores} and {@code MqttFrontEnd} do it. */
    private final class Life {
        final DistWorker dist;
        final InboxStore inbox;
        final RetainStore retain;
        final MqttServer server;
        private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
        private final Late<InboxClient> inboxClient = new Late<>();
        private final Late<MqttServer> mqtt = new Late<>();
        private volatile boolean isOver;
        private InetSocketAddress address;

        Life() {
            dist = new DistWorker(
                    BrokerSettings.dist(config),
                    () -> new Reach(() -> InMemoryBroker.this.dist),
                    delivery -> mqtt.get().liveDeliverer().deliver(delivery),
                    new InboxDeliverer(inboxClient),
                    Delayer.NONE,
                    EventListener.NONE,
                    meters);
            retain = new RetainStore(
                    RetainConfig.DEFAULT,
                    () -> new Reach(() -> InMemoryBroker.this.retain),
                    System::currentTimeMillis,
                    EventListener.NONE,
                    meters);
            StorePublisher outlet = new StorePublisher(
                    dist::client,
                    retain::client,
                    new DelayedMessages(inboxClient, new DelayedRoom(() -> 0, tenant -> 0, 0)),
                    false);
            inbox = new InboxStore(
                    BrokerSettings.inbox(config),
                    new InboxOutlets(outlet, outlet, outlet),
                    id -> false,
                    true,
                    EventListener.NONE,
                    meters);
            inboxClient.set(inbox.client(new Reach(() -> InMemoryBroker.this.inbox) {
                @Override
                public void submit(byte[] key, LeaderRequest request) {
                    super.submit(key, onInboxRequest.apply(request));
                }
            }));
            server = new MqttServer(
                    BrokerSettings.mqtt(config),
                    new SessionStores(dist.client(), inboxClient.get(), retain.client()),
                    new NodeSessionDirectory(),
                    new AllowAll(),
                    new ReportTargets(EventListener.NONE, meters, new Tracing()),
                    System::currentTimeMillis);
            mqtt.set(server);
        }

        void start() throws IOException {
            dist.start();
            retain.start();
            address = server.start().get(0).address();
        }

        /** A store as this process reaches it; once it is over, what it still asks for never happens. */
        private class Reach implements RangeClient {
            private final Supplier<RangeClient> store;

            /** A supplier, because the stores ask the first of these objects for their coprocessors. */
            Reach(Supplier<RangeClient> store) {
                this.store = store;
            }

            @Override
            public CompletableFuture<byte[]> mutate(byte[] key, byte[] mutation, Deadline deadline) {
                return isOver ? new CompletableFuture<>() : store.get().mutate(key, mutation, deadline);
            }

            @Override
            public CompletableFuture<byte[]> relieve(byte[] key, byte[] mutation, Deadline deadline) {
                return isOver ? new CompletableFuture<>() : store.get().relieve(key, mutation, deadline);
            }

            @Override
            public CompletableFuture<byte[]> query(byte[] key, byte[] query, Deadline deadline) {
                return isOver ? new CompletableFuture<>() : store.get().query(key, query, deadline);
            }

            @Override
            public CompletableFuture<byte[]> query(byte[] key, byte @Nullable [] end, byte[] query, Deadline deadline) {
                return isOver ? new CompletableFuture<>() : store.get().query(key, end, query, deadline);
            }

            @Override
            public void submitParts(int count, IntFunction<byte[]> keys, Function<int[], LeaderRequest> requests) {
                if (!isOver) {
                    store.get().submitParts(count, keys, requests);
                }
            }

            @Override
            public void submit(byte[] key, LeaderRequest request) {
                if (!isOver) {
                    store.get().submit(key, request);
                }
            }

            @Override
            public List<byte[]> rangeKeys(byte[] start, byte @Nullable [] end) {
                return store.get().rangeKeys(start, end);
            }
        }
    }
}
