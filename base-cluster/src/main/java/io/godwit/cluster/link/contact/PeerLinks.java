package io.godwit.cluster.link.contact;

import io.godwit.cluster.Cluster;
import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LaneReceiver;
import io.godwit.cluster.link.LinkListener;
import io.godwit.cluster.link.LinkSettings;
import io.godwit.cluster.link.LinkStats;
import io.godwit.cluster.link.Links;
import io.godwit.cluster.link.Peer;
import io.godwit.cluster.link.connection.Agreement;
import io.godwit.cluster.link.connection.Handshake;
import io.godwit.cluster.link.connection.LinkConnection;
import io.godwit.cluster.link.connection.LinkLimits;
import io.godwit.cluster.link.message.LinkMessage;
import io.godwit.cluster.link.message.LinkVersions;
import io.godwit.cluster.link.pairing.Pairing;
import io.godwit.cluster.link.pairing.PairingId;
import io.godwit.cluster.link.pairing.PairingServices;
import io.godwit.cluster.link.stream.LinkCarrier;
import io.godwit.cluster.link.stream.LinkRuntime;
import io.godwit.cluster.link.stream.LinkStream;
import io.godwit.cluster.member.ClusterListener;
import io.godwit.cluster.member.Departure;
import io.godwit.cluster.member.Member;
import io.godwit.cluster.member.NodeIdentity;
import io.godwit.cluster.rpc.RpcChannels;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The links of a node over gRPC: one stream to each other member, on connections that nothing else uses.
 * {@link Contacts} decides with which nodes, {@link Pairing} links two processes, {@link LinkMessage} has the layout of
 * messages.
 *
 * <p>The thread that wires the broker opens, starts and closes it. Receivers are called on the threads {@code link-N},
 * those of the CONTROL lane on {@code link-control-1}. Confirmations are called on the event loops {@code rpc-N}, or on
 * {@code link-N} while there is no connection; they must not block. At most one thread at a time calls the receiver of
 * one peer and lane, or the confirmations of one peer. Listeners are called on the thread {@code links-1}.
 */
public final class PeerLinks implements Links, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PeerLinks.class);
    private static final long TICK_MILLIS = 100;
    private static final long GOODBYE_MILLIS = 1_000;

    /** The parts that links are built on. A test can run all of them on one thread. */
    record Ground(
            NodeIdentity self,
            LinkSettings settings,
            LinkVersions versions,
            int maxFrameBytes,
            LinkCarrier carrier,
            Supplier<List<Member>> members,
            Executor thread,
            Executor pool,
            Executor control,
            LongSupplier nanoClock) {}

    private final Ground ground;
    private final LinkLimits limits;
    private final Contacts contacts;
    private final Map<Lane, LaneReceiver> receivers = new EnumMap<>(Lane.class);
    private final PairingServices pairingServices;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile boolean isStarted;
    private volatile boolean isClosing;
    /** Starts and closes with the links; null in a test that brings its own ground. */
    private final @Nullable LinkRuntime runtime;

    // used by the links' thread
    private final List<LinkListener> listeners = new ArrayList<>();

    PeerLinks(Ground ground, @Nullable LinkRuntime runtime) {
        this.ground = ground;
        this.runtime = runtime;
        this.limits = LinkLimits.of(ground.settings(), ground.maxFrameBytes());
        this.pairingServices =
                new PairingServices(limits, receivers, ground.pool(), ground.control(), ground.nanoClock());
        Handshake handshake = new Handshake(
                ground.self().nodeId(),
                ground.self().incarnation(),
                ground.settings(),
                ground.versions(),
                ground.maxFrameBytes());
        this.contacts = new Contacts(
                new Contacts.Surroundings(
                        handshake, ground.settings(), ground.carrier(), this::connection, this::pairing),
                this::tell);
    }

    /**
     * Makes links to the members of a cluster; they dial and accept nothing before {@link #start}.
     *
     * @param identity the one that the cluster was opened with
     * @throws IOException if the certificates cannot be read
     */
    public static PeerLinks open(Cluster cluster, NodeIdentity identity, LinkSettings settings) throws IOException {
        RpcChannels channels = cluster.newChannels();
        LinkRuntime runtime = new LinkRuntime(cluster.server(), channels, settings.threads());
        PeerLinks links = new PeerLinks(
                new Ground(
                        identity,
                        settings,
                        LinkVersions.CURRENT,
                        cluster.maxMessageBytes(),
                        runtime.carrier(),
                        cluster.membership()::members,
                        runtime.thread(),
                        runtime.pool(),
                        runtime.control(),
                        System::nanoTime),
                runtime);
        cluster.membership().addListener(links.following());
        return links;
    }

    /** Begins to dial and to accept streams. All receivers must have been set. */
    public void start() {
        isStarted = true;
        LinkRuntime running = runtime;
        if (running != null) {
            running.start(this::accept, this::tick, TICK_MILLIS);
        }
        tick();
    }

    /** Follows the membership. */
    ClusterListener following() {
        return new ClusterListener() {
            @Override
            public void joined(Member member) {
                tick();
            }

            @Override
            public void gone(Member member, Departure departure) {
                run(() -> contacts.gone(member, departure));
            }
        };
    }

    @Override
    public void receive(Lane lane, LaneReceiver receiver) {
        if (isStarted || receivers.putIfAbsent(lane, receiver) != null) {
            throw new IllegalStateException("lane " + lane + " has a receiver, or the links have started");
        }
    }

    @Override
    public void addListener(LinkListener listener) {
        run(() -> {
            listeners.add(listener);
            contacts.peers().forEach(listener::joined);
        });
    }

    @Override
    public List<Peer> peers() {
        return contacts.peers();
    }

    @Override
    public @Nullable Peer peer(String nodeId) {
        Contact contact = contacts.all().get(nodeId);
        Pairing pairing = contact == null ? null : contact.pairing;
        return pairing == null || pairing.isOver() ? null : pairing;
    }

    /** Statistics of each lane to each node that was met and has not left, ordered by node and lane. Any thread. */
    public List<LinkStats> stats() {
        List<LinkStats> stats = new ArrayList<>();
        for (Contact contact : contacts.all().values()) {
            Pairing pairing = contact.pairing;
            boolean isLinked = pairing != null && !pairing.isOver();
            contact.counters.forEach((lane, of) -> stats.add(new LinkStats(
                    contact.nodeId,
                    lane,
                    isLinked,
                    pairing != null && pairing.isConnected(),
                    of.sentFrames.get(),
                    of.sentBytes.get(),
                    of.resentFrames.get(),
                    of.receivedFrames.get(),
                    of.receivedBytes.get(),
                    pairing == null ? 0 : pairing.unconfirmedBytes(lane),
                    of.roundTripNanos.get())));
        }
        return stats;
    }

    // --- the links' thread

    private LinkConnection connection() {
        return new LinkConnection(new OnThread(), limits, ground.versions().layout());
    }

    private Pairing pairing(Contact with, Agreement agreement) {
        return new Pairing(
                new PairingId(with.nodeId, with.incarnation, with.session),
                agreement,
                pairingServices,
                with.counters,
                ended -> run(() -> {
                    contacts.ended(ended);
                    contacts.tick();
                }));
    }

    private void tell(Contacts.LinkEvent event, Pairing peer) {
        for (LinkListener listener : listeners) {
            try {
                switch (event) {
                    case JOINED -> listener.joined(peer);
                    case DISCONNECTED -> listener.disconnected(peer);
                    case RECONNECTED -> listener.reconnected(peer);
                    case SILENT -> listener.silent(peer);
                    case OVER -> listener.over(peer, peer.why());
                }
            } catch (RuntimeException | Error e) { // the other listeners must still be told
                LOG.error("listener failed event={} peer={}", event, peer, e);
            }
        }
    }

    void tick() {
        run(() -> {
            if (isStarted) {
                contacts.tick();
            }
        });
    }

    /** Accepts a stream that another node has opened. */
    LinkStream.Events accept(LinkStream stream) {
        LinkConnection connection = connection();
        connection.stream(stream);
        run(() -> contacts.opened(connection));
        return connection;
    }

    private void run(Runnable task) {
        try {
            ground.thread().execute(() -> {
                try {
                    contacts.at(ground.nanoClock().getAsLong(), ground.members().get());
                    task.run();
                } catch (RuntimeException | Error e) { // outermost frame of the thread
                    LOG.error("task of the links failed", e);
                }
                if (isClosing && contacts.isClosed()) {
                    closed.complete(null);
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("ignored: the links are closed");
        }
    }

    /** Hands events of streams over to the links' thread. */
    private final class OnThread implements LinkConnection.Owner {
        @Override
        public void begun(LinkConnection connection, byte[] message) {
            run(() -> contacts.begun(connection, message));
        }

        @Override
        public void broken(LinkConnection connection, String why) {
            run(() -> contacts.broken(connection, why));
        }

        @Override
        public void endedByOther(LinkConnection connection, String why) {
            run(() -> contacts.endedByOther(connection, why));
        }

        @Override
        public void closed(LinkConnection connection, String why) {
            run(() -> {
                contacts.closed(connection, why);
                contacts.tick();
            });
        }
    }

    /** Ends all peers and tells them. Blocks for up to some seconds. */
    @Override
    public void close() {
        isClosing = true;
        run(contacts::close);
        LinkRuntime running = runtime;
        if (running == null) {
            return;
        }
        try {
            closed.get(GOODBYE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("closed without waiting any longer for others to know");
        }
        running.close();
    }
}
