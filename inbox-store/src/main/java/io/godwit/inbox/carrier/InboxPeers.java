package io.godwit.inbox.carrier;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LinkListener;
import io.godwit.cluster.link.Peer;
import io.godwit.inbox.carrier.home.HomeCarrier;
import io.godwit.inbox.carrier.home.HomeSettings;
import io.godwit.inbox.carrier.home.Homes;
import io.godwit.inbox.carrier.link.FrameLink;
import io.godwit.inbox.carrier.link.Timer;
import io.godwit.inbox.carrier.peer.AgreedMembers;
import io.godwit.inbox.carrier.peer.EdgeService;
import io.godwit.inbox.carrier.peer.RemoteCarrier;
import io.godwit.inbox.carrier.peer.SendingNode;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.edge.InboxEdge;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.protocol.InboxHome;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.kv.client.Leaders;
import io.godwit.kv.client.WaitReports;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The inbox protocol of one node of a cluster: both of its ends for each linked peer, and the client that reaches the
 * leader of an inbox on any node. Thread-safe.
 *
 * <p>Wiring: {@link #receiveUp} gets the frames of lane {@code INBOX_UP}, {@link #receiveDown} those of lane
 * {@code INBOX_DOWN}, and {@link #linkListener} is added to the links, all before the links start.
 */
public final class InboxPeers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(InboxPeers.class);

    private final Leaders leaders;
    private final Supplier<? extends InboxHome> newHome;
    private final AgreedMembers members;
    private final InboxHome here;
    private final HomeSettings settings;
    private final LongSupplier wallMillis;
    private final Timer timer;
    private final HomeCarrier carrier;
    private volatile boolean isClosed;
    private final InboxClient client;
    /**
     * Links add and remove, event loops read. Keyed by peer, because the next incarnation of a node may join before the
     * end of this one.
     */
    private final Map<Peer, Linked> links = new ConcurrentHashMap<>();

    private final Map<String, Linked> byNode = new ConcurrentHashMap<>();

    /**
     * @param leaders names nodes as the links do
     * @param newHome makes access to the leaders of this node for one sender
     * @param members names nodes as the links do
     * @param wallMillis milliseconds since the epoch, of the same clock as stores and frontends of this node use
     */
    public InboxPeers(
            Leaders leaders,
            Supplier<? extends InboxHome> newHome,
            AgreedMembers members,
            HomeSettings settings,
            WaitReports reports,
            ScheduledExecutorService timers,
            LongSupplier wallMillis) {
        this(leaders, newHome, members, settings, reports, System::nanoTime, wallMillis, new Timers(timers));
    }

    InboxPeers(
            Leaders leaders,
            Supplier<? extends InboxHome> newHome,
            AgreedMembers members,
            HomeSettings settings,
            WaitReports reports,
            LongSupplier nanoClock,
            LongSupplier wallMillis,
            Timer timer) {
        this.leaders = leaders;
        this.newHome = newHome;
        this.members = members;
        this.here = newHome.get();
        this.settings = settings;
        this.wallMillis = wallMillis;
        this.timer = timer;
        this.carrier = new HomeCarrier(new LinkedHomes(), settings, reports, nanoClock, timer);
        this.client = new InboxEdge(carrier);
        leaders.onChange(carrier::leadersChanged);
    }

    /** The client for all inboxes, whichever node leads them. */
    public InboxClient client() {
        return client;
    }

    /** Both ends of the protocol for one peer. */
    private final class Linked {
        final RemoteCarrier edge;
        final EdgeService served;

        Linked(Peer peer, InboxHome home) {
            // half of the peer's budget: the other half is for commands of attachments
            edge = new RemoteCarrier(
                    new PeerLane(peer, Lane.INBOX_UP),
                    wallMillis,
                    Math.max(1, settings.maxServedBytes() / 2),
                    members::revision);
            served = new EdgeService(
                    home,
                    new SendingNode(members, peer.nodeId(), peer.incarnation()),
                    new PeerLane(peer, Lane.INBOX_DOWN),
                    wallMillis,
                    timer,
                    settings.maxServedBytes(),
                    settings.maxHeldBytes());
        }
    }

    /** Adds and removes peers with their links. */
    public LinkListener linkListener() {
        return new LinkListener() {
            @Override
            public void joined(Peer peer) {
                Linked linked = new Linked(peer, newHome.get());
                links.put(peer, linked);
                linked.edge.start();
                linked.served.start();
                byNode.put(peer.nodeId(), linked); // commands are sent from here on
                carrier.leadersChanged();
            }

            @Override
            public void over(Peer peer, String why) {
                Linked linked = links.remove(peer);
                if (linked != null) {
                    byNode.remove(peer.nodeId(), linked);
                    linked.edge.lost();
                    if (isClosed) {
                        linked.served.unlinked();
                    } else {
                        linked.served.lost();
                    }
                }
            }
        };
    }

    /** Receives a frame of lane {@code INBOX_UP}: commands of connections on the peer to leaders here. */
    public void receiveUp(Peer from, byte[] frame) {
        Linked linked = links.get(from);
        if (linked != null) {
            linked.served.receive(frame);
        }
    }

    /**
     * Receives a frame of lane {@code INBOX_DOWN}: answers and deliveries of leaders on the peer to connections here.
     */
    public void receiveDown(Peer from, byte[] frame) {
        Linked linked = links.get(from);
        if (linked != null) {
            linked.edge.receive(frame);
        }
    }

    /** Approximate heap of the commands that wait for leaders, in bytes. */
    public long waitingBytes() {
        return carrier.waitingBytes();
    }

    /** Approximate heap of unanswered commands of other nodes at the leaders here, in bytes. Any thread. */
    public long servedBytes() {
        return links.values().stream()
                .mapToLong(linked -> linked.served.servedBytes())
                .sum();
    }

    /** Approximate heap of deliveries that wait for room on links to other nodes, in bytes. Any thread. */
    public long heldBytes() {
        return links.values().stream()
                .mapToLong(linked -> linked.served.heldBytes())
                .sum();
    }

    /**
     * Fails waiting commands with {@code TIMEOUT}, and later ones that cannot be sent at once with {@code CLOSED}. Call
     * it before the links close. Connections of other nodes stay attached: a leader that could not be handed over may
     * still write, and the next one must find them attached, so that they continue there.
     */
    @Override
    public void close() {
        isClosed = true;
        carrier.close();
    }

    private final class LinkedHomes implements Homes {
        @Override
        public @Nullable InboxHome of(InboxId inbox) {
            String leader = leaders.leaderOf(InboxKeys.prefix(inbox.tenant(), inbox.clientId()));
            if (leader == null) {
                return null;
            }
            if (leader.equals(leaders.here())) {
                return here;
            }
            Linked linked = byNode.get(leader);
            return linked == null ? null : linked.edge;
        }

        @Override
        public String inWords(InboxId inbox) {
            String leader = leaders.leaderOf(InboxKeys.prefix(inbox.tenant(), inbox.clientId()));
            if (leader == null) {
                return "no node is known to lead it";
            }
            boolean isLinked = leader.equals(leaders.here()) || byNode.containsKey(leader);
            return isLinked ? "led by " + leader : "led by " + leader + ", to which there is no link";
        }

        @Override
        public void refresh() {
            leaders.refresh();
        }
    }

    /** One lane to a peer. */
    private record PeerLane(Peer peer, Lane lane) implements FrameLink {
        @Override
        public void send(byte[] frame) {
            if (frame.length <= peer.maxFrameBytes()) {
                peer.send(lane, frame);
            } else { // do not throw: range executors call this
                peer.abandon("a frame of the inbox protocol has " + frame.length + " bytes, at most "
                        + peer.maxFrameBytes() + " are sent");
            }
        }

        @Override
        public int version() {
            return peer.version();
        }

        @Override
        public int maxFrameBytes() {
            return peer.maxFrameBytes();
        }

        @Override
        public boolean isWritable() {
            return peer.isWritable(lane);
        }

        @Override
        public void abandon(String why) {
            peer.abandon(why);
        }
    }

    private record Timers(ScheduledExecutorService timers) implements Timer {
        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // ends with the timers
        public void later(long millis, Runnable task) {
            try {
                timers.schedule(task, millis, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                LOG.debug("nothing is sent later: closing"); // do not throw: range executors call this
            }
        }
    }
}
