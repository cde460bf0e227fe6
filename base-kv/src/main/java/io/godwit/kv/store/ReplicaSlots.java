package io.godwit.kv.store;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The replicas of a store on this node, each with its phase of life. The one owner of that.
 *
 * <pre>
 *            +-- leave --------> LEAVING --> no slot
 *            |
 * OPEN ------+-- retire --> RETIRING --> BURYING --> no slot, or UNDELETED
 * DAMAGED ---+-- leave --------> LEAVING --> no slot
 * </pre>
 *
 * <p>Any thread may look; who changes holds the monitor of this list. A change to a phase that does not follow from the
 * present one throws {@link IllegalStateException}.
 *
 * @param <R> a replica
 */
final class ReplicaSlots<R> {
    enum Phase {
        /** The database is open; the replica takes part, or has stopped after a fault. */
        OPEN,
        /** Registered and not opened, since the files are damaged and other voters have what it had. */
        DAMAGED,
        /** Given up; its files are not deleted yet. */
        LEAVING,
        /** Its range has ended; the replica goes on for a while, so that the other members learn of the end. */
        RETIRING,
        /** Its range has ended; its files are being deleted. */
        BURYING,
        /** Its range has ended; files are left, which the next start of the node deletes. */
        UNDELETED;

        private boolean mayFollow(Phase before) {
            return switch (this) {
                case OPEN -> before == OPEN;
                case DAMAGED -> false;
                case LEAVING -> before == OPEN || before == DAMAGED;
                case RETIRING -> before == OPEN;
                case BURYING -> before == RETIRING;
                case UNDELETED -> before == BURYING;
            };
        }
    }

    /**
     * What this node has of one range. Immutable.
     *
     * @param order of its coming
     * @param replica null unless {@link #isHere}, and when it is damaged
     * @param fault empty unless it is damaged
     * @param voters as far as this node knows them; empty unless it is damaged
     * @param start of the replica, or its replacement, while it is under way
     */
    record Slot<R>(
            long order,
            RangeDescriptor descriptor,
            Phase phase,
            @Nullable R replica,
            String fault,
            List<String> voters,
            @Nullable CompletableFuture<Void> start) {
        /** Whether the node counts as having a replica. */
        boolean isHere() {
            return phase == Phase.OPEN || phase == Phase.DAMAGED || phase == Phase.RETIRING;
        }

        boolean hasEnded() {
            return phase == Phase.RETIRING || phase == Phase.BURYING || phase == Phase.UNDELETED;
        }

        boolean isStarting() {
            return start != null;
        }

        private Slot<R> in(Phase next) {
            if (!next.mayFollow(phase)) {
                throw new IllegalStateException(next + " cannot follow " + phase + ": " + descriptor.groupId());
            }
            boolean keeps = next == Phase.OPEN || next == Phase.RETIRING;
            return new Slot<>(order, descriptor, next, keeps ? replica : null, "", List.of(), start);
        }

        private Slot<R> withReplica(R next) {
            return new Slot<>(order, descriptor, phase, next, fault, voters, start);
        }

        private Slot<R> withStart(@Nullable CompletableFuture<Void> next) {
            return new Slot<>(order, descriptor, phase, replica, fault, voters, next);
        }
    }

    private final Map<Long, Slot<R>> slots = new ConcurrentHashMap<>();
    private long came;
    private boolean closed;

    // --- looking, on any thread

    /** Null when this node has nothing of the range. */
    @Nullable
    Slot<R> slot(long id) {
        return slots.get(id);
    }

    /** The replica, unless there is none or it is damaged. */
    @Nullable
    R find(long id) {
        Slot<R> slot = slots.get(id);
        return slot == null ? null : slot.replica();
    }

    /** The slot, if the node counts as having a replica. */
    @Nullable
    Slot<R> here(long id) {
        Slot<R> slot = slots.get(id);
        return slot != null && slot.isHere() ? slot : null;
    }

    /** Those that the node counts as having, in the order in which they came. */
    List<Slot<R>> here() {
        return ordered().filter(Slot::isHere).toList();
    }

    /** In the order in which they came: of two with the same bounds the later one is routed to. */
    List<R> replicas() {
        return parts(ordered(), Slot::replica);
    }

    /** In no order; for who asks often. */
    List<R> unordered() {
        return parts(slots.values().stream(), Slot::replica);
    }

    List<CompletableFuture<Void>> starts() {
        return parts(ordered(), Slot::start);
    }

    boolean has(Phase phase) {
        return slots.values().stream().anyMatch(slot -> slot.phase() == phase);
    }

    private <T> List<T> parts(Stream<Slot<R>> of, Function<Slot<R>, @Nullable T> part) {
        return of.<T>mapMulti((slot, each) -> {
                    T value = part.apply(slot);
                    if (value != null) {
                        each.accept(value);
                    }
                })
                .toList();
    }

    private Stream<Slot<R>> ordered() {
        return slots.values().stream().sorted(Comparator.comparingLong(Slot::order));
    }

    // --- changes, and what only they need, with the lock

    /** From here on no replica comes or goes. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    void open(RangeDescriptor descriptor, R replica) {
        put(new Slot<>(came++, descriptor, Phase.OPEN, replica, "", List.of(), null));
    }

    void damaged(RangeDescriptor descriptor, List<String> voters, String fault) {
        put(new Slot<>(came++, descriptor, Phase.DAMAGED, null, fault, List.copyOf(voters), null));
    }

    private void put(Slot<R> slot) {
        Slot<R> before = slots.putIfAbsent(slot.descriptor().id(), slot);
        if (before != null) {
            throw new IllegalStateException(
                    "two replicas of " + slot.descriptor().groupId());
        }
    }

    /** Another replica takes the place of the one before. */
    void replace(long id, R replica) {
        change(id, slot -> slot.in(Phase.OPEN).withReplica(replica));
    }

    void become(long id, Phase next) {
        change(id, slot -> slot.in(next));
    }

    void startBegins(long id, CompletableFuture<Void> start) {
        change(id, slot -> slot.withStart(start));
    }

    /** Also when the replica was given up or retired meanwhile. */
    void startEnds(long id) {
        slots.computeIfPresent(id, (key, slot) -> slot.withStart(null));
    }

    void remove(long id) {
        slots.remove(id);
    }

    void clear() {
        slots.clear();
    }

    private void change(long id, UnaryOperator<Slot<R>> change) {
        Slot<R> changed = slots.computeIfPresent(id, (key, slot) -> change.apply(slot));
        if (changed == null) {
            throw new IllegalStateException("no replica of range " + id);
        }
    }
}
