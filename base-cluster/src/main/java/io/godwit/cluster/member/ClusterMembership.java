package io.godwit.cluster.member;

import io.godwit.cluster.config.ClusterConfig;
import io.godwit.cluster.config.ClusterException;
import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.member.MemberMessage.Announcement;
import io.godwit.cluster.member.MemberMessage.Leaving;
import io.godwit.cluster.member.MemberMessage.LeavingSeen;
import io.godwit.cluster.thread.DaemonThreads;
import io.godwit.cluster.trust.ClusterTls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's membership of the cluster.
 *
 * <p>Joining: JGroups finds the group by the seeds, or creates one if no seed answers; groups that were created apart
 * find each other later and merge. In a view, members that do not know each other exchange announcements. When a node
 * knows all of them and no other has its node id, it announces that it joined. From then on it is a member for
 * everybody, including itself. If an earlier process on the same store was killed, it drops out of the view within
 * seconds. If it still lives, the new process cannot join and gives up.
 *
 * <p>Leaving: a node tells everybody, waits until they have confirmed it, and then leaves the group. A node that drops
 * out of a view without saying so has crashed.
 *
 * <p>One thread, {@code cluster}, owns all state and calls the listeners. JGroups' threads only hand over to it.
 */
public final class ClusterMembership implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterMembership.class);
    private static final long FIRST_NAMES_MILLIS = 2_000;
    private static final long ASK_MILLIS = 300;
    private static final long GOODBYE_MILLIS = 500;
    /**
     * Time after which a leaving node should be out of the view: twice the time that it waits for the group's answer.
     */
    private static final long LINGER_MILLIS = 2L * MembershipStack.LEAVE_MILLIS;

    private static final long TLS_REFRESH_SECONDS = 30;

    private final ClusterConfig config;
    private final MembershipTiming timing;
    private final @Nullable ClusterTls tls;
    private final InetAddress address;
    private final SeedResolver seeds;
    private final MemberSockets sockets;
    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(1, DaemonThreads.named("cluster"));
    private final CompletableFuture<Void> joined = new CompletableFuture<>();

    private volatile Member self;
    private volatile List<Member> members = List.of();
    /** Set once, before anything is sent or received. */
    private volatile @Nullable JChannel channel;

    // owned by the thread
    private final List<ClusterListener> listeners = new ArrayList<>();
    private @Nullable Roster<Address> roster;
    private long revision = 1;
    private boolean isConnected;
    private boolean isJoined;
    /** When a rival was first seen, by {@link System#nanoTime}; 0 if there is none. */
    private long rivalSince;
    /** Nodes that have not yet confirmed that this node leaves; null until it leaves. */
    private @Nullable Set<Address> goodbyes;

    private CompletableFuture<Void> allHeard = new CompletableFuture<>();

    public ClusterMembership(
            ClusterConfig config,
            NodeIdentity identity,
            @Nullable ClusterTls tls,
            MembershipTiming timing,
            SeedResolver.Names names)
            throws ClusterException {
        this.config = config;
        this.timing = timing;
        this.tls = tls;
        this.address = config.advertised();
        this.seeds = new SeedResolver(config, names);
        SSLContext context = tls == null ? null : tls.context();
        this.sockets = new MemberSockets(ClusterConfig.bindAddress(address), context);
        this.self = new Member(
                identity.nodeId(),
                identity.incarnation(),
                new HostPort(address.getHostAddress(), config.rpcPort()),
                identity.version(),
                config.env(),
                identity.attributes());
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * Joins a cluster, or creates one if no seed answers. Call once.
     *
     * @return completes on the cluster thread when this node is a member; fails with {@link ClusterException} if the
     *     port is taken or the node id is in use
     */
    public CompletableFuture<Void> start() {
        Thread joining = new Thread(this::connect, "cluster-join");
        joining.setDaemon(true);
        joining.start();
        return joined;
    }

    /** This node as it announces itself. Any thread. */
    public Member self() {
        return self;
    }

    /** The address at which other nodes reach this node's membership. */
    public InetSocketAddress endpoint() {
        return new InetSocketAddress(address, config.port());
    }

    /**
     * All seeds of the configuration and the addresses that their names resolve to now; no addresses before
     * {@link #start}. Any thread.
     */
    public List<Seed> seeds() {
        return seeds.seeds();
    }

    /** The members ordered by node id; includes this node once it has joined. Any thread. */
    public List<Member> members() {
        return members;
    }

    /** Adds {@code listener}, which is first told of the present members, then of each change. Any thread. */
    public void addListener(ClusterListener listener) {
        run(() -> {
            listeners.add(listener);
            members.forEach(listener::joined);
        });
    }

    /** Replaces the attributes that this node announces. Any thread. */
    public void announce(Map<String, String> attributes) {
        run(() -> {
            self = self.withAttributes(attributes);
            revision++;
            announceToAll();
        });
    }

    /** Adds an attribute to those that this node announces, or replaces it. Any thread. */
    public void announceAlso(String attribute, String value) {
        run(() -> {
            Map<String, String> all = new HashMap<>(self.attributes());
            all.put(attribute, value);
            self = self.withAttributes(all);
            revision++;
            announceToAll();
        });
    }

    // --- joining

    private void connect() {
        try {
            seeds.start(timing.resolve(), FIRST_NAMES_MILLIS);
            JChannel made = MembershipStack.create(address, config.port(), sockets, seeds, timing);
            made.setName(self.nodeId());
            made.setDiscardOwnMessages(true);
            made.setReceiver(new FromGroup());
            channel = made;
            made.connect("godwit:" + config.env());
            run(this::connected);
        } catch (Exception e) { // JGroups declares Exception
            joined.completeExceptionally(new ClusterException(
                    "membership does not start at " + address.getHostAddress() + ":" + config.port() + ": "
                            + e.getMessage(),
                    e));
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the tasks end with the thread
    private void connected() {
        isConnected = true;
        ask();
        thread.scheduleWithFixedDelay(guarded(this::ask), ASK_MILLIS, ASK_MILLIS, TimeUnit.MILLISECONDS);
        ClusterTls secured = tls;
        if (secured != null) {
            thread.scheduleWithFixedDelay(
                    guarded(secured::refresh), TLS_REFRESH_SECONDS, TLS_REFRESH_SECONDS, TimeUnit.SECONDS);
        }
    }

    private void viewed(View view) {
        Roster<Address> known = roster;
        if (known == null) {
            known = new Roster<>(address(), self.nodeId());
            roster = known;
        }
        tell(known.viewed(view.getMembers()));
        tell(known.announced(address(), announcement(false)));
        Set<Address> waiting = goodbyes;
        if (waiting != null) {
            waiting.retainAll(view.getMembers());
            endGoodbye(waiting);
        }
        ask();
    }

    /** Asks nodes that have not announced themselves. Repeated, because messages may be lost while views change. */
    private void ask() {
        Roster<Address> known = roster;
        if (known == null || !isConnected) {
            return;
        }
        known.unknown().forEach(key -> send(key, announcement(true)));
        tryJoin(known);
    }

    private void tryJoin(Roster<Address> known) {
        if (isJoined || !isConnected) {
            return;
        }
        Member rival = known.rival();
        if (rival != null) {
            waitForDeathOf(rival);
        } else if (known.mayJoin()) {
            isJoined = true;
            revision++;
            LOG.info(
                    "joined the cluster env={} self={} members={}",
                    config.env(),
                    self,
                    known.others().size() + 1);
            announceToAll();
            joined.complete(null);
        }
    }

    private void waitForDeathOf(Member rival) {
        if (rivalSince == 0) {
            rivalSince = System.nanoTime();
            LOG.info("waiting for the end of an earlier process of this node rival={}", rival);
        } else if (System.nanoTime() - rivalSince > TimeUnit.MILLISECONDS.toNanos(timing.rival())) {
            joined.completeExceptionally(new ClusterException("node id " + self.nodeId() + " is in use by the node at "
                    + rival.rpc() + ": is this a copy of its data directory?"));
        }
    }

    private Announcement announcement(boolean wantsAnswer) {
        return new Announcement(revision, isJoined, wantsAnswer, self);
    }

    private void announceToAll() {
        Roster<Address> known = roster;
        if (known != null) {
            known.others().forEach(key -> send(key, announcement(false)));
            tell(known.announced(address(), announcement(false)));
        }
    }

    // --- messages from the group

    /** Called on threads of JGroups. */
    private final class FromGroup implements Receiver {
        @Override
        public void receive(Message message) {
            if (!message.hasArray() || message.getArray() == null) {
                LOG.debug("message of a member without content ignored from={}", message.getSrc());
                return;
            }
            byte[] bytes = Arrays.copyOfRange(
                    message.getArray(), message.getOffset(), message.getOffset() + message.getLength());
            Address from = message.getSrc();
            run(() -> received(from, bytes));
        }

        @Override
        public void viewAccepted(View view) {
            run(() -> viewed(view));
        }
    }

    private void received(Address from, byte[] bytes) {
        MemberMessage message;
        try {
            message = MemberMessage.decode(bytes);
        } catch (IOException e) {
            LOG.warn("message of a member not understood from={} cause={}", from, e.getMessage());
            return;
        }
        Roster<Address> known = roster;
        if (known == null) {
            return;
        }
        if (message instanceof Announcement announcement) {
            tell(known.announced(from, announcement));
            if (announcement.wantsAnswer()) {
                send(from, announcement(false));
            }
            tryJoin(known);
        } else if (message instanceof Leaving) {
            known.leaving(from);
            send(from, new LeavingSeen());
            suspectUnlessGone(from);
        } else if (goodbyes != null) {
            goodbyes.remove(from);
            endGoodbye(goodbyes);
        }
    }

    /**
     * Suspects a leaving member that stays in the view. It asks the group to leave only once and then ends, whether or
     * not the group has heard it. Its connections close normally, so nobody else suspects it until the long silence
     * time-out.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // ends with the thread
    private void suspectUnlessGone(Address leaving) {
        Runnable look = guarded(() -> {
            Roster<Address> known = roster;
            JChannel connected = channel;
            if (known != null && connected != null && known.others().contains(leaving)) {
                LOG.info("member has left but is still in the group, checking it member={}", leaving);
                MembershipStack.suspect(connected, leaving);
                suspectUnlessGone(leaving);
            }
        });
        try {
            thread.schedule(look, LINGER_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("not looked for again, this node leaves too member={}", leaving);
        }
    }

    private void tell(List<Roster.Change> changes) {
        Roster<Address> known = roster;
        if (changes.isEmpty() || known == null) {
            return;
        }
        members = known.members();
        for (Roster.Change change : changes) {
            LOG.info("cluster changed change={} members={}", change, members.size());
            for (ClusterListener listener : listeners) {
                try {
                    tell(listener, change);
                } catch (RuntimeException | Error e) { // the other listeners must still be told
                    LOG.error("listener failed change={}", change, e);
                }
            }
        }
    }

    private static void tell(ClusterListener listener, Roster.Change change) {
        if (change instanceof Roster.Change.Joined joined) {
            listener.joined(joined.member());
        } else if (change instanceof Roster.Change.Updated updated) {
            listener.updated(updated.member());
        } else if (change instanceof Roster.Change.Gone gone) {
            listener.gone(gone.member(), gone.departure());
        } else if (change instanceof Roster.Change.Superseded superseded) {
            listener.superseded(superseded.by());
        }
    }

    private Address address() {
        JChannel connected = channel;
        if (connected == null) {
            throw new IllegalStateException("no channel yet");
        }
        return connected.getAddress();
    }

    private void send(Address to, MemberMessage message) {
        JChannel connected = channel;
        if (connected == null || !isConnected) {
            return;
        }
        try {
            connected.send(new BytesMessage(to, message.encode()));
        } catch (Exception e) { // JGroups declares Exception; the message is sent again later
            LOG.debug("not sent to={} message={} cause={}", to, message, e.toString());
        }
    }

    private void run(Runnable task) {
        try {
            thread.execute(guarded(task));
        } catch (RejectedExecutionException e) {
            LOG.debug("ignored: the membership is closed");
        }
    }

    /** Logs what a task throws, so that the thread goes on with the next task. */
    static Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException | Error e) { // outermost frame of the thread; repeated tasks must go on
                LOG.error("task of the membership failed", e);
            }
        };
    }

    // --- leaving

    /**
     * Leaves the cluster. Returns when everybody has confirmed it or after a time-out; blocks for up to some seconds.
     */
    @Override
    public void close() {
        if (joined.isDone() && !joined.isCompletedExceptionally()) {
            run(this::sayGoodbye);
            try {
                allHeard.get(GOODBYE_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException e) {
                LOG.debug("left without waiting any longer for everybody to know");
            }
        }
        joined.completeExceptionally(new ClusterException("closed"));
        closeChannel();
    }

    private void sayGoodbye() {
        Roster<Address> known = roster;
        Set<Address> waiting = new HashSet<>(known == null ? List.of() : known.others());
        goodbyes = waiting;
        waiting.forEach(key -> send(key, new Leaving()));
        endGoodbye(waiting);
    }

    private void endGoodbye(Set<Address> waiting) {
        if (waiting.isEmpty()) {
            allHeard.complete(null);
        }
    }

    private void closeChannel() {
        thread.shutdown();
        seeds.close();
        JChannel made = channel;
        if (made != null) {
            made.close();
        }
    }

    // --- for tests

    /** Ends like a killed process: its connections break and nobody is told. */
    public void crash() throws IOException {
        thread.shutdownNow();
        sockets.cut();
        Thread closing = new Thread(this::closeChannel, "cluster-crash"); // may block: JGroups waits for answers
        closing.setDaemon(true);
        closing.start();
    }

    @Nullable
    JChannel channel() {
        return channel;
    }
}
