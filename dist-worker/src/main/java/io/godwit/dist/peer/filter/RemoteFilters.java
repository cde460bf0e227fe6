package io.godwit.dist.peer.filter;

import io.godwit.cluster.link.Links;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.index.NodeRemoval;
import io.godwit.dist.index.TenantIndex;
import io.godwit.dist.index.TopicIndex;
import io.godwit.dist.index.share.GroupMember;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.dist.peer.link.PeerTimers;
import io.godwit.dist.peer.wait.ExclusionRequests;
import io.godwit.dist.wire.FilterChange;
import io.godwit.dist.wire.FilterChanges;
import io.godwit.dist.wire.MemberChange;
import io.godwit.kv.client.Backoff;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the filters of peers with live subscribers in the index. The subscribers of a shared filter on one peer are one
 * {@link RemoteMember} of the group. Also tells the index which stored members of shared groups have a client connected
 * to a peer.
 *
 * <p>When a peer is over its filters stay until that incarnation of the node is excluded, or until the same incarnation
 * has sent all of its filters again through another peer: its clients may still be there, and an acknowledged publish
 * must not miss them. Meanwhile such a publish goes to the peer that is over. So it also waits for the exclusion, or
 * fails if the same incarnation is linked again.
 * Frames of a peer come from one thread at a time; threads of several peers contend for the lock.
 */
public final class RemoteFilters {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteFilters.class);
    public static final Duration RETRY = Duration.ofSeconds(1);
    /** Filters removed at a time, before other tasks may use the timers. */
    private static final int FORGOTTEN_AT_ONCE = 2_000;

    /** Larger counts are reduced to this, because the sum over all nodes is an int. */
    private static final int MAX_WEIGHT = 1_000_000;

    /** The options of the members are applied on their node. */
    private static final SubscriptionOptions ALL = new SubscriptionOptions(Qos.EXACTLY_ONCE, false, true, 0);

    private static final class Told {
        private long nextNumber;
        private boolean isComplete;
        private boolean isOver;
        private boolean isForgotten;
        /** Whether it understands the strategy in frames with messages for groups. */
        private boolean readsStrategies;
        /** Size of its filters, as {@link FilterKey#heapBytes} counts it. */
        private long bytes;

        private boolean isLarge;
        /** Size of its connected members, as {@link GroupMember#heapBytes} counts it. */
        private long memberBytes;
        /** Members of groups that represent the peer. Sorted: clients may choose filters whose hashes collide. */
        private final NavigableMap<FilterKey, RemoteMember> members = new TreeMap<>();
    }

    private final TopicIndex index;
    private final ExclusionRequests exclusions;
    private final PeerTimers timers;
    private final Backoff backoff;
    private final long usualBytes;
    /** Guarded by this. */
    private final Map<Peer, Told> peers = new HashMap<>();

    /** @param usualBytes the most that a peer with the same configuration as this node reports */
    public RemoteFilters(
            TopicIndex index, ExclusionRequests exclusions, PeerTimers timers, DoubleSupplier random, long usualBytes) {
        this.index = index;
        this.exclusions = exclusions;
        this.timers = timers;
        this.usualBytes = usualBytes;
        this.backoff = new Backoff(RETRY.toMillis(), RETRY.toMillis(), random);
    }

    public synchronized void joined(Peer peer) {
        peers.put(peer, new Told());
    }

    /** Fails with {@link IllegalArgumentException} when the frame is not the next one, or invalid. */
    public void apply(Peer peer, FilterChanges changes) {
        Told told = told(peer);
        if (changes.getNumber() != told.nextNumber) {
            throw new IllegalArgumentException(
                    "filter changes must have number " + told.nextNumber + ", had " + changes.getNumber());
        }
        told.nextNumber++;
        told.readsStrategies |= changes.getReadsStrategies(); // in the first frame
        for (FilterChange change : changes.getChangesList()) {
            FilterKey key = FilterKey.parse(new TenantId(change.getTenant()), change.getFilter())
                    .orElseThrow(() -> new IllegalArgumentException("not a valid topic filter"));
            apply(peer, told, key, change.getMembers());
        }
        for (MemberChange change : changes.getMembersList()) {
            applyMember(peer, told, change);
        }
        if (changes.getEndsList()) {
            complete(peer, told);
        }
    }

    private void applyMember(Peer peer, Told told, MemberChange change) {
        TopicFilter filter = TopicFilter.parse(change.getFilter())
                .filter(TopicFilter::isShared)
                .orElseThrow(() -> new IllegalArgumentException("not a valid shared filter"));
        ClientId clientId = new ClientId(change.getClientId());
        TenantIndex tenant = index.tenant(new TenantId(change.getTenant()));
        GroupMember member = new GroupMember(filter, new InboxReceiver(tenant.id(), clientId, change.getIncarnation()));
        if (tenant.setConnectedTo(peer, member, change.getConnected())) {
            synchronized (this) {
                told.memberBytes += change.getConnected() ? member.heapBytes() : -member.heapBytes();
            }
        }
    }

    private void apply(Peer peer, Told told, FilterKey key, int members) {
        if (members < 0) {
            throw new IllegalArgumentException("too many members: " + Integer.toUnsignedString(members));
        }
        TenantIndex tenant = index.tenant(key.tenant());
        if (key.isShared()) {
            applyShared(peer, told, tenant, key, members);
        } else if (members > 0) {
            if (tenant.addNode(key.filter().filter(), peer)) {
                count(peer, told, key.heapBytes());
            }
        } else if (tenant.removeNode(key.filter().filter(), peer)) {
            count(peer, told, -key.heapBytes());
        }
    }

    /**
     * Counts the filters of a peer. They are kept in any number, because its clients have a promise. The peer bounds
     * them itself; one that does not is reported.
     */
    private void count(Peer peer, Told told, long bytes) {
        synchronized (this) {
            told.bytes += bytes;
            if (told.isLarge || told.bytes <= usualBytes) {
                return;
            }
            told.isLarge = true;
        }
        LOG.warn(
                "a node has more live filters than this one would accept node={} incarnation={} maxBytes={}",
                peer.nodeId(),
                peer.incarnation(),
                usualBytes);
    }

    /** Approximate heap of the filters of all peers. */
    public synchronized long bytes() {
        return peers.values().stream().mapToLong(told -> told.bytes).sum();
    }

    /** Approximate heap of the connected members of all peers. */
    public synchronized long memberBytes() {
        return peers.values().stream().mapToLong(told -> told.memberBytes).sum();
    }

    private void applyShared(Peer peer, Told told, TenantIndex tenant, FilterKey key, int members) {
        RemoteMember member =
                new RemoteMember(peer, key, Math.max(1, Math.min(members, MAX_WEIGHT)), told.readsStrategies);
        boolean wasThere;
        synchronized (this) {
            wasThere = (members > 0 ? told.members.put(key, member) : told.members.remove(key)) != null;
        }
        if (wasThere != members > 0) {
            count(peer, told, members > 0 ? key.heapBytes() : -key.heapBytes());
        }
        if (members > 0) {
            tenant.add(key.filter(), member, ALL);
        } else {
            tenant.remove(key.filter(), member);
        }
    }

    private synchronized Told told(Peer peer) {
        Told told = peers.get(peer);
        if (told == null) {
            throw new IllegalArgumentException("a frame of a peer that has not joined: " + peer.nodeId());
        }
        return told;
    }

    private void complete(Peer peer, Told told) {
        List<Peer> replaced = new ArrayList<>();
        synchronized (this) {
            told.isComplete = true;
            peers.forEach((other, its) -> {
                if (its.isOver && lifeOf(other).equals(lifeOf(peer))) {
                    replaced.add(other);
                }
            });
        }
        LOG.info("live filters of a peer are known node={} incarnation={}", peer.nodeId(), peer.incarnation());
        replaced.forEach(this::forgetLater);
    }

    /** Whether all filters of that incarnation are known through a peer that is not over. */
    public synchronized boolean knowsAllOf(NodeLife life) {
        return peers.entrySet().stream()
                .anyMatch(entry -> entry.getValue().isComplete
                        && !entry.getValue().isOver
                        && lifeOf(entry.getKey()).equals(life));
    }

    /** No more frames come from the peer. */
    public void over(Peer peer, String why) {
        synchronized (this) {
            Told told = peers.get(peer);
            if (told == null) {
                return;
            }
            told.isOver = true;
        }
        exclude(peer, why);
    }

    private void exclude(Peer peer, String why) {
        if (!isKnown(peer)) {
            return; // it came back
        }
        exclusions.exclude(lifeOf(peer), "its link is over: " + why).whenComplete((agreed, failure) -> {
            if (failure == null) {
                forgetLater(peer);
            } else {
                timers.after(Duration.ofMillis(backoff.pause(1)), () -> exclude(peer, why));
            }
        });
    }

    private synchronized boolean isKnown(Peer peer) {
        return peers.containsKey(peer);
    }

    /**
     * Removes the filters and the connected members on the timers' thread, because a million take a while. A next peer
     * of the same incarnation may not have sent all connected members again by then: until it has, these count as not
     * connected.
     */
    private void forgetLater(Peer peer) {
        Told told;
        synchronized (this) {
            told = peers.get(peer);
            if (told == null || told.isForgotten) {
                return;
            }
            told.isForgotten = true;
        }
        timers.after(Duration.ZERO, () -> forget(peer, told, index.removalOf(peer)));
    }

    private void forget(Peer peer, Told told, NodeRemoval removal) {
        if (!forgetMembers(told) || !removal.removeNext(FORGOTTEN_AT_ONCE)) {
            timers.after(Duration.ZERO, () -> forget(peer, told, removal));
            return;
        }
        synchronized (this) {
            peers.remove(peer);
        }
        LOG.info("live filters of a peer are gone node={} incarnation={}", peer.nodeId(), peer.incarnation());
    }

    /** Removes some of them; returns whether none is left. */
    private synchronized boolean forgetMembers(Told told) {
        for (int i = 0; i < FORGOTTEN_AT_ONCE && !told.members.isEmpty(); i++) {
            RemoteMember member = told.members.pollFirstEntry().getValue();
            index.tenant(member.tenant()).remove(member.filter(), member);
        }
        return told.members.isEmpty();
    }

    public static NodeLife lifeOf(Peer peer) {
        return new NodeLife(peer.nodeId(), peer.incarnation());
    }

    /** Whether no other link to the same incarnation of the node has followed this one. */
    public static boolean isNotBack(Peer peer, Links links) {
        Peer now = links.peer(peer.nodeId());
        return now == null || now.equals(peer) || now.incarnation() != peer.incarnation();
    }
}
