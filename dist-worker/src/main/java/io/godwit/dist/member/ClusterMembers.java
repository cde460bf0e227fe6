package io.godwit.dist.member;

import io.godwit.dist.member.view.AgreedMember;
import io.godwit.dist.member.view.CurrentView;
import io.godwit.dist.member.view.MemberState;
import io.godwit.dist.member.view.MemberStep;
import io.godwit.dist.member.view.MembersView;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.dist.member.view.ViewStore;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.Mirror;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.client.WaitReports;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.NodeWait;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agreed members of a cluster, from the point of view of this node. Every half second it asks its mirror of the
 * dist store to catch up. When that has succeeded and the view has this incarnation as serving, it may acknowledge for
 * a second and a half from the start of the question ({@link Freshness} explains why that is safe). {@link Joining}
 * brings it to serve; {@link Exclusions} excludes members.
 *
 * <p>All state is confined to one thread; {@link #mayAcknowledge} and {@link #others} read immutable values. Listeners
 * are called on that thread, and must only hand over. Futures complete on other threads.
 */
public final class ClusterMembers implements Members, AutoCloseable {
    /** Members report what they know twice a second. */
    private static final long HEARD_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    private static final Logger LOG = LoggerFactory.getLogger(ClusterMembers.class);
    static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int MAX_QUESTIONS = 4;
    /**
     * An incarnation that could not prove for this long that it serves, and for which the others do not vouch, closes
     * its clients; so does one without a proof whose {@link Heartbeats} nobody returns. The others may evict it
     * {@link Lapses#EVICT_NANOS} after the last read that succeeded here, and then let its clients connect elsewhere.
     * The difference covers ticks, closing, and clocks of different rates.
     */
    static final long UNPROVEN_NANOS = Heartbeats.UNRETURNED_NANOS;
    /**
     * A longer time between two ticks means that the process stood still for at least three seconds; its event loops
     * then pass nothing on before there is a new proof.
     */
    private static final long STOOD_NANOS = TimeUnit.MILLISECONDS.toNanos(3_600);

    private final NodeLife self;
    private final ViewStore store;
    private final CurrentView current;
    private final MemberThread thread;
    private final MemberCounters counters;
    private final MemberReports reports;
    private final WaitReports waits;
    private final Duration hold;
    private final Freshness freshness;
    private final Lapses lapses = new Lapses();
    private final Vouchers vouchers = new Vouchers();
    private final Heartbeats heartbeats;
    private final HeldAcknowledgements held;
    private final ViewCommits commits;
    private final Exclusions exclusions;

    // only for the thread

    private final List<Consumer<MembersView>> listeners = new ArrayList<>();
    private final CompletableFuture<Void> joined = new CompletableFuture<>();
    private long toldRevision;
    private int questions;
    private boolean isEvicting;
    private boolean isToldStale;
    /** Whether its clients are closed for lack of a proof. Written by the thread. */
    private volatile boolean isUnproven;

    private boolean isClosed;

    /** How often it has given up its clients. */
    private final AtomicInteger closings = new AtomicInteger();
    /** When the last tick began. Written by the thread. */
    private volatile Freshness.Mark ticked;
    /** Whether the process has stood still since the last proof. Written by the thread. */
    private volatile boolean hasStood;

    /** The revision at which this incarnation began to serve; 0 while it does not. Written by the thread. */
    private volatile long serves;

    /** See {@link #epoch}: unlike {@link #serves} it stays through a lapse. Written by the thread. */
    private volatile long epoch;
    /**
     * Lapses that this node has known long enough that nothing needs to wait for these members. Written by the thread.
     */
    private volatile Set<AgreedMember> over = Set.of();

    /** When each member last reported what it knows of this incarnation, by {@link MemberThread#nanoTime}. */
    private final Map<NodeLife, Long> heardNanos = new ConcurrentHashMap<>();

    private volatile Predicate<NodeLife> linked = member -> false;

    /** Set by join. Written by the thread. */
    private volatile @Nullable Joining joining;

    /**
     * @param current updated by the coprocessors of the dist store
     * @param ranges the client of the dist store
     * @param hold how long acknowledgements are held while this node cannot prove that it serves
     */
    public ClusterMembers(
            NodeLife self,
            Mirror mirror,
            RangeClient ranges,
            CurrentView current,
            Duration hold,
            EventListener events,
            MeterRegistry meters) {
        this(self, ViewStore.of(mirror, ranges), current, MemberThread.start(), hold, events, meters);
    }

    ClusterMembers(
            NodeLife self,
            ViewStore store,
            CurrentView current,
            MemberThread thread,
            Duration hold,
            EventListener events,
            MeterRegistry meters) {
        this.self = self;
        this.store = store;
        this.current = current;
        this.thread = thread;
        this.counters = new MemberCounters(meters);
        this.reports = new MemberReports(events, meters);
        this.waits = new WaitReports(events, meters, NodeWait.PROOF);
        this.hold = hold;
        this.freshness = new Freshness(thread);
        this.ticked = Freshness.Mark.now(thread, 0);
        this.heartbeats = new Heartbeats(self, thread);
        this.held = new HeldAcknowledgements(thread::tell, hold.toNanos());
        this.commits = new ViewCommits(store, current, thread);
        this.exclusions = new Exclusions(self, commits, current, lapses, freshness, thread, counters);
        reports.view(current.get(), self); // the initial view is no change
        heartbeats.look(current.get(), 0);
        current.onChange(() -> {
            MembersView view = current.get(); // by the time of the task there may be a newer one
            thread.execute(() -> {
                reports.view(view, self);
                heartbeats.look(view, freshness.ageNanos());
                look();
            });
        });
    }

    /**
     * Makes this incarnation serve, and again after each lapse. Call once. Completes when it serves and may acknowledge
     * for the first time: then listeners for clients may open. Fails with {@link RangeException} when this object is
     * closed before.
     */
    public CompletableFuture<Void> join(Introductions introductions) {
        thread.execute(() -> {
            if (joining == null && !isClosed) {
                Joining begun =
                        new Joining(self, commits, exclusions, lapses, store, thread, introductions, new Progress());
                joining = begun;
                linked = introductions::isLinked;
                exclusions.judgeBy(linked, this::answers);
                begun.begin();
                ticked = Freshness.Mark.now(thread, serves);
                tick();
            }
        });
        return joined;
    }

    /**
     * Leaves in good order, after its clients were closed and nothing is left to acknowledge: the others then need not
     * wait for this node. Fails with {@link RangeException} when that cannot be agreed on; the others then detect the
     * absence.
     */
    public CompletableFuture<Void> leave() {
        CompletableFuture<Void> left = new CompletableFuture<>();
        thread.execute(() -> {
            Joining begun = joining;
            if (begun != null) {
                begun.stop();
            }
            isClosed = true; // no new work from here on
            stopServing();
            held.refuseAll();
            commits.commit(new MemberStep.Leave(self)).whenComplete((view, failure) -> {
                if (failure == null) {
                    left.complete(null);
                } else {
                    left.completeExceptionally(failure);
                }
            });
        });
        return left;
    }

    /** This incarnation. */
    public NodeLife self() {
        return self;
    }

    /** The newest view that this node knows. Any thread. */
    public MembersView view() {
        return current.get();
    }

    /**
     * Calls {@code listener} with the present view and then with newer ones; views may be skipped. {@link #view} and
     * {@link #others} are at least as new.
     */
    public void onChange(Consumer<MembersView> listener) {
        thread.execute(() -> {
            listeners.add(listener);
            listener.accept(current.get());
        });
    }

    /** Why this node acknowledges nothing, as text; empty when it does. Any thread. */
    public String lack() {
        Joining begun = joining;
        if (begun == null) {
            return "has not begun to join";
        }
        return !begun.lack().isEmpty() || freshness.isFresh() ? begun.lack() : "cannot prove that it serves";
    }

    /**
     * Whether new clients may wait for service here. False while this node has lapsed, or after it has closed its
     * clients because it could not prove that it serves. Any thread.
     */
    public boolean takesClients() {
        return serves != 0 && !isUnproven;
    }

    // --- for promises to clients

    @Override
    public Set<NodeLife> others() {
        return current.get().othersThan(self, over);
    }

    @Override
    public Set<NodeLife> lapsed() {
        return current.get().lapsedExcept(self);
    }

    @Override
    public CompletableFuture<Void> exclude(NodeLife member, String why) {
        return exclude(member, Exclusions.Ground.CUT_OFF, why);
    }

    @Override
    public CompletableFuture<Void> excludeSilent(NodeLife member, String why) {
        return exclude(member, Exclusions.Ground.SILENT, why);
    }

    @Override
    public CompletableFuture<Void> excludeLost(NodeLife member, String why) {
        return exclude(member, Exclusions.Ground.LOST, why);
    }

    private CompletableFuture<Void> exclude(NodeLife member, Exclusions.Ground ground, String why) {
        CompletableFuture<Void> told = new CompletableFuture<>();
        thread.execute(() -> {
            CompletableFuture<Void> done = new CompletableFuture<>();
            done.whenComplete((none, failure) -> thread.tell(() -> complete(told, failure)));
            if (isClosed) {
                done.completeExceptionally(new RangeException(Cause.CLOSED, "the members are closed"));
            } else if (member.equals(self)) {
                done.completeExceptionally(new RangeException(Cause.TIMEOUT, "no member excludes itself"));
            } else {
                exclusions.exclude(member, ground, why, done);
            }
        });
        return told;
    }

    private static void complete(CompletableFuture<Void> told, @Nullable Throwable failure) {
        if (failure == null) {
            told.complete(null);
        } else {
            told.completeExceptionally(failure);
        }
    }

    @Override
    public boolean mayAcknowledge() {
        return freshness.isFresh();
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public boolean mayAcknowledge(long epoch) {
        return freshness.isFresh(epoch);
    }

    @Override
    public long revision() {
        return current.get().revision();
    }

    @Override
    public boolean isPast(NodeLife life, long since) {
        return current.get().isPast(life, since);
    }

    @Override
    public BooleanSupplier clientsStay() {
        int then = closings.get(); // first: a node that has given up its clients takes none
        return takesClients() ? () -> closings.get() == then && !mayHaveStood() : () -> false;
    }

    /** After a standstill the others may have served its clients, which it learns with the next proof or lapse. */
    private boolean mayHaveStood() {
        Freshness.Mark tick = ticked; // read before hasStood, which is written first
        boolean isStanding = thread.nanoTime() - tick.nanos() > STOOD_NANOS
                || thread.wallMillis() - tick.wallMillis() > TimeUnit.NANOSECONDS.toMillis(STOOD_NANOS);
        return !freshness.isFresh() && (isStanding || hasStood);
    }

    @Override
    public CompletableFuture<Boolean> untilMayAcknowledge() {
        return untilMayAcknowledge(epoch);
    }

    @Override
    public CompletableFuture<Boolean> untilMayAcknowledge(long epoch) {
        if (freshness.isFresh(epoch)) {
            return CompletableFuture.completedFuture(true);
        }
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        thread.execute(() -> {
            if (freshness.isFresh(epoch)) {
                thread.tell(() -> told.complete(true));
            } else if (isClosed || epoch != this.epoch) {
                thread.tell(() -> told.complete(false));
            } else {
                held.hold(thread.nanoTime()).thenAccept(told::complete);
                ask();
            }
        });
        return told;
    }

    /**
     * The process of that incarnation is over, and with it all state of its clients: once it has lapsed nothing needs
     * to wait for its last acknowledgements, nor for its return. Any thread.
     */
    public void ended(NodeLife life) {
        thread.execute(() -> {
            if (!isClosed && current.get().find(life) != null) {
                lapses.ended(life);
                exclusions.ended(life);
                lookAtLapses();
            }
        });
    }

    /**
     * Whether this node is linked to that incarnation and has heard from it in the last {@link #HEARD_NANOS}. The
     * membership may lose such a member, because a node that hears nobody reports all others as gone. Any thread.
     */
    public boolean hears(NodeLife life) {
        Long heard = heardNanos.get(life);
        return heard != null && thread.nanoTime() - heard < HEARD_NANOS && linked.test(life);
    }

    /** See {@link Heartbeats#isSilent}. Any thread. */
    public boolean isSilent(NodeLife life) {
        return heartbeats.isSilent(life);
    }

    private boolean answers(NodeLife life) {
        return heartbeats.answers(life) && linked.test(life);
    }

    @Override
    public void heard(NodeLife by, Heartbeat beat) {
        heardNanos.put(by, thread.nanoTime());
        thread.execute(() -> {
            vouchers.said(by, beat.since() != 0 && beat.since() == serves, thread.nanoTime());
            heartbeats.heard(by, beat);
            if (!beat.givenUp().isEmpty()) {
                evict();
            }
        });
    }

    // --- on the thread

    private void tick() {
        if (isClosed) {
            return;
        }
        thread.later(ASK_NANOS, this::tick); // first, so that a failing tick is not the last
        ask();
        for (int refused = held.refuse(thread.nanoTime()); refused > 0; refused--) {
            waits.ranOut(NodeWait.PROOF, hold, () -> self + " " + lack());
        }
        lookAtLapses();
        Joining begun = joining;
        if (begun != null) {
            begun.beat(current.get(), heartbeats);
            closeClientsWhenUnproven(begun);
        }
    }

    private void ask() {
        if (serves == 0 || questions >= MAX_QUESTIONS) {
            return;
        }
        questions++;
        Freshness.Mark start = Freshness.Mark.now(thread, serves);
        store.catchUp(new Deadline(start.nanos() + Freshness.FRESH_NANOS))
                .whenComplete((done, failure) -> thread.execute(() -> answered(start, failure)));
    }

    private void answered(Freshness.Mark start, @Nullable Throwable failure) {
        questions--;
        if (failure == null && serves == start.epoch() && doesServe()) {
            exclusions.proved(freshness.ageNanos());
            freshness.renew(start);
        }
        if (freshness.isFresh()) {
            hasStood = false;
            if (isToldStale) {
                isToldStale = false;
                reports.resumes();
            }
            isUnproven = false;
            held.release();
            joined.complete(null);
        } else if (serves != 0 && !isToldStale) {
            isToldStale = true;
            String cause = failure == null ? "the answer came late" : String.valueOf(failure.getMessage());
            reports.holds(cause);
            LOG.warn("node cannot prove that it serves, it acknowledges nothing self={} cause={}", self, cause);
        }
    }

    private void closeClientsWhenUnproven(Joining begun) {
        Freshness.Mark before = ticked;
        Freshness.Mark now = Freshness.Mark.now(thread, serves);
        boolean hasJustStood = now.nanos() - before.nanos() > STOOD_NANOS;
        // the monotonic clock may stop while the machine is suspended
        boolean wasSuspended = now.wallMillis() - before.wallMillis() > TimeUnit.NANOSECONDS.toMillis(STOOD_NANOS);
        hasStood |= hasJustStood || wasSuspended; // before the time of the tick
        ticked = now;
        if (!hasJustStood) {
            closeClientsIfUnproven(begun);
        }
    }

    private void closeClientsIfUnproven(Joining begun) {
        if (serves == 0 || isUnproven || isClosed) {
            return;
        }
        if (freshness.isFresh()) {
            if (!heartbeats.areReturned()) { // if this proof was the last, others soon serve its clients
                long left = Math.max(0, Freshness.FRESH_NANOS - freshness.ageNanos());
                thread.later(left, () -> closeClientsIfUnproven(begun));
            }
            return;
        }
        long now = thread.nanoTime();
        if (freshness.ageNanos() >= UNPROVEN_NANOS && !vouchers.suffice(current.get(), self, now)) {
            LOG.warn("node could not prove for too long that it serves, it closes its clients self={}", self);
        } else if (!heartbeats.areReturned()) {
            LOG.warn("node has no proof and no member returned a heartbeat, it closes its clients self={}", self);
        } else {
            return;
        }
        isUnproven = true;
        closings.incrementAndGet();
        counters.unproven.increment();
        begun.closeClients();
    }

    /** Whether the newest view has this incarnation as it last began to serve. */
    private boolean doesServe() {
        AgreedMember own = current.get().find(self);
        return !current.isOutdated() && own != null && own.state() == MemberState.SERVING && own.since() == serves;
    }

    private void look() {
        if (isClosed) {
            return;
        }
        MembersView view = current.get();
        heardNanos.keySet().removeIf(life -> view.find(life) == null);
        lapses.look(view, thread.nanoTime());
        lookAtLapses();
        Joining begun = joining;
        if (serves != 0 && !doesServe() && begun != null) {
            stopServing();
            reports.lapsed(self);
            LOG.warn("the others have excluded this node, it joins again self={} view={}", self, view);
            begun.begin();
        } else if (begun != null) {
            begun.viewChanged(view);
        }
        if (view.revision() > toldRevision) {
            toldRevision = view.revision();
            listeners.forEach(listener -> listener.accept(view));
        }
    }

    private void stopServing() {
        serves = 0; // before the count, see clientsStay
        closings.incrementAndGet();
        freshness.end();
    }

    private final class Progress implements Joining.Listener {
        @Override
        public void served(MembersView view) {
            ClusterMembers.this.served(view);
        }

        /**
         * Their publishes must not be acknowledged any more. A closed connection keeps its client id until all of them
         * are answered.
         */
        @Override
        public void clientsClosed() {
            held.refuseAll();
        }
    }

    private void served(MembersView view) {
        AgreedMember own = view.find(self);
        if (own == null) {
            throw new IllegalStateException(self + " serves and is not in " + view);
        }
        held.refuseAll(); // messages matched before must be matched again
        if (epoch != 0) {
            reports.servesAgain(self);
            exclusions.proved(Exclusions.DEAF_NANOS); // the others had a reason to exclude it
        }
        LOG.info("node serves self={} view={}", self, view);
        serves = own.since();
        epoch = own.since();
        ask();
        look();
    }

    private void lookAtLapses() {
        over = Set.copyOf(lapses.over(thread.nanoTime()));
        evict();
    }

    private void evict() {
        AgreedMember lapsed = lapses.toEvict(thread.nanoTime(), self, heartbeats::isGivenUpByAll)
                .orElse(null);
        if (lapsed == null || isEvicting || !current.get().isCounted(self)) {
            return;
        }
        isEvicting = true;
        commits.commit(new MemberStep.Evict(self, lapsed)).whenComplete((view, failure) -> {
            isEvicting = false;
            LOG.warn("lapsed member is {} member={}", failure == null ? "evicted" : "not evicted yet", lapsed.life());
        });
    }

    /** Refuses all that wait. Does not change the view: see {@link #leave}. */
    @Override
    public void close() {
        thread.execute(() -> {
            Joining begun = joining;
            if (begun != null) {
                begun.stop();
            }
            isClosed = true;
            stopServing();
            held.refuseAll();
            exclusions.close();
            joined.completeExceptionally(new RangeException(Cause.CLOSED, "the members are closed"));
            thread.close();
        });
    }
}
