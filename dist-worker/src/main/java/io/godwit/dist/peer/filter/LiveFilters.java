package io.godwit.dist.peer.filter;

import io.godwit.cluster.link.Peer;
import io.godwit.dist.index.share.GroupMember;
import io.godwit.dist.peer.link.PeerTimers;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The filters with live subscribers on this node, and what each peer was told of them.
 *
 * <p>The first subscriber of a filter is reported to peers at once. The loss of the last one is reported a second
 * later, and not at all when there is one again by then, so that subscribers that come and go cost nothing. For a
 * shared group the number of members is reported too, at most every 100 ms. The {@link PeerFeed} of each peer has the
 * changes to report; those that gather while frames are under way go in one.
 *
 * <p>The feeds also report which stored members of shared groups have a client connected to this node
 * ({@link ConnectedHere}), so that the other nodes prefer these. Nobody waits for that.
 *
 * <p>The heap that the table takes on each peer is bounded ({@link #added}): a peer must accept all reports, because a
 * SUBACK is a promise of all nodes. So a peer has at most that much for each other node, and the node whose client asks
 * for more refuses the SUBSCRIBE.
 *
 * <p>The lock guards the table and all feeds. Event loops that subscribe and the links' threads contend for it; with a
 * queue to a single owner, every SUBSCRIBE would wait for a thread. Under the lock some keys are looked up and a frame
 * is passed to a link, which never blocks. Callbacks run outside it.
 */
public final class LiveFilters {
    private static final Logger LOG = LoggerFactory.getLogger(LiveFilters.class);
    static final Duration TICK = Duration.ofMillis(100);
    public static final Duration LINGER = Duration.ofSeconds(1);
    /** The members may take this part of the limit in addition. */
    private static final int MEMBERS_SHARE = 4;

    /** Members told of at a time, before others may have the lock. */
    private static final int MEMBERS_AT_ONCE = 2_000;

    private final PeerTimers timers;
    private final LongSupplier nanoTime;
    private final long maxBytes;
    private final LocalFilters table = new LocalFilters();
    private final ConnectedHere members;
    private final Map<Peer, PeerFeed> feeds = new LinkedHashMap<>();
    private final LateKeys gone = new LateKeys(LINGER.toNanos());
    private final LateKeys counts = new LateKeys(TimeUnit.MILLISECONDS.toNanos(100));
    private boolean isTicking;
    private boolean areMembersTicking;
    private boolean isShortOfRoom;

    /** @param maxBytes limit on the heap that the table takes on each peer; a quarter more is for connected members */
    public LiveFilters(PeerTimers timers, LongSupplier nanoTime, long maxBytes) {
        this.timers = timers;
        this.nanoTime = nanoTime;
        this.maxBytes = maxBytes;
        this.members = new ConnectedHere(maxBytes / MEMBERS_SHARE);
    }

    /**
     * A live subscription is in force on this node; peers that do not know the filter are told. A filter that no peer
     * knows needs room. A session may use no more than what is still free, so that a session with many filters is
     * refused before those with few.
     *
     * @param ofSession approximate bytes of all filters of its session; this one may be among them
     * @return false, without any effect, when there is no room
     */
    public synchronized boolean added(TenantId tenant, TopicFilter filter, long ofSession) {
        FilterKey key = FilterKey.of(tenant, filter);
        LocalFilters.Entry known = table.get(key);
        // peers may have been told already that the group has no member here
        if (known != null && (known.members > 0 || !key.isShared())) {
            known.members++;
            if (key.isShared()) {
                later(counts, key);
            }
            return true;
        }
        if (known == null && Math.max(key.heapBytes(), ofSession) > maxBytes - table.bytes()) {
            return false;
        }
        table.add(key).members = 1;
        tell(key);
        return true;
    }

    /** A live subscription is no longer in force. */
    public synchronized void removed(TenantId tenant, TopicFilter filter) {
        FilterKey key = FilterKey.of(tenant, filter);
        LocalFilters.Entry known = table.get(key);
        if (known == null || known.members == 0) {
            throw new IllegalStateException("no live subscriber is counted for a filter that lost one");
        }
        known.members--;
        if (key.isShared()) {
            later(counts, key);
        } else if (known.members == 0) {
            later(gone, key);
        }
    }

    /**
     * The client of a stored member of a shared group is connected to this node, or not any more. Peers are told a
     * little later. Any thread.
     */
    public synchronized void setConnected(GroupMember member, boolean isConnected) {
        members.set(member, isConnected, nanoTime.getAsLong());
        if (!areMembersTicking && members.hasChanges()) {
            areMembersTicking = true;
            timers.after(ConnectedHere.DELAY, this::tellMembers);
        }
    }

    private void tellMembers() {
        if (tellSomeMembers()) {
            LOG.warn(
                    "other nodes have no room to be told of all stored members of shared groups that are connected to"
                            + " this one, and may prefer offline ones maxBytes={}",
                    maxBytes / MEMBERS_SHARE);
        }
    }

    /** Returns whether there was no room for a member, for the first time. */
    private synchronized boolean tellSomeMembers() {
        boolean hasMore = false;
        try {
            hasMore = members.advance(
                    nanoTime.getAsLong(),
                    MEMBERS_AT_ONCE,
                    member -> feeds.values().forEach(feed -> feed.changed(member)));
            feeds.values().forEach(PeerFeed::pump);
        } finally { // a failing tick must not be the last
            areMembersTicking = hasMore || members.hasChanges();
            if (areMembersTicking) {
                timers.after(hasMore ? Duration.ZERO : TICK, this::tellMembers);
            }
        }
        boolean isFirst = !isShortOfRoom && members.untold() > 0;
        isShortOfRoom |= isFirst;
        return isFirst;
    }

    private void later(LateKeys keys, FilterKey key) {
        keys.add(key, nanoTime.getAsLong());
        if (!isTicking) {
            isTicking = true;
            timers.after(TICK, this::tick);
        }
    }

    private synchronized void tick() {
        try {
            tellWhatIsLate(nanoTime.getAsLong());
        } finally { // a failing tick must not be the last
            isTicking = !gone.isEmpty() || !counts.isEmpty();
            if (isTicking) {
                timers.after(TICK, this::tick);
            }
        }
    }

    private void tellWhatIsLate(long now) {
        for (FilterKey key = gone.poll(now); key != null; key = gone.poll(now)) {
            tellIfGone(key);
        }
        for (FilterKey key = counts.poll(now); key != null; key = counts.poll(now)) {
            if (!tellIfGone(key)) {
                table.changed();
                tell(key);
            }
        }
    }

    private boolean tellIfGone(FilterKey key) {
        LocalFilters.Entry entry = table.get(key);
        if (entry == null || entry.members > 0) {
            return entry == null;
        }
        table.remove(key);
        tell(key);
        return true;
    }

    private void tell(FilterKey key) {
        for (PeerFeed feed : feeds.values()) {
            feed.changed(key, table.position());
            feed.pump();
        }
    }

    /**
     * Calls {@code told} once {@code peer} has the filter; before the return if it has confirmed it already. Never, if
     * the peer is over first.
     */
    public boolean whenTold(Peer peer, TenantId tenant, TopicFilter filter, Runnable told) {
        FilterKey key = FilterKey.of(tenant, filter);
        synchronized (this) {
            PeerFeed feed = feeds.get(peer);
            LocalFilters.Entry entry = table.get(key);
            if (feed == null) {
                return false;
            }
            if (entry != null && !feed.hasConfirmed(entry)) {
                long at = entry.position;
                if (feed.isOfList(entry)) { // a filter with waiters goes before the list
                    at = table.changed();
                    feed.changed(key, at);
                }
                feed.whenConfirmed(at, told);
                feed.pump();
                return true;
            }
        }
        told.run();
        return true;
    }

    /** Sends the new peer the whole table. */
    public synchronized void joined(Peer peer) {
        PeerFeed feed = new PeerFeed(table, members, peer, this::confirmed);
        feeds.put(peer, feed);
        feed.pump();
    }

    public synchronized void over(Peer peer) {
        feeds.remove(peer);
    }

    /** Sends {@code answer} to the peer after all changes made before this call. */
    synchronized void answerBehindAll(Peer peer, byte[] answer) {
        PeerFeed feed = feeds.get(peer);
        if (feed != null) {
            feed.answerBehind(table.position(), answer);
            feed.pump();
        }
    }

    private void confirmed(PeerFeed feed, PeerFeed.Frame frame) {
        List<Runnable> told = new ArrayList<>();
        synchronized (this) {
            feed.confirmed(frame, told);
            if (feeds.get(feed.peer()) == feed) {
                feed.pump();
            }
        }
        told.forEach(Runnable::run);
    }

    /** Approximate heap that the filters take on each peer. */
    public synchronized long bytes() {
        return table.bytes();
    }

    /** Number of filters that peers are told of. */
    public synchronized int size() {
        return table.size();
    }

    /** Number of connected members that peers are told of. */
    public synchronized int members() {
        return members.size();
    }

    /** Approximate heap that these take on each peer. */
    public synchronized long memberBytes() {
        return members.bytes();
    }

    /** Number of connected members for which peers have no room. */
    public synchronized int untoldMembers() {
        return members.untold();
    }
}
