package io.godwit.dist.index.share;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.index.compact.CompactTable;
import io.godwit.dist.index.share.SharedMember.Refusal;
import io.godwit.dist.index.share.SharedMember.Tier;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.plugin.topic.TopicFilter.Sharing;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The members of one shared subscription: a share name on one filter (MQTT 5.0, 4.8.2). Joining, leaving and choosing
 * take constant time. Only a strategy with keys searches the members: few of them for each message, many when a bucket
 * of keys is first used or its member has left ({@link SetOwners}).
 *
 * <p>Members are in tiers. A message goes to a connected member: a session in memory, a stored one whose client is
 * connected to this node or another, or the object that represents the live members on another node, which is chosen as
 * often as it has members. Without any of these it goes to a stored member whose client is not connected. Only when all
 * others have recently refused for lack of room it goes to one of those, which then applies its limit. A member that
 * refuses is skipped for {@link #REFUSAL_NANOS}. An ordered group ignores tiers once a key has its member, because
 * there order matters more than speed.
 *
 * <p>A strategy with keys makes the same choice on all nodes that know the same members ({@link GroupOwners}). In a
 * hashed group that is all. In an ordered or sticky group, each node keeps the choices that it has made
 * ({@link KeptKeys}), because a key must not move when a member joins. A node whose sticky group keeps another member
 * than it would choose now tells the others ({@link StickyListener}), and they follow.
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

    /** The name of this node as a candidate, the same on all nodes. */
    private final String node;

    private final GroupKeys keys;
    /** Number of live members of this node, full ones too. Written under the lock. */
    private volatile int liveCount;
    /** Odd while a member changes its tier, so that an owner is not chosen without it. Written under the lock. */
    private volatile int tierChanges;

    /**
     * For a node that is alone.
     *
     * @param filter the shared filter that members are subscribed to
     * @param nanos a monotonic clock
     */
    public SharedGroup(TopicFilter filter, SharedStrategies strategies, LongSupplier nanos) {
        this(TenantId.DEFAULT, filter, strategies, nanos, "", StickyListener.NONE);
    }

    /**
     * @param filter the shared filter that members are subscribed to
     * @param nanos a monotonic clock
     * @param node the name under which the other nodes know the live members of this one: the client id of the receiver
     *     that represents them there
     * @param stickyListener {@link StickyListener#NONE} for a node that is alone
     */
    public SharedGroup(
            TenantId tenant,
            TopicFilter filter,
            SharedStrategies strategies,
            LongSupplier nanos,
            String node,
            StickyListener stickyListener) {
        SharedPick own = strategies.own(String.valueOf(filter.shareGroup()));
        this.filter = filter;
        this.strategy = own == null ? strategies.byDefault() : own;
        this.isFixed = own != null || isOrdered();
        this.nanos = nanos;
        this.node = node;
        GroupKeys.Reports reports = new GroupKeys.Reports(tenant, filter, node, stickyListener);
        this.keys = new GroupKeys(new Members(), this, reports, live, elsewhere, nanos);
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
        return choose(strategyFor(asked), publisher, topic);
    }

    private SharedPick strategyFor(@Nullable SharedPick asked) {
        return asked == null || isFixed ? strategy : asked;
    }

    private @Nullable SharedMember choose(SharedPick by, ClientId publisher, String topic) {
        if (isOrdered()) {
            return keys.ordered(publisher, topic);
        }
        return switch (by) {
            case STICKY -> keys.sticky();
            case HASH_BY_CLIENT, HASH_BY_TOPIC -> keys.hashed(by, publisher, topic);
            case RANDOM, ROUND_ROBIN, LOCAL_FIRST -> any(by);
        };
    }

    /** See {@link GroupKeys#stickToNode}. */
    public void stickToNode(String from, String name) {
        keys.stickToNode(from, name);
    }

    /** See {@link GroupKeys#stickToNode}. */
    public void stickToStored(String from, InboxReceiver receiver) {
        keys.stickToStored(from, receiver);
    }

    /**
     * Another member instead of {@code without}, which is no live one of this node, cannot take the message and was
     * {@link #refused}; null when there is none or none was found.
     */
    public @Nullable SharedMember pickOther(
            ClientId publisher, String topic, @Nullable SharedPick asked, SharedMember without) {
        SharedPick by = strategyFor(asked);
        for (int i = 0; i < MAX_DRAWS && size > (without.isMember() ? 1 : 0); i++) {
            if (isOrdered()) {
                keys.release(publisher, topic, without);
            }
            SharedMember next = choose(by, publisher, topic);
            if (next != null && !next.equals(without)) {
                return next;
            }
        }
        return null;
    }

    /**
     * The session in the memory of this node that gets a message from another node; when all are refusing, one of
     * those. Null when there is none.
     *
     * @param asked strategy of the message's listener; null for none. The group's own strategy has priority
     */
    public @Nullable SharedMember pickHere(ClientId publisher, String topic, @Nullable SharedPick asked) {
        readmitIfDue();
        if (isOrdered()) {
            return keys.orderedHere(publisher, topic);
        }
        SharedPick by = strategyFor(asked);
        return switch (by) {
            case STICKY -> keys.stickyHere();
            case HASH_BY_CLIENT, HASH_BY_TOPIC -> keys.hashedHere(by, publisher, topic);
            case RANDOM, ROUND_ROBIN, LOCAL_FIRST -> anyHere(by);
        };
    }

    /** What the choices for keys need of the group. */
    private final class Members implements GroupKeys.Members {
        @Override
        public @Nullable SharedMember any() {
            return SharedGroup.this.any(strategy);
        }

        @Override
        public @Nullable SharedMember anyHere() {
            return SharedGroup.this.anyHere(strategy);
        }

        @Override
        public @Nullable SharedMember of(InboxReceiver receiver) {
            return memberOf(receiver);
        }

        @Override
        public int changes() {
            return tierChanges;
        }

        @Override
        public int liveCount() {
            return liveCount;
        }

        @Override
        public MemberSlots connectedElsewhere() {
            return connectedElsewhere;
        }

        @Override
        public GroupOwners newOwners() {
            return new GroupOwners(SharedGroup.this, filter.text(), node, live, connected, elsewhere, absent);
        }
    }

    private @Nullable SharedMember anyHere(SharedPick by) {
        SharedMember member = anyOf(live, by);
        return member != null ? member : anyHereOrRefusing(by);
    }

    /** With the lock held, no member is between two tiers. */
    private synchronized @Nullable SharedMember anyHereOrRefusing(SharedPick by) {
        SharedMember member = anyOf(live, by);
        int count = refusing.size();
        int first = count == 0 ? 0 : draw(count, by);
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
            if (known.weight() != before) { // so may be the choice
                countTierChange();
                countTierChange();
            }
            return false;
        }
        SharedMember member = new SharedMember(match, homeOf(match.receiver()));
        members.put(match.receiver(), member);
        enter(member, member.home());
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
        enter(member, Tier.LEFT);
        return true;
    }

    private void move(SharedMember member, Tier tier) {
        if (member.tier() != tier) {
            enter(member, tier);
        }
    }

    /** Moves a member from its tier, which is LEFT for a new one, to another. */
    private void enter(SharedMember member, Tier tier) {
        Tier before = member.tier();
        if (tier == Tier.CONNECTED_ELSEWHERE && connectedElsewhere == MemberSlots.NONE) {
            connectedElsewhere = new MemberSlots();
        }
        countTierChange();
        if (before != Tier.LEFT) {
            slotsOf(before).remove(member);
        }
        member.setTier(tier);
        if (tier != Tier.LEFT) {
            slotsOf(tier).add(member);
        }
        if (member.isHere()) {
            countLive(before, tier);
        }
        keys.moved(member, before, tier);
        countTierChange();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    private void countTierChange() {
        tierChanges++;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    private void countLive(Tier before, Tier after) {
        if (before == Tier.LEFT) {
            liveCount++;
        }
        if (after == Tier.LEFT) {
            liveCount--;
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

    /** Members looked at so far to learn which of many has a bucket; for tests of the cost. */
    long looks() {
        return keys.looks();
    }

    /** Slot writes of all changes so far; for tests of their cost. */
    synchronized long writes() {
        return Stream.of(live, connected, elsewhere, connectedElsewhere, absent, refusing)
                .mapToLong(MemberSlots::writes)
                .sum();
    }
}
