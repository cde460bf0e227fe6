package io.godwit.dist.route;

import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.route.SharedMember.Tier;
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
import org.jspecify.annotations.Nullable;

/**
 * The members of one shared subscription: a share name on one filter (MQTT 5.0, 4.8.2). Joining, leaving and choosing
 * cost the same whatever the number of members.
 *
 * <p>Members stand in tiers. A message goes to one that is connected: a session in memory, a stored one whose client is
 * known to be here, or what stands for the live members on another node, each as often as it has members; without any
 * to a stored one whose client is not; and only when all others have lately refused
 * for lack of room to one of these, which then does what its limit says. A member that refuses is passed over for
 * {@link #REFUSAL_NANOS}. An ordered group knows no tiers once a key has its member: order is worth more there than
 * speed.
 *
 * <p>Writers hold the lock of the group, and those that add or remove that of the {@link TenantIndex} around it.
 * {@link #pick} runs on every event loop without either.
 */
public final class SharedGroup implements CompactTable.Keyed<String> {
    /** How long a member that was full is passed over. */
    static final long REFUSAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * After that many draws of the one that it must not be, there is none other: with two the chance is 1 in 65,536.
     */
    private static final int MAX_DRAWS = 16;

    /** A member that was full, and until when it is passed over. */
    record Refusal(SharedMember member, long untilNanos) {}

    private final TopicFilter filter;
    /** Of messages that no listener has a strategy for, or of all. */
    private final SharedPick strategy;
    /** Whether listeners have no say. */
    private final boolean isFixed;

    private final LongSupplier nanos;
    /** Guarded by this. */
    private final Map<Receiver, SharedMember> members = new HashMap<>();
    /** How many members there are in all; those of one other node together are one. */
    private volatile int size;
    /** The same with each of those of other nodes. Written under the lock. */
    private volatile int memberCount;

    private final MemberSlots live = new MemberSlots();
    private final MemberSlots connected = new MemberSlots();
    private final MemberSlots elsewhere = new MemberSlots();
    private final MemberSlots absent = new MemberSlots();
    private final MemberSlots refusing = new MemberSlots();
    /** Those in {@link #refusing}, and some that are so no longer, by the end of it. Guarded by this. */
    private final ArrayDeque<Refusal> refusals = new ArrayDeque<>(0);

    /** When the first of {@link #refusals} is over. */
    private volatile long readmitAtNanos;
    /** The position of round-robin: every event loop moves it, and a group has no loop of its own. */
    private final AtomicInteger turn = new AtomicInteger();
    /** What each key of an ordered group is with; null for other groups. */
    private final @Nullable Affinity order;

    private final Affinities affinities = new Affinities();
    /** Of messages that other nodes sent here. */
    private final Affinities affinitiesHere = new Affinities();

    /**
     * @param filter the shared filter that members are subscribed to
     * @param nanos a monotonic clock
     */
    SharedGroup(TopicFilter filter, SharedStrategies strategies, LongSupplier nanos) {
        SharedPick own = strategies.own(String.valueOf(filter.shareGroup()));
        this.filter = filter;
        this.strategy = own == null ? strategies.byDefault() : own;
        this.isFixed = own != null || isOrdered();
        this.nanos = nanos;
        this.order = isOrdered() ? new Affinity(Affinity.BUCKETS) : null;
    }

    /**
     * What tells the groups on one filter apart: the share name, behind a '/', which no share name has, when it is not
     * one of {@code $share}.
     */
    static String keyOf(TopicFilter filter) {
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

    /** Members of all nodes, as these have told. Any thread. */
    public int memberCount() {
        return memberCount;
    }

    /** Whether a message that its member refuses may go to another. */
    public boolean mayTryAnother() {
        return size > 1 && !isOrdered();
    }

    private boolean isOrdered() {
        return filter.sharing() == Sharing.ORDERED;
    }

    /**
     * The member that gets a message of {@code publisher} on {@code topic}; null when there is none left.
     *
     * @param asked the strategy of the listener that the message came through; null for a message without one. One that
     *     the group has of its own goes before it.
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
     * Another one, because nothing can come of {@code without}, which was {@link #refused}; null when there is none, or
     * none was found.
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
     * The session in the memory of this node that gets a message of another node; one that was full a moment ago when
     * all are. Null when there is none.
     */
    public @Nullable SharedMember pickHere(ClientId publisher, String topic) {
        readmitIfDue();
        if (order != null) { // which has no use for this affinity otherwise
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

    /** Under the lock nobody is on the way from one tier to another. */
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

    /** A member of the best tier that has one. */
    private @Nullable SharedMember any(SharedPick by) {
        while (size > 0) { // a member on its way from one tier to another may be missed in both
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
            int count = here + membersElsewhere();
            if (count == 0) {
                return null;
            }
            int at = draw(count, by);
            SharedMember member = at < here ? memberHere(at, inMemory) : memberElsewhere(at - here);
            if (member != null) {
                return member;
            }
        }
    }

    private @Nullable SharedMember memberHere(int at, int inMemory) {
        return at < inMemory ? live.get(at) : connected.get(at - inMemory);
    }

    /** What all of {@link #elsewhere} stand for, of which there is one for each node. */
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

    /** {@code member} had no room: others are chosen for a while. */
    public synchronized void refused(SharedMember member) {
        if (member.tier() == Tier.LEFT || member.tier() == Tier.REFUSING) {
            return;
        }
        Refusal refusal = new Refusal(member, nanos.getAsLong() + REFUSAL_NANOS);
        if (refusals.isEmpty()) {
            readmitAtNanos = refusal.untilNanos;
        }
        refusals.addLast(refusal);
        member.refusal = refusal;
        move(member, Tier.REFUSING);
    }

    private synchronized void readmit() {
        long now = nanos.getAsLong();
        Refusal first = refusals.peekFirst();
        while (first != null && first.untilNanos - now <= 0) {
            SharedMember member = first.member;
            if (member.tier() == Tier.REFUSING && first.equals(member.refusal)) {
                move(member, member.home());
            }
            refusals.removeFirst();
            first = refusals.peekFirst();
        }
        if (first != null) {
            readmitAtNanos = first.untilNanos;
        }
    }

    /** Whether the client of a stored member is connected to this node. */
    synchronized void setConnected(Receiver receiver, boolean isConnected) {
        SharedMember member = members.get(receiver);
        if (member == null || member.home() == Tier.LIVE) {
            return;
        }
        member.setHome(isConnected ? Tier.CONNECTED : Tier.ABSENT);
        move(member, member.home()); // whose client comes back has room again
    }

    /** Adds or replaces; whether the receiver is new here. */
    synchronized boolean add(Match match) {
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

    /** Whether there was such a member. */
    synchronized boolean remove(Receiver receiver) {
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
        member.setTier(tier);
        slotsOf(tier).add(member);
        if (tier.isAvailable()) {
            affinities.share(member, live.size() + connected.size() + elsewhere.size());
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
            case ABSENT -> absent;
            case REFUSING -> refusing;
            case LEFT -> throw new IllegalStateException("has left the group");
        };
    }

    public synchronized @Nullable SharedMember memberOf(Receiver receiver) {
        return members.get(receiver);
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Members in no particular order. */
    public synchronized void forEach(Consumer<Match> action) {
        members.values().forEach(member -> action.accept(member.match()));
    }

    /** Slots written by all changes so far; for tests of their cost. */
    synchronized long writes() {
        return live.writes() + connected.writes() + elsewhere.writes() + absent.writes() + refusing.writes();
    }
}
