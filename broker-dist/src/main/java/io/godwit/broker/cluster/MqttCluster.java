package io.godwit.broker.cluster;

import io.godwit.broker.clients.ClusterNodes;
import io.godwit.broker.metrics.LinkMeters;
import io.godwit.cluster.Cluster;
import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LaneReceiver;
import io.godwit.cluster.link.LinkListener;
import io.godwit.cluster.link.LinkSettings;
import io.godwit.cluster.link.Peer;
import io.godwit.cluster.link.contact.PeerLinks;
import io.godwit.cluster.member.Member;
import io.godwit.cluster.member.NodeIdentity;
import io.godwit.cluster.member.ProcessProbe;
import io.godwit.dist.DistWorker;
import io.godwit.dist.member.ClusterMembers;
import io.godwit.dist.member.Members;
import io.godwit.dist.member.view.MemberState;
import io.godwit.dist.member.view.MembersView;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.dist.peer.LivePeers;
import io.godwit.dist.peer.link.ClusterParts;
import io.godwit.dist.peer.link.PeerWaits;
import io.godwit.dist.record.RecordReaders;
import io.godwit.inbox.InboxStore;
import io.godwit.inbox.carrier.InboxPeers;
import io.godwit.inbox.carrier.home.HomeSettings;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.SessionDirectory;
import io.godwit.inbox.session.ClusterSessionDirectory;
import io.godwit.inbox.session.port.DirectoryLimits;
import io.godwit.kv.KvStore;
import io.godwit.kv.client.Backoff;
import io.godwit.kv.client.WaitReports;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.NodeWait;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts that a clustered node needs for MQTT besides its stores: links to the other nodes, the agreed members,
 * access to inboxes that others lead, and the directory of client ids. Wires them to each other; decides nothing
 * itself.
 *
 * <p>In the order of the start: {@link #open} - {@link #parts} for the dist-worker - {@link #members} when the dist
 * store is open - {@link #inbox} while the inbox store is opened - {@link #link} when both serve - {@link #join}, then
 * the listeners for clients open. After these have closed: {@link #leave}, and {@link #close} last.
 */
public final class MqttCluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MqttCluster.class);
    private static final long TICK_MILLIS = 250;
    /** Between two looks for members of an earlier version. */
    private static final int TICKS_BETWEEN_LOOKS = 20;
    /**
     * Bound over all connections of a node. All these bytes may be for one other node, which must have memory for them.
     */
    private static final long UNACKNOWLEDGED_BYTES = SessionConfig.Intake.DEFAULTS.ofNode();

    private final Cluster cluster;
    private final PeerLinks links;
    private final NodeLife self;
    private final NodeWaits waits;
    private final LateMembers membersPort = new LateMembers();
    private final Late<KvStore> distStore = new Late<>();
    private final Late<DistWorker> dist = new Late<>();
    private final Late<InboxPeers> inboxes = new Late<>();
    private @Nullable InboxPeers openInboxes;
    private final Late<ClusterSessionDirectory> directory = new Late<>();
    private final ScheduledThreadPoolExecutor timers =
            new ScheduledThreadPoolExecutor(1, daemons("mqtt-cluster-timer"));
    private final ExecutorService directoryThread = Executors.newSingleThreadExecutor(daemons("directory"));
    private final ExecutorService probes = Executors.newSingleThreadExecutor(daemons("member-probe"));
    private volatile @Nullable ClusterMembers members;
    private volatile Consumer<String> onLack = lack -> {};
    private volatile boolean hasServed;
    /** Confined to the timer thread. */
    private final LackNotice lackNotice = new LackNotice();
    /** Confined to the timer thread, except for its count. */
    private final EarlierMembers earlier = new EarlierMembers();
    /** Confined to the timer thread. */
    private int ticks;

    private MqttCluster(Cluster cluster, PeerLinks links, NodeLife self, NodeWaits waits) {
        this.cluster = cluster;
        this.links = links;
        this.self = self;
        this.waits = waits;
        timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        timers.setRemoveOnCancelPolicy(true);
    }

    private static ThreadFactory daemons(String name) {
        return task -> {
            Thread made = new Thread(task, name);
            made.setDaemon(true);
            return made;
        };
    }

    /** @throws IOException if the certificates cannot be read */
    public static MqttCluster open(Cluster cluster, String clusterId, NodeWaits waits) throws IOException {
        cluster.membership().announceAlso(RecordReaders.ATTRIBUTE, RecordReaders.LAYOUT);
        Member own = cluster.membership().self();
        NodeIdentity identity = new NodeIdentity(own.nodeId(), own.incarnation(), own.version(), own.attributes());
        LinkSettings settings =
                LinkSettings.of(clusterId).withSilence(waits.link()).withPublishes(UNACKNOWLEDGED_BYTES);
        PeerLinks links = PeerLinks.open(cluster, identity, settings);
        return new MqttCluster(cluster, links, new NodeLife(own.nodeId(), own.incarnation()), waits);
    }

    /**
     * @param wallMillis the clock that the stores use
     * @param maxLiveFilterBytes see {@link ClusterParts}; 0 for a share of the heap
     */
    public ClusterParts parts(LongSupplier wallMillis, long maxLiveFilterBytes) {
        return new ClusterParts(
                self.nodeId(),
                links,
                membersPort,
                this::isServingMember,
                deadline -> distStore.get().mirror().catchUp(deadline),
                this::after,
                wallMillis,
                System::nanoTime,
                Backoff.RANDOM,
                new PeerWaits(waits.confirmation(), waits.sharedChoice(), waits.heldMessage()),
                maxLiveFilterBytes == 0 ? ClusterParts.defaultLiveFilterBytes() : maxLiveFilterBytes,
                this::recordsLack);
    }

    private Optional<String> recordsLack() {
        ClusterMembers made = members;
        MembersView view = made == null ? MembersView.NONE : made.view();
        return RecordReaders.lack(
                cluster.membership().members(),
                view.members().stream().map(member -> member.life().nodeId()).toList());
    }

    private boolean isServingMember() {
        ClusterMembers made = members;
        return made != null && made.view().is(self, MemberState.SERVING);
    }

    private void after(Duration delay, Runnable task) {
        later(delay.toMillis(), task);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // ends with the timers
    private void later(long millis, Runnable task) {
        try {
            timers.schedule(() -> guarded(task), millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("nothing is done later: closing");
        }
    }

    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) { // the timer's outermost frame
            LOG.error("timer task failed", e);
        }
    }

    /** Called when the dist store is open. */
    public void members(DistWorker worker, KvStore store, EventListener events, MeterRegistry meters) {
        dist.set(worker);
        distStore.set(store);
        ClusterMembers made = new ClusterMembers(
                self, store.mirror(), store.client(), worker.members(), waits.proof(), events, meters);
        members = made;
        membersPort.set(made);
        ClusterSessionDirectory ids = new ClusterSessionDirectory(
                new DirectoryMembersOf(made),
                DirectoryLimits.of(waits.clientId(), waits.silentMember()),
                new WaitReports(events, meters, NodeWait.CLIENT_ID, NodeWait.SILENT_MEMBER),
                System::nanoTime,
                directoryThread);
        directory.set(ids);
        Gauge.builder("godwit.directory.claims", ids, all -> all.sizes().claims())
                .description("client ids and exclusive filters that connections of this node have or wait for")
                .register(meters);
        Gauge.builder("godwit.directory.waiting", ids, all -> all.sizes().waiting())
                .description("client ids and exclusive filters that connections of this node wait for")
                .register(meters);
        Gauge.builder("godwit.records.unable.members", earlier, EarlierMembers::count)
                .description("members of an earlier version, which cannot read what operators have set")
                .register(meters);
        LinkMeters.register(meters, links);
    }

    /**
     * The client for inboxes on all nodes, for a store that is being opened.
     *
     * @param wallMillis the clock that the stores use
     */
    public InboxClient inbox(InboxStore store, KvStore ranges, LongSupplier wallMillis, MeterRegistry meters) {
        InboxPeers peers = store.peers(
                ranges.client(),
                ranges.leaders(),
                new AgreedMembersOf(membersPort),
                HomeSettings.DEFAULT.waiting(waits.home()).withPublishes(UNACKNOWLEDGED_BYTES),
                timers,
                wallMillis);
        Gauge.builder("godwit.inbox.waiting.bytes", peers, InboxPeers::waitingBytes)
                .baseUnit(BaseUnits.BYTES)
                .description("heap of commands that wait for the leaders of their inboxes")
                .register(meters);
        Gauge.builder("godwit.inbox.served.bytes", peers, InboxPeers::servedBytes)
                .baseUnit(BaseUnits.BYTES)
                .description("heap of commands of other nodes that leaders of this one have not answered")
                .register(meters);
        Gauge.builder("godwit.inbox.held.bytes", peers, InboxPeers::heldBytes)
                .baseUnit(BaseUnits.BYTES)
                .description("heap of deliveries that links to other nodes have no room for")
                .register(meters);
        inboxes.set(peers);
        openInboxes = peers;
        return peers.client();
    }

    /** The nodes to ask about clients. */
    public ClusterNodes nodes() {
        return new MembersToAsk(cluster, self.nodeId(), () -> known().view());
    }

    public SessionDirectory directory() {
        return directory.get();
    }

    private ClusterMembers known() {
        return Objects.requireNonNull(members, "members");
    }

    /** Called when both stores are open, so that every received frame has a receiver. */
    public void link() {
        LivePeers live = peersOf(dist.get());
        links.receive(Lane.CONTROL, this::control);
        links.receive(Lane.LIVE, LaneReceiver.paced(live::onLive));
        links.receive(Lane.INBOX_UP, inboxes.get()::receiveUp);
        links.receive(Lane.INBOX_DOWN, inboxes.get()::receiveDown);
        links.addListener(new LinkListener() {
            @Override
            public void silent(Peer peer) {
                waits.linkSilent(peer.toString());
            }
        });
        links.addListener(live);
        links.addListener(inboxes.get().linkListener());
        links.addListener(directory.get());
        links.start();
        directory.get().start();
        tick();
        cluster.membership().addListener(new LostMembers(lostParts(), links, this::later, Backoff.RANDOM));
    }

    private LostMembers.Parts lostParts() {
        return new LostMembers.Parts() {
            @Override
            public Members members() {
                return known();
            }

            @Override
            public boolean isKnown(NodeLife life) {
                return known().view().find(life) != null;
            }

            @Override
            public boolean isBack(NodeLife life) {
                MembersView view = known().view();
                return view.is(life, MemberState.JOINING) || view.is(life, MemberState.SERVING);
            }

            @Override
            public boolean isHeard(NodeLife life) {
                return known().hears(life);
            }

            @Override
            public boolean isSilent(NodeLife life) {
                return known().isSilent(life);
            }

            @Override
            public void ended(NodeLife life) {
                known().ended(life);
            }

            @Override
            public void excluded(NodeLife life) {
                peersOf(dist.get()).excluded(life);
            }

            @Override
            public boolean isOver(HostPort rpc) {
                return ProcessProbe.isOver(rpc);
            }

            @Override
            public void runBlocking(Runnable task) {
                try {
                    probes.execute(task);
                } catch (RejectedExecutionException e) {
                    LOG.debug("nothing is probed: closing");
                }
            }
        };
    }

    private static LivePeers peersOf(DistWorker worker) {
        return Objects.requireNonNull(worker.peers(), "a dist-worker of a cluster");
    }

    private void tick() {
        later(TICK_MILLIS, this::tick); // scheduled first, so that a failing tick does not end the ticks
        directory.get().tick();
        lackNotice.look(hasServed ? lack() : "", onLack);
        if (++ticks % TICKS_BETWEEN_LOOKS == 0) {
            earlier.look(
                    !dist.get().records().index().isEmpty(),
                    cluster.membership().members());
        }
    }

    /** Takes a frame of the CONTROL lane. */
    void control(Peer from, byte[] frame) {
        byte type = frame.length == 0 ? 0 : frame[0];
        if (type == LivePeers.CONTROL_TYPE) {
            peersOf(dist.get()).onControl(from, frame);
        } else if (type == ClusterSessionDirectory.FRAME_TYPE) {
            directory.get().receive(from, frame);
        } else {
            from.abandon("a control frame of type " + type);
        }
    }

    /**
     * Makes this node a serving member, and again each time that the others have excluded it.
     *
     * @param endClients ends the existing connections
     * @param lacks once the node has served: receives why it does not acknowledge, and an empty text when it does again
     * @return completes when listeners may open
     */
    public CompletableFuture<Void> join(Supplier<CompletableFuture<Void>> endClients, Consumer<String> lacks) {
        onLack = lacks;
        return known().join(new LinkIntroductions(
                        links,
                        peersOf(dist.get()),
                        this::later,
                        System::nanoTime,
                        waits.silentMember(),
                        member -> waits.memberSilent(member.toString()),
                        endClients))
                .thenRun(() -> hasServed = true);
    }

    /** Whether this node has proved recently that it serves. Any thread. */
    public boolean serves() {
        return membersPort.mayAcknowledge();
    }

    /** Why nothing is acknowledged; empty if it is. */
    public String lack() {
        ClusterMembers made = members;
        return made == null ? "the stores are being opened" : made.lack();
    }

    /**
     * Called after the clients were closed: leaves, so that the others do not wait for this node. Blocks for up to some
     * seconds.
     */
    public void leave() {
        ClusterMembers made = members;
        if (made == null) {
            return;
        }
        try {
            made.leave().get(waits.leave().toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            waits.notLeft(self.toString());
        } catch (ExecutionException e) {
            LOG.info("left before the others agreed, they will notice it by themselves cause={}", e.toString());
        }
        made.close();
    }

    /** Called after the clients were closed and after {@link #leave}, before the stores are closed. */
    @Override
    public void close() {
        if (members != null) {
            directory.get().close();
        }
        if (openInboxes != null) {
            openInboxes.close();
        }
        links.close();
        timers.shutdownNow();
        probes.shutdownNow();
        directoryThread.shutdown();
    }
}
