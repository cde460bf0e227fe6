package io.godwit.dist.index.share;

import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.index.compact.CompactTable;
import io.godwit.dist.index.share.SharedMember.Refusal;
import io.godwit.dist.index.share.SharedMember.Tier;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.plugin.topic.TopicFilter.Sharing;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The members of one shared subscription: a share name on one filter (MQTT 5.0, 4.8.2). Joining, leaving and choosing
 * take constant time.
 *
 * <p>Members are in tiers. A message goes to a connected member: a session in memory, a stored one whose client is
 * connected to this node or another, or the object that represents the live members on another node, which is chosen as
 * often as it has members. Without any of these it goes to a stored member whose client is not connected. Only when all
 * others have recently refused for lack of room it goes to one of those, which then applies its limit. A member that
 * refuses is skipped for {@link #REFUSAL_NANOS}. An ordered group ignores tiers once a key has its member, because
 * there order matters more than speed.
 *
 * <p>Other nodes report up to 200 ms late which clients are connected to them. A message that is given to the wrong
 * member meanwhile is not lost: it waits in the member's queue.
 *
 * <p>Writers hold the lock of the group; those that add or remove also hold the lock of the {@code TenantIndex} around
 * it. {@link #pick} runs on every event loop without either.
 */
public final class SharedGroup implements CompactTable.Keyed<String> {
    /** How long a full member is skipped. */
    static final long REFUSAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * After this many draws of the excluded member there is assumed to be no other: with two members the chance of an
     * error is 1 in 65,536.
     */
    private static final int MAX_DRAWS = 16;

    private final TopicFilter filter;
    /** Strategy for messages whose listener has none, or for all messages. */
    private final SharedPick strategy;
    /** Whether the strategies of listeners are ignored. */
    private final boolean isFixed;

    private final LongSupplier nanos;
    /** Guarded by this. */
    private final Map<Receiver, SharedMember> members = new HashMap<>();
    /** Number of members; all live members of another node count as one. */
    private volatile int size;
    /** Number of members; each live member of another node counts. Written under the lock. */
    private volatile int memberCount;

    private final MemberSlots live = new MemberSlots();
    private final MemberSlots connected = new MemberSlots();
    private final MemberSlots elsewhere = new MemberSlots();
    /** Replaced under the lock by the first member: a node that is alone has none. */
    private volatile MemberSlots connectedElsewhere = MemberSlots.NONE;

    private final MemberSlots absent = new MemberSlots();
    private final MemberSlots refusing = new MemberSlots();
    /** Entries for the members in {@link #refusing}, and some outdated ones, by end time. Guarded by this. */
    private final ArrayDeque<Refusal> refusals = new ArrayDeque<>(0);

    /** End time of the first of {@link #refusals}. */
    private volatile long readmitAtNanos;
    /** The position of round-robin. Atomic: every event loop advances it. */
    private final AtomicInteger turn = new AtomicInteger();
    /** The member of each key of an ordered group; null for other groups. */
    private final @Nullable Affinity order;

    private final Affinities affinities = new Affinities();
    /** For messages from other nodes. */
    private final Affinities affinitiesHere = new Affinities();

    /**
     * @param filter the shared filter that members are subscribed to
     * @param nanos a monotonic clock
     */
    public SharedGroup(TopicFilter filter, SharedStrategies strategies, LongSupplier nanos) {
        SharedPick own = strategies.own(String.valueOf(filter.shareGroup()));
        this.filter = filter;
        this.strategy = own == null ? strategies.byDefault() : own;
        this.isFixed = own != null || isOrdered();
        this.nanos = nanos;
        this.order = isOrdered() ? new Affinity(Affinity.BUCKETS) : null;
    }

    /**
     * Distinguishes the groups on one filter: the share name; for groups not of {@code $share} with a '/' in front,
     * which no share name has.
     */
    public static String keyOf(TopicFilter filter) {
        String name = String.valueOf(filter.shareGroup());
        return filter.sharing() == Sharing.SHARED ? name : '/' + name;
    }

    @Override
    public String key() {
        return keyOf(filter);
    }

    public TopicFilter filter() {
        return filter;
    }

    public int size() {
        return size;
    }

    /** Number of members in all nodes, as far as these have reported. Any thread. */
    public int memberCount() {
        return memberCount;
    }

    /** Whether a message that its member refuses may go to another member. */
    public boolean mayTryAnother() {
        return size > 1 && !isOrdered();
    }

    private boolean isOrdered() {
        return filter.sharing() == Sharing.ORDERED;
    }

    /**
     * The member that gets a message of {@code publisher} on {@code topic}; null when there is none.
     *
     * @param asked strategy of the message's listener; null for none. The group's own strategy has priority
     */
    public @Nullable SharedMember pick(ClientId publisher, String topic, @Nullable SharedPick asked) {
        readmitIfDue();
        SharedPick by = asked == null || isFixed ? strategy : asked;
        if (order != null) {
            return order.owner(orderHash(publisher, topic), true, () -> any(by));
        }
        Affinity affinity = affinities.of(by);
        return affinity == null ? any(by) : affinity.owner(keyHash(by, publisher, topic), false, () -> any(by));
    }

    /**
     * Another member instead of {@code without}, which cannot take the message and was {@link #refused}; null when
     * there is none or none was found.
     */
    public @Nullable SharedMember pickOther(
            ClientId publisher, String topic, @Nullable SharedPick asked, SharedMember without) {
        SharedPick by = asked == null || isFixed ? strategy : asked;
        for (int i = 0; i < MAX_DRAWS && size > (without.isMember() ? 1 : 0); i++) {
            SharedMember next = any(by);
            if (next != null && !next.equals(without)) {
                return order == null ? next : order.give(orderHash(publisher, topic), without, next);
            }
        }
        return null;
    }

    /**
     * The session in the memory of this node that gets a message from another node; when all are refusing, one of
     * those. Null when there is none.
     */
    public @Nullable SharedMember pickHere(ClientId publisher, String topic) {
        readmitIfDue();
        if (order != null) { // an ordered group uses this affinity for nothing else
            Affinity kept = Objects.requireNonNull(affinitiesHere.of(SharedPick.HASH_BY_CLIENT));
            return kept.owner(orderHash(publisher, topic), true, this::anyHere);
        }
        Affinity affinity = affinitiesHere.of(strategy);
        return affinity == null ? anyHere() : affinity.owner(keyHash(strategy, publisher, topic), false, this::anyHere);
    }

    private @Nullable SharedMember anyHere() {
        SharedMember member = anyOf(live, strategy);
        return member != null ? member : anyHereOrRefusing();
    }

    /** With the lock held, no member is between two tiers. */
    private synchronized @Nullable SharedMember anyHereOrRefusing() {
        SharedMember member = anyOf(live, strategy);
        int count = refusing.size();
        int first = count == 0 ? 0 : draw(count, strategy);
        for (int i = 0; i < count && member == null; i++) {
            SharedMember next = refusing.get((first + i) % count);
            member = next != null && next.isHere() ? next : null;
        }
        return member;
    }

    private void readmitIfDue() {
        if (refusing.size() > 0 && readmitAtNanos - nanos.getAsLong() <= 0) {
            readmit();
        }
    }

    private static int orderHash(ClientId publisher, String topic) {
        return 31 * publisher.hashCode() + topic.hashCode();
    }

    private static int keyHash(SharedPick by, ClientId publisher, String topic) {
        return switch (by) {
            case HASH_BY_CLIENT -> publisher.hashCode();
            case HASH_BY_TOPIC -> topic.hashCode();
            case RANDOM, ROUND_ROBIN, STICKY, LOCAL_FIRST -> 0;
        };
    }

    /** A member of the best tier that is not empty. */
    private @Nullable SharedMember any(SharedPick by) {
        while (size > 0) { // a member that moves between two tiers may be missed in both
            SharedMember member = anyAvailable(by);
            if (member == null) {
                member = anyOf(absent, by);
            }
            if (member == null) {
                member = anyOf(refusing, by);
            }
            if (member != null) {
                return member;
            }
            Thread.onSpinWait();
        }
        return null;
    }

    private @Nullable SharedMember anyAvailable(SharedPick by) {
        if (by == SharedPick.LOCAL_FIRST) {
            SharedMember member = anyOf(live, by);
            if (member == null) {
                member = anyOf(connected, by);
            }
            if (member != null) {
                return member;
            }
        }
        while (true) {
            int inMemory = live.size();
            int here = inMemory + connected.size();
            MemberSlots storedElsewhere = connectedElsewhere;
            int stored = storedElsewhere.size();
            int count = here + stored + membersElsewhere();
            if (count == 0) {
                return null;
            }
            int at = draw(count, by);
            SharedMember member;
            if (at < here) {
                member = memberHere(at, inMemory);
            } else {
                int there = at - here;
                member = there < stored ? storedElsewhere.get(there) : memberElsewhere(there - stored);
            }
            if (member != null) {
                return member;
            }
        }
    }

    private @Nullable SharedMember memberHere(int at, int inMemory) {
        return at < inMemory ? live.get(at) : connected.get(at - inMemory);
    }

    /** Number of members on all other nodes; {@link #elsewhere} has one entry per node. */
    private int membersElsewhere() {
        int sum = 0;
        int count = elsewhere.size();
        for (int i = 0; i < count; i++) {
            SharedMember member = elsewhere.get(i);
            sum += member == null ? 0 : member.weight();
        }
        return sum;
    }

    private @Nullable SharedMember memberElsewhere(int at) {
        int left = at;
        int count = elsewhere.size();
        for (int i = 0; i < count; i++) {
            SharedMember member = elsewhere.get(i);
            left -= member == null ? 0 : member.weight();
            if (left < 0) {
                return member;
            }
        }
        return null;
    }

    private @Nullable SharedMember anyOf(MemberSlots tier, SharedPick by) {
        for (int count = tier.size(); count > 0; count = tier.size()) {
            SharedMember member = tier.get(draw(count, by));
            if (member != null) {
                return member;
            }
        }
        return null;
    }

    private int draw(int count, SharedPick by) {
        if (by == SharedPick.ROUND_ROBIN) {
            return Integer.remainderUnsigned(turn.getAndIncrement(), count);
        }
        return count == 1 ? 0 : ThreadLocalRandom.current().nextInt(count);
    }

    /** {@code member} had no room: skips it for a while. */
    public synchronized void refused(SharedMember member) {
        if (member.tier() == Tier.LEFT || member.tier() == Tier.REFUSING) {
            return;
        }
        Refusal refusal = new Refusal(member, nanos.getAsLong() + REFUSAL_NANOS);
        if (refusals.isEmpty()) {
            readmitAtNanos = refusal.untilNanos();
        }
        refusals.addLast(refusal);
        member.refusal = refusal;
        move(member, Tier.REFUSING);
    }

    private synchronized void readmit() {
        long now = nanos.getAsLong();
        Refusal first = refusals.peekFirst();
        while (first != null && first.untilNanos() - now <= 0) {
            SharedMember member = first.member();
            if (member.tier() == Tier.REFUSING && first.equals(member.refusal)) {
                move(member, member.home());
            }
            refusals.removeFirst();
            first = refusals.peekFirst();
        }
        if (first != null) {
            readmitAtNanos = first.untilNanos();
        }
    }

    /** Sets whether the client of a stored member is connected to this node. */
    public synchronized void setConnected(Receiver receiver, boolean isConnected) {
        SharedMember member = members.get(receiver);
        if (member == null || !member.isStored()) {
            return;
        }
        member.setConnectedHere(isConnected);
        move(member, member.home()); // a client that comes back makes room again
    }

    /** Sets whether the client of a stored member is connected to another node. */
    public synchronized void setConnectedElsewhere(Receiver receiver, boolean isConnected) {
        SharedMember member = members.get(receiver);
        if (member == null || !member.isStored()) {
            return;
        }
        Tier before = member.home();
        member.setConnectedElsewhere(isConnected);
        if (member.home() != before) { // else the report is about the node that the client has left
            move(member, member.home());
        }
    }

    /** Adds or replaces a member; returns whether the receiver is new here. */
    public synchronized boolean add(Match match) {
        SharedMember known = members.get(match.receiver());
        if (known != null) {
            int before = known.weight();
            known.setMatch(match);
            memberCount += known.weight() - before;
            return false;
        }
        SharedMember member = new SharedMember(match, homeOf(match.receiver()));
        members.put(match.receiver(), member);
        addTo(member, member.home());
        size = members.size();
        memberCount += member.weight();
        return true;
    }

    private static Tier homeOf(Receiver receiver) {
        if (receiver instanceof LiveReceiver session) {
            return session.membersElsewhere() == 0 ? Tier.LIVE : Tier.ELSEWHERE;
        }
        return Tier.ABSENT;
    }

    /** Returns whether there was such a member. */
    public synchronized boolean remove(Receiver receiver) {
        SharedMember member = members.remove(receiver);
        if (member == null) {
            return false;
        }
        size = members.size();
        memberCount -= member.weight();
        slotsOf(member.tier()).remove(member);
        member.setTier(Tier.LEFT);
        return true;
    }

    private void move(SharedMember member, Tier tier) {
        if (member.tier() != tier) {
            slotsOf(member.tier()).remove(member);
            addTo(member, tier);
        }
    }

    private void addTo(SharedMember member, Tier tier) {
        boolean hasItsShare = member.tier().isAvailable();
        if (tier == Tier.CONNECTED_ELSEWHERE && connectedElsewhere == MemberSlots.NONE) {
            connectedElsewhere = new MemberSlots();
        }
        member.setTier(tier);
        slotsOf(tier).add(member);
        if (tier.isAvailable() && !hasItsShare) {
            affinities.share(member, live.size() + connected.size() + elsewhere.size() + connectedElsewhere.size());
            if (tier == Tier.LIVE && order == null) {
                affinitiesHere.share(member, live.size());
            }
        }
    }

    private MemberSlots slotsOf(Tier tier) {
        return switch (tier) {
            case LIVE -> live;
            case CONNECTED -> connected;
            case ELSEWHERE -> elsewhere;
            case CONNECTED_ELSEWHERE -> connectedElsewhere;
            case ABSENT -> absent;
            case REFUSING -> refusing;
            case LEFT -> throw new IllegalStateException("has left the group");
        };
    }

    public synchronized @Nullable SharedMember memberOf(Receiver receiver) {
        return members.get(receiver);
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** Visits the members in no particular order. */
    public synchronized void forEach(Consumer<Match> action) {
        members.values().forEach(member -> action.accept(member.match()));
    }

    /** Slot writes of all changes so far; for tests of their cost. */
    synchronized long writes() {
        return Stream.of(live, connected, elsewhere, connectedElsewhere, absent, refusing)
                .mapToLong(MemberSlots::writes)
                .sum();
    }
}
