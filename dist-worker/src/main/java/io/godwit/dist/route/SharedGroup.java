package io.godwit.dist.route;

import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Receiver;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The members of one shared subscription: a share name on one filter (MQTT 5.0, 4.8.2). Joining, leaving and picking cost the same whatever
 * the number of members.
 *
 * <p>Written under the lock of its {@link TenantIndex}. {@link #pick} runs on every event loop without one: members stand in the first
 * {@code size} slots; a leaving member's slot takes the last one. A pick that meets the slot just emptied, or an array just replaced,
 * tries again.
 */
public final class SharedGroup implements CompactTable.Keyed<String> {
    private static final int SMALLEST = 4;

    private final String name;
    private final SharedPick strategy;
    /** Writer only: the slot of each receiver. */
    private final Map<Receiver, Integer> slots = new HashMap<>();
    /** The position of round-robin: every event loop moves it, and a group has no loop of its own. */
    private final AtomicInteger turn = new AtomicInteger();

    private volatile AtomicReferenceArray<@Nullable Match> members = new AtomicReferenceArray<>(SMALLEST);
    /** Raised after the array holds the member, lowered before its slot is emptied; read before the array. */
    private volatile int size;

    SharedGroup(String name, SharedPick strategy) {
        this.name = name;
        this.strategy = strategy;
    }

    /** The share name. */
    @Override
    public String key() {
        return name;
    }

    public int size() {
        return size;
    }

    /** The member whose turn it is, null when there is none left [MQTT5-4.8.2-4]. */
    public @Nullable Match pick() {
        while (true) {
            int count = size;
            if (count == 0) {
                return null;
            }
            int at = switch (strategy) {
                case RANDOM -> count == 1 ? 0 : ThreadLocalRandom.current().nextInt(count);
                case ROUND_ROBIN -> Integer.remainderUnsigned(turn.getAndIncrement(), count);
            };
            AtomicReferenceArray<@Nullable Match> array = members;
            Match member = at < array.length() ? array.get(at) : null;
            if (member != null) {
                return member;
            }
        }
    }

    /**
     * The member for a distribution that may be repeated, also after a restart: the same one as long as it is in the group, in whatever order the
     * others came and went. So the repetition meets the inbox that knows the token. By the highest score of token and client id, each member
     * being looked at; spreads evenly, whatever the strategy.
     */
    public @Nullable Match pick(DeliveryToken token) {
        long seed = mix(token.origin().hashCode() * 0x9E3779B97F4A7C15L + token.number());
        Match chosen = null;
        long best = 0;
        AtomicReferenceArray<@Nullable Match> array = members;
        int count = Math.min(size, array.length());
        for (int i = 0; i < count; i++) {
            Match member = array.get(i);
            if (member == null) {
                continue;
            }
            String clientId = member.receiver().clientId().value();
            long score = mix(seed ^ clientId.hashCode() * 0xC2B2AE3D27D4EB4FL);
            if (chosen == null
                    || score > best
                    || (score == best
                            && clientId.compareTo(chosen.receiver().clientId().value()) < 0)) {
                chosen = member;
                best = score;
            }
        }
        return chosen;
    }

    /** Spreads neighbouring values over all 64 bits. */
    private static long mix(long value) {
        long mixed = (value ^ (value >>> 33)) * 0xFF51AFD7ED558CCDL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xC4CEB9FE1A85EC53L;
        return mixed ^ (mixed >>> 33);
    }

    /** Adds or replaces; whether the receiver is new here. */
    boolean add(Match member) {
        Integer slot = slots.get(member.receiver());
        if (slot != null) {
            members.set(slot, member);
            return false;
        }
        int last = size;
        if (last == members.length()) {
            resize(2 * last);
        }
        members.set(last, member);
        slots.put(member.receiver(), last);
        size = last + 1;
        return true;
    }

    /** Whether there was such a member. */
    boolean remove(Receiver receiver) {
        Integer slot = slots.remove(receiver);
        if (slot == null) {
            return false;
        }
        int last = size - 1;
        Match moved = members.get(last);
        if (slot != last && moved != null) {
            members.set(slot, moved);
            slots.put(moved.receiver(), slot);
        }
        size = last;
        members.set(last, null);
        if (last > SMALLEST && last == members.length() / 4) {
            resize(members.length() / 2);
        }
        return true;
    }

    @Nullable
    Match memberOf(Receiver receiver) {
        Integer slot = slots.get(receiver);
        return slot == null ? null : members.get(slot);
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Members in no particular order; weakly consistent beside a writer. */
    void forEach(Consumer<Match> action) {
        AtomicReferenceArray<@Nullable Match> array = members;
        int count = Math.min(size, array.length());
        for (int i = 0; i < count; i++) {
            Match member = array.get(i);
            if (member != null) {
                action.accept(member);
            }
        }
    }

    private void resize(int capacity) {
        AtomicReferenceArray<@Nullable Match> old = members;
        AtomicReferenceArray<@Nullable Match> copy = new AtomicReferenceArray<>(capacity);
        for (int i = 0; i < size; i++) {
            copy.set(i, old.get(i));
        }
        members = copy;
    }
}
