package io.godwit.dist.member;

import io.godwit.dist.member.view.AgreedMember;
import io.godwit.dist.member.view.MemberState;
import io.godwit.dist.member.view.MembersView;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.dist.member.view.ViewRecord;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Members on one thread, from a seed: nodes with clocks of different rates that stand still, die, come back and leave;
 * one store, with or without a majority, whose answers are late or lost; ordered links between all nodes. Users of each
 * node subscribe and publish, and each acknowledgement is checked against the promises to them.
 */
final class MemberWorld {
    static final long MILLI = 1_000_000;
    static final long SECOND = 1_000 * MILLI;
    private static final int NODES = 4;

    private record Event(long atNanos, long order, Runnable task) {}

    /** A subscription of a client of one incarnation. */
    static final class Filter {
        final int id;
        final NodeLife of;
        /** When it was promised, and when the promise ended; negative: not yet. */
        long promisedNanos = -1;

        long endedNanos = -1;

        Filter(int id, NodeLife of) {
            this.id = id;
            this.of = of;
        }

        boolean isOwedAt(long nanos) {
            return promisedNanos >= 0 && promisedNanos < nanos && (endedNanos < 0 || endedNanos > nanos);
        }
    }

    /** An exclusion that has completed. */
    private record Excluded(NodeLife life, long lapseRevision, long nanos) {}

    final Random random;
    final Map<String, Integer> happened = new TreeMap<>();
    final List<Filter> filters = new ArrayList<>();
    final long seed;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::order));
    private final Map<String, MemberNode> nodes = new LinkedHashMap<>();
    private final List<Excluded> exclusions = new ArrayList<>();
    /** Views by revision, each with the time of its commit. */
    private final List<MembersView> log = new ArrayList<>(List.of(MembersView.NONE));

    private final List<Long> committedNanos = new ArrayList<>(List.of(0L));
    private long nanos = 1_000 * SECOND;
    private long order;
    private boolean hasMajority = true;
    final Duration hold;
    boolean isCalm;
    private @Nullable String violation;

    MemberWorld(long seed) {
        this(seed, Duration.ofSeconds(15));
    }

    /** @param hold how long acknowledgements are held */
    MemberWorld(long seed, Duration hold) {
        this.hold = hold;
        this.seed = seed;
        this.random = new Random(seed);
        for (int i = 0; i < NODES; i++) {
            start("n" + i, 1);
        }
    }

    // --- time

    long nanos() {
        return nanos;
    }

    void after(long delayNanos, Runnable task) {
        events.add(new Event(nanos + Math.max(0, delayNanos), order++, task));
    }

    /** A few milliseconds; sometimes a second or more. */
    long someTime() {
        return !isCalm && random.nextInt(40) == 0
                ? (long) (random.nextDouble() * 1_800 * MILLI)
                : (long) (random.nextDouble() * 15 * MILLI);
    }

    void runFor(long durationNanos) {
        long end = nanos + durationNanos;
        while (!events.isEmpty() && events.peek().atNanos() <= end) {
            Event event = events.remove();
            nanos = event.atNanos();
            event.task().run();
            if (violation != null) {
                throw new AssertionError("seed " + seed + " at " + (nanos / MILLI) + " ms: " + violation + "\n"
                        + happened + "\nview " + newest());
            }
        }
        nanos = end;
    }

    void count(String what) {
        happened.merge(what, 1, Integer::sum);
    }

    void violate(String what) {
        if (violation == null) {
            violation = what;
        }
    }

    // --- the store

    MembersView newest() {
        return log.get(log.size() - 1);
    }

    MembersView view(long revision) {
        return log.get((int) revision);
    }

    /** Needs two able nodes of the four: these have each agreed view, so at least one of three other nodes knows it. */
    boolean isReached(MemberNode by) {
        return hasMajority && !by.isCutFromStore() && able() >= 2;
    }

    private long able() {
        return nodes.values().stream()
                .filter(node -> node.isUp() && !node.isStanding() && !node.isCutFromStore())
                .count();
    }

    void setMajority(boolean now) {
        hasMajority = now;
    }

    ViewRecord.Reply replace(MembersView next, MemberNode by) {
        if (next.revision() != newest().revision() + 1) {
            return new ViewRecord.Reply(ViewRecord.Outcome.OTHER_REVISION, newest());
        }
        MembersView before = newest();
        log.add(next);
        committedNanos.add(nanos);
        for (AgreedMember member : before.members()) {
            if (next.find(member.life()) == null) {
                end(member.life());
                gone(member.life(), by);
            }
        }
        for (MemberNode node : nodes.values()) {
            after(someTime(), () -> {
                if (!node.isCutFromStore()) {
                    node.applyUpTo(next.revision());
                }
            });
        }
        return new ViewRecord.Reply(ViewRecord.Outcome.APPLIED, next);
    }

    /** Others may serve its clients from now on. */
    private void gone(NodeLife life, MemberNode by) {
        MemberNode node = alive(life);
        if (node == null || node == by) {
            return;
        }
        watch(node);
        if (!node.hasClients()) {
            return;
        }
        if (able() == NODES - 1) {
            violate(life + " is evicted and has clients");
            return;
        }
        long closed = node.closed();
        after(
                5 * SECOND,
                () -> { // another node in trouble may briefly claim to serve
                    if (node.hasClients() && node.closed() == closed) {
                        violate(life + " was evicted and has clients");
                    }
                });
    }

    /** What its clients had asked for must not be done any more, even if it stands still and goes on much later. */
    private void watch(MemberNode node) {
        BooleanSupplier stay = node.clientsStay();
        boolean isAtOnce = able() == NODES - 1;
        for (long later = isAtOnce ? 0 : 5 * SECOND; later <= 30 * SECOND; later += 100 * MILLI) {
            after(later, () -> {
                if (stay.getAsBoolean()) {
                    violate(node.life() + " is evicted, and routes are written for its clients of before");
                }
            });
        }
    }

    /** Promises of this incarnation no longer count. */
    void end(NodeLife life) {
        for (Filter filter : filters) {
            if (filter.of.equals(life) && filter.endedNanos < 0) {
                filter.endedNanos = nanos;
            }
        }
    }

    static RangeException timeout() {
        return new RangeException(Cause.TIMEOUT, "simulated");
    }

    // --- nodes

    MemberNode start(String id, long incarnation) {
        MemberNode node = new MemberNode(this, new NodeLife(id, incarnation));
        nodes.put(id, node);
        node.start();
        return node;
    }

    Iterable<MemberNode> nodes() {
        return nodes.values();
    }

    MemberNode node(int number) {
        return node("n" + number);
    }

    MemberNode node(String id) {
        MemberNode node = nodes.get(id);
        if (node == null) {
            throw new IllegalStateException("no node " + id);
        }
        return node;
    }

    /** The process of this incarnation; null when it is over. */
    @Nullable
    MemberNode alive(NodeLife life) {
        MemberNode node = nodes.get(life.nodeId());
        return node != null && node.isUp() && node.life().equals(life) ? node : null;
    }

    void forAll(Consumer<MemberNode> action) {
        List.copyOf(nodes.values()).forEach(action);
    }

    // --- what must hold

    void excluded(NodeLife life) {
        long revision = newest().revision();
        while (revision > 0 && view(revision).isCounted(life)) {
            revision--;
        }
        exclusions.add(new Excluded(life, revision, nanos));
        MemberNode node = alive(life);
        if (node != null && node.members().mayAcknowledge() && !hasServedSince(life, revision, nanos)) {
            violate(life + " is excluded and may acknowledge");
        }
    }

    private boolean hasServedSince(NodeLife life, long revision, long byNanos) {
        for (int i = (int) revision + 1; i < log.size(); i++) {
            if (log.get(i).is(life, MemberState.SERVING) && committedNanos.get(i) <= byNanos) {
                return true;
            }
        }
        return false;
    }

    /** @param matched result of the match for a publish that came at {@code receivedNanos} */
    void acknowledged(MemberNode by, long receivedNanos, java.util.Set<Integer> matched) {
        count("acknowledged");
        for (Excluded each : exclusions) {
            if (each.life().equals(by.life())
                    && receivedNanos > each.nanos()
                    && !hasServedSince(by.life(), each.lapseRevision(), receivedNanos)) {
                violate(by.life() + " acknowledges what came " + (receivedNanos - each.nanos()) / MILLI
                        + " ms after it was excluded");
            }
        }
        for (Filter filter : filters) {
            if (filter.isOwedAt(receivedNanos) && !matched.contains(filter.id)) {
                violate(by.life() + " acknowledges a publish that misses subscription " + filter.id + " of " + filter.of
                        + ", promised " + (receivedNanos - filter.promisedNanos) / MILLI + " ms before");
            }
        }
    }
}
