package io.godwit.inbox.session;

import io.godwit.cluster.link.LaneReceiver;
import io.godwit.cluster.link.LinkListener;
import io.godwit.cluster.link.Peer;
import io.godwit.inbox.client.SessionDirectory;
import io.godwit.inbox.session.claim.ClaimedId;
import io.godwit.inbox.session.claim.ClaimedIds;
import io.godwit.inbox.session.frame.DirectoryFrames;
import io.godwit.inbox.session.frame.EntryReader;
import io.godwit.inbox.session.frame.PeerChannel;
import io.godwit.inbox.session.owner.OwnedIds;
import io.godwit.inbox.session.port.BadFrameException;
import io.godwit.inbox.session.port.DirectoryLimits;
import io.godwit.inbox.session.port.DirectoryView;
import io.godwit.inbox.session.port.EdgePort;
import io.godwit.inbox.session.port.Grant;
import io.godwit.inbox.session.port.IdKey;
import io.godwit.inbox.session.port.MemberLife;
import io.godwit.inbox.session.port.Owners;
import io.godwit.inbox.wire.DirectoryFrame;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.WaitReports;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.NodeWait;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of a node of a cluster (ADR 55). Each client id has an <em>owner</em>, one of the serving members
 * ({@link Owners}), which orders the claims on it ({@link OwnedIds}). The node of a connection ({@link ClaimedIds})
 * claims the id at the owner; if this node is the owner itself, nothing goes over a link.
 *
 * <p><b>Why two connections never have one client id.</b> Members change by revisions, and all nodes agree on the
 * members of a revision. Every message counts within one revision only; only claims outlive it:
 *
 * <ol>
 * <li>A node enters a revision in one step ({@link #moved}). From then on it accepts no grant of an earlier one, and as
 *     owner it begins with an empty table.
 * <li>The owner asks each member to enrol. The member, once it is in the same revision, sends all its claims, held and
 *     waiting, and then says that these are all. The owner grants nothing before every member, itself included, has
 *     done so.
 * </ol>
 *
 * Say that A has an id by a grant of revision r, and B is granted it in revision s, r &lt;= s. If r = s, both grants
 * are of one owner and one table, which gives the id to B only when A's claim has left the table: A has released it, or
 * did not have it when it enrolled. If r &lt; s and A is a member in s, A has enrolled in s before B's grant: either A
 * had the id then, so the table has it; or A did not, and has accepted no grant of r since. In each case B waits. The
 * interleavings that look dangerous:
 *
 * <ul>
 * <li><em>The owner changes while a grant is under way.</em> The grant is of an earlier revision than the node's and is
 *     not accepted; the claim enrols as waiting. If the grant came first, it enrols as held.
 * <li><em>A node misses a revision.</em> It has not enrolled in that revision, so nothing was granted in it.
 * <li><em>A link breaks, and another follows.</em> Messages may be lost in both directions, so the member enrols again
 *     in the same revision. Until then its claims stay as they were. A lost grant is sent again; after a lost release
 *     the claim is missing from the enrolment. No other owner can have granted the member anything meanwhile.
 * <li><em>A member is silent, or gone.</em> Its claims stay, and nothing is granted over them, until a revision without
 *     that incarnation. Another incarnation of the node is another member.
 * <li><em>A late or repeated request to give up.</em> It names a claim, not an id: a released claim is gone, and the
 *     next connection has another number. A member names only its own claims.
 * <li><em>An owner does not know a new revision yet.</em> It grants in its old one, to members that are still in it;
 *     they have not enrolled in the new one, so nothing is granted there.
 * </ul>
 *
 * One case remains: a node is cut off and the others exclude it. Its connections stay open, and other connections may
 * get their ids meanwhile. The node grants nothing as soon as it is not certain to serve
 * ({@link DirectoryMembers#mayGrant}). When it comes back it enrols, and of two connections the one with the lower
 * {@link Grant} gives up.
 *
 * <p>An acquire fails without an answer within {@link DirectoryLimits#acquireTimeout}; while this node does not serve,
 * all fail at once. Members that block an acquire are reported as missing before that.
 *
 * <p>Threads: everything happens in {@link Turns}, one after the other. Links, members and event loops submit tasks.
 * All messages of one turn to a peer go in one frame; connections are called at the end of the turn.
 */
public final class ClusterSessionDirectory implements SessionDirectory, LaneReceiver, LinkListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterSessionDirectory.class);

    /** The first byte of the directory's frames in the CONTROL lane. */
    public static final byte FRAME_TYPE = DirectoryFrames.TYPE;

    private static final String DOES_NOT_SERVE = "this node does not serve now, so it accepts no connections";

    /** Limit on the frames of all peers that wait for a turn: a node so far behind is of no use to them. */
    private static final long MAX_UNTAKEN_BYTES = 64 << 20;

    private final DirectoryMembers members;
    private final DirectoryLimits limits;
    private final WaitReports reports;
    private final LongSupplier nanoTime;
    private final MemberLife own;
    private final Turns turns;
    private final ClaimedIds claimed;
    /** Live peers, by node. */
    private final Map<String, PeerChannel> channels = new HashMap<>();
    /** Calls between the two parts of this node in this turn. */
    private final Queue<Runnable> local = new ArrayDeque<>();
    /** Calls to connections at the end of this turn. */
    private final List<Runnable> effects = new ArrayList<>();

    /** Threads of links add, turns subtract. */
    private final AtomicLong untakenBytes = new AtomicLong();

    /** Members reported as missing in this view. */
    private final Set<MemberLife> reportedMissing = new HashSet<>();
    /** When the last link to a member ended, in this view. */
    private final Map<MemberLife, Long> overNanos = new HashMap<>();

    private DirectoryView view;
    /** When this node learned of the view. */
    private long viewNanos;
    /** Null while this node does not serve, and so owns nothing. */
    private @Nullable OwnedIds owned;

    private @Nullable LocalPorts localPorts;
    private boolean isClosed;
    private volatile Sizes sizes = new Sizes(0, 0, 0);

    /**
     * @param claims of connections of this node
     * @param waiting how many of these wait
     * @param owned client ids of this node's share that any connection of the cluster has or waits for
     */
    public record Sizes(int claims, int waiting, int owned) {}

    /**
     * @param nanoTime monotonic
     * @param executor runs turns, one at a time; must not refuse any before {@link #close} and all releases
     */
    public ClusterSessionDirectory(
            DirectoryMembers members,
            DirectoryLimits limits,
            WaitReports reports,
            LongSupplier nanoTime,
            Executor executor) {
        this.members = members;
        this.limits = limits;
        this.reports = reports;
        this.nanoTime = nanoTime;
        this.own = members.own();
        this.view = members.view();
        this.viewNanos = nanoTime.getAsLong();
        this.turns = new Turns(executor, this::endTurn);
        this.claimed = new ClaimedIds(limits, reports, view, effects::add, claim -> submit(() -> releaseNow(claim)));
    }

    private void releaseNow(ClaimedId claim) {
        claimed.release(claim);
    }

    /** Call it after the directory is registered at the links and before the first connection. */
    public void start() {
        submit(this::enterView);
        members.listen(next -> submit(() -> moved(next)));
        submit(() -> moved(members.view())); // it may have changed meanwhile
    }

    @Override
    public CompletableFuture<Answer> acquire(TenantId tenant, ClientId clientId, Holder holder, Takeover takeover) {
        IdKey key = new IdKey(tenant, clientId);
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        submit(() -> {
            if (isClosed) {
                effects.add(() -> answer.completeExceptionally(
                        new RangeException(RangeException.Cause.CLOSED, "the broker is closing")));
            } else if (!members.takesConnections()) {
                effects.add(() ->
                        answer.completeExceptionally(new RangeException(RangeException.Cause.TIMEOUT, DOES_NOT_SERVE)));
            } else {
                claimed.acquire(key, holder, takeover, nanoTime.getAsLong(), answer);
            }
        });
        return answer;
    }

    /**
     * Fails acquires that have waited too long, and checks again what could not be decided. Call it every 100 to 500
     * ms, on any thread.
     */
    public void tick() {
        submit(this::tickNow);
    }

    private void tickNow() {
        long now = nanoTime.getAsLong();
        if (!members.takesConnections()) {
            claimed.failWaiting(RangeException.Cause.TIMEOUT, DOES_NOT_SERVE);
        }
        claimed.tick(now, this::missing);
        if (owned != null) {
            owned.tick(now, this::missing);
        }
    }

    /**
     * Reports a missing member. It begins anew in each view and over each link, so time waited before that does not
     * count.
     */
    private void missing(MemberLife life, String why) {
        long sinceNanos = overNanos.getOrDefault(life, viewNanos);
        if (nanoTime.getAsLong() - sinceNanos < limits.patience().toNanos()) {
            return;
        }
        if (!life.equals(own) && view.has(own)) { // an excluded node must not report others
            boolean isNew = reportedMissing.add(life);
            effects.add(() -> {
                if (isNew) {
                    reports.ranOut(NodeWait.SILENT_MEMBER, limits.patience(), () -> life + ", " + why);
                }
                members.missing(life, why);
            });
        }
    }

    /** Sizes of the directory; any thread, one turn late. */
    public Sizes sizes() {
        return sizes;
    }

    /** Fails waiting acquires; leases may still be released. */
    @Override
    public void close() {
        submit(() -> {
            isClosed = true;
            claimed.close();
        });
    }

    // --- the members change

    private void moved(DirectoryView next) {
        if (next.revision() <= view.revision()) {
            return;
        }
        channels.values().forEach(channel -> channel.moved(next.revision()));
        view = next;
        viewNanos = nanoTime.getAsLong();
        overNanos.clear();
        reportedMissing.clear();
        claimed.moved(next);
        enterView();
    }

    private void enterView() {
        owned = null;
        localPorts = null;
        if (view.serving().contains(own)) {
            OwnedIds table = new OwnedIds(view, limits, this::edgePort, members::mayGrant, nanoTime.getAsLong());
            owned = table;
            localPorts = new LocalPorts(own, claimed, table, local::add);
            localPorts.enrol();
        }
        for (PeerChannel channel : channels.values()) {
            askToEnrol(channel);
            enrolIfAsked(channel);
        }
    }

    private @Nullable EdgePort edgePort(MemberLife life) {
        if (life.equals(own)) {
            return localPorts;
        }
        return channelOf(life);
    }

    private @Nullable PeerChannel channelOf(MemberLife life) {
        PeerChannel channel = channels.get(life.nodeId());
        return channel != null && channel.isOpen() && channel.life.equals(life) ? channel : null;
    }

    private void askToEnrol(PeerChannel channel) {
        if (owned != null && channel.isOpen() && view.has(channel.life)) {
            channel.enrol();
        }
    }

    /** Enrols if the owner has asked already, because it may have entered this view before this node. */
    private void enrolIfAsked(PeerChannel channel) {
        if (channel.isOpen()
                && channel.hasAskedIn(view.revision())
                && view.serving().contains(channel.life)
                && view.has(own)) {
            claimed.enrol(channel.life, channel);
        }
    }

    // --- links

    @Override
    public void joined(Peer peer) {
        submit(() -> channels.put(peer.nodeId(), new PeerChannel(peer, view.revision(), this::told)));
    }

    @Override
    public void over(Peer peer, String why) {
        submit(() -> {
            PeerChannel channel = channels.get(peer.nodeId());
            if (channel != null && channel.peer == peer) {
                channels.remove(peer.nodeId());
                overNanos.put(channel.life, nanoTime.getAsLong());
                claimed.lost(channel.life);
            }
        });
    }

    private void told(PeerChannel channel) {
        submit(() -> {
            channel.told();
            if (isCurrent(channel)) {
                claimed.tell(channel.life);
            }
        });
    }

    private boolean isCurrent(PeerChannel channel) {
        return channels.get(channel.life.nodeId()) == channel;
    }

    /** Receives the frames of the CONTROL lane that begin with {@link #FRAME_TYPE}. */
    @Override
    public void receive(Peer from, byte[] frame) {
        try {
            DirectoryFrame decoded = DirectoryFrames.decode(frame);
            if (untakenBytes.addAndGet(frame.length) > MAX_UNTAKEN_BYTES) {
                untakenBytes.addAndGet(-frame.length);
                throw new BadFrameException("more frames than this node can take in");
            }
            submit(() -> {
                untakenBytes.addAndGet(-frame.length);
                take(from, decoded);
            });
        } catch (BadFrameException e) {
            abandon(from, e);
        }
    }

    private void take(Peer from, DirectoryFrame frame) {
        PeerChannel channel = channels.get(from.nodeId());
        if (channel == null || channel.peer != from) {
            return; // its link is over
        }
        try {
            if (frame.hasHello()) {
                if (channel.isOpen()) {
                    throw new BadFrameException("a second hello");
                }
                DirectoryFrames.check(frame.getHello(), from.version());
                channel.open();
                askToEnrol(channel);
            } else if (!channel.isOpen()) {
                throw new BadFrameException("the first frame is no hello");
            } else {
                EntryReader.read(from.version(), frame, new Received(channel, frame.getRevision()));
            }
        } catch (BadFrameException | IllegalArgumentException e) { // values check their own contents
            abandon(from, e);
        }
    }

    private static void abandon(Peer peer, Exception why) {
        LOG.warn("a peer violates the protocol of the directory peer={}: {}", peer, why.getMessage());
        peer.abandon(String.valueOf(why.getMessage()));
    }

    /** The entries of one frame of a peer. */
    private final class Received implements EntryReader.Entries {
        private final PeerChannel channel;
        private final MemberLife from;
        private final long revision;

        Received(PeerChannel channel, long revision) {
            this.channel = channel;
            this.from = channel.life;
            this.revision = revision;
        }

        /** Whether the frame is of the present revision; others have no meaning, because each revision begins anew. */
        private boolean counts() {
            return revision == view.revision();
        }

        /** The table for entries of a member; null when they do not count. */
        private @Nullable OwnedIds table() {
            return counts() ? owned : null;
        }

        private @Nullable OwnedIds tableFor(IdKey key) throws BadFrameException {
            OwnedIds table = table();
            if (table != null && !claimed.isOwner(own, key)) {
                throw new BadFrameException("a client id that another node owns in revision " + revision);
            }
            return table;
        }

        @Override
        public void enrol() {
            channel.asked(revision);
            if (counts()) {
                enrolIfAsked(channel);
            }
        }

        @Override
        public void granted(long number, long counter, boolean giveUp) {
            if (counts()) {
                claimed.granted(from, number, counter, giveUp);
            }
        }

        @Override
        public void giveUp(long number) {
            if (counts()) {
                claimed.giveUp(from, number);
            }
        }

        @Override
        public void refused(long number, EdgePort.Refusal why) {
            if (counts()) {
                claimed.refused(from, number, why);
            }
        }

        @Override
        public void begin() {
            OwnedIds table = table();
            if (table != null) {
                table.begin(from);
            }
        }

        @Override
        public void acquire(long number, IdKey key, @Nullable String userName, boolean sameUserOnly)
                throws BadFrameException {
            OwnedIds table = tableFor(key);
            if (table != null) {
                table.acquire(from, number, key, userName, sameUserOnly);
            }
        }

        @Override
        public void hold(long number, IdKey key, @Nullable String userName, Grant grant) throws BadFrameException {
            OwnedIds table = tableFor(key);
            if (table != null) {
                table.hold(from, number, key, userName, grant);
            }
        }

        @Override
        public void release(long number) {
            OwnedIds table = table();
            if (table != null) {
                table.release(from, number);
            }
        }

        @Override
        public void done() {
            OwnedIds table = table();
            if (table != null) {
                table.done(from);
            }
        }
    }

    // --- turns

    private void submit(Runnable task) {
        turns.submit(() -> {
            drainLocal(); // left over from a task that failed; the local calls must not outlive a change of members
            task.run();
            drainLocal();
        });
    }

    private void drainLocal() {
        for (Runnable next = local.poll(); next != null; next = local.poll()) {
            next.run();
        }
    }

    private void endTurn() {
        channels.values().forEach(PeerChannel::flush);
        OwnedIds table = owned;
        sizes = new Sizes(claimed.size(), claimed.waiting(), table == null ? 0 : table.size());
        List<Runnable> now = List.copyOf(effects);
        effects.clear();
        now.forEach(Turns::run);
    }
}
