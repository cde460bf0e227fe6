package io.godwit.dist.member;

import static io.godwit.dist.member.MemberWorld.MILLI;
import static io.godwit.dist.member.MemberWorld.SECOND;

import io.godwit.dist.member.view.CurrentView;
import io.godwit.dist.member.view.MembersView;
import io.godwit.dist.member.view.MembersViewCodec;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.dist.member.view.ViewRecord;
import io.godwit.dist.member.view.ViewStore;
import io.godwit.kv.client.Deadline;
import io.godwit.plugin.event.BrokerEvent;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** An incarnation of a node of a {@link MemberWorld}: the real {@link ClusterMembers}, with its users and its links. */
final class MemberNode implements MemberThread, ViewStore, Introductions {
    private static final long CONFIRM_NANOS = 2 * SECOND;

    private final MemberWorld world;
    private final NodeLife life;
    private final double rate;
    private final long offset;
    private final CurrentView current = new CurrentView();
    private final List<BrokerEvent> events = new ArrayList<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ClusterMembers members;
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final List<Runnable> standing = new ArrayList<>();
    /** Filters of its own clients. */
    private final Set<Integer> own = new HashSet<>();
    /** Filters that others have reported. */
    private final Set<Integer> heard = new HashSet<>();
    /** By receiver: messages on their way, in order. */
    private final Map<NodeLife, Deque<Runnable>> links = new HashMap<>();

    private long applied;
    private boolean isUp = true;
    private boolean isStanding;
    private boolean isCutFromStore;
    /** Its replica is being copied. */
    private boolean isBehind;

    private boolean areLinksCut;
    private boolean isOpen;
    private boolean isOnMembersThread;
    private long stoodUntilNanos;
    private long closed;
    /** Taken by its last user, which may be one whose connection is just being closed. */
    private BooleanSupplier clientsStay = () -> false;

    MemberNode(MemberWorld world, NodeLife life) {
        this.world = world;
        this.life = life;
        this.rate = 0.93 + world.random.nextDouble() * 0.14;
        this.offset = world.random.nextInt(1_000_000) * SECOND;
        this.members = new ClusterMembers(life, this, current, this, world.hold, events::add, meters);
    }

    @Override
    public double random() {
        return world.random.nextDouble();
    }

    void start() {
        members.join(this).thenRun(() -> isOpen = true);
        act();
    }

    NodeLife life() {
        return life;
    }

    ClusterMembers members() {
        return members;
    }

    List<BrokerEvent> events() {
        return events;
    }

    /** How many waits for its proof it has refused; publishes that share a wait count once. */
    double refused() {
        return meters.get("godwit.waits.over").tag("wait", "proof").counter().count();
    }

    boolean isUp() {
        return isUp;
    }

    boolean isOpen() {
        return isOpen;
    }

    /** How often it has closed its clients. */
    long closed() {
        return closed;
    }

    /** Whether its event loops may handle something; after a standstill they first wait for a proof. */
    boolean hasClients() {
        return isOpen && !isStanding && world.nanos() - stoodUntilNanos > SECOND;
    }

    /** The check of {@link Members#clientsStay} of its last user. */
    BooleanSupplier clientsStay() {
        return clientsStay;
    }

    boolean isStanding() {
        return isStanding;
    }

    boolean isCutFromStore() {
        return isCutFromStore;
    }

    void cutFromStore(boolean cut) {
        isCutFromStore = cut;
    }

    void fallBehind(boolean behind) {
        isBehind = behind;
    }

    void cutLinks(boolean cut) {
        areLinksCut = cut;
    }

    void kill() {
        isUp = false;
        world.end(life);
    }

    /** Like SIGSTOP and SIGCONT. */
    void stand(boolean still) {
        if (isStanding && !still) {
            stoodUntilNanos = world.nanos();
        }
        isStanding = still;
        if (!still) {
            List<Runnable> going = List.copyOf(standing);
            standing.clear();
            going.forEach(Runnable::run);
        }
    }

    /** Runs in this process: not while it stands still, and never once it is over. */
    private void here(Runnable task) {
        if (isUp && isStanding) {
            standing.add(() -> here(task));
        } else if (isUp) {
            task.run();
        }
    }

    // --- its thread

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        world.after((long) (world.random.nextDouble() * MILLI), () -> here(this::runNext));
    }

    private void runNext() {
        Runnable task = tasks.poll();
        if (task != null) {
            isOnMembersThread = true;
            try {
                task.run();
            } finally {
                isOnMembersThread = false;
            }
        }
    }

    /** Whether what runs now is a task of the thread of the members. */
    boolean isOnMembersThread() {
        return isOnMembersThread;
    }

    @Override
    public void later(long nanos, Runnable task) {
        world.after((long) (nanos / rate), () -> execute(task));
    }

    @Override
    public void tell(Runnable task) {
        world.after((long) (world.random.nextDouble() * MILLI), () -> here(task));
    }

    @Override
    public long nanoTime() {
        return offset + (long) (world.nanos() * rate);
    }

    @Override
    public long wallMillis() {
        return world.nanos() / MILLI;
    }

    @Override
    public void close() {
        isUp = false;
    }

    // --- its replica

    void applyUpTo(long revision) {
        if (isUp && isStanding) { // this includes replicas in this process
            standing.add(() -> applyUpTo(revision));
            return;
        }
        while (isUp && applied < revision) {
            applied++;
            current.stored(MembersViewCodec.encode(world.view(applied)));
        }
    }

    @Override
    public CompletableFuture<Void> catchUp(Deadline deadline) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        world.after(world.someTime(), () -> here(() -> read(deadline, done)));
        return done;
    }

    private void read(Deadline deadline, CompletableFuture<Void> done) {
        if (world.isReached(this) && !isBehind) {
            long index = world.newest().revision();
            world.after(
                    world.someTime(),
                    () -> here(() -> {
                        applyUpTo(index);
                        done.complete(null);
                    }));
        } else if (deadline.hasPassed(nanoTime())) {
            done.completeExceptionally(MemberWorld.timeout());
        } else {
            world.after(50 * MILLI, () -> here(() -> read(deadline, done)));
        }
    }

    @Override
    public CompletableFuture<ViewRecord.Reply> replace(MembersView next, Deadline deadline) {
        CompletableFuture<ViewRecord.Reply> done = new CompletableFuture<>();
        world.after(world.someTime(), () -> here(() -> write(next, deadline, done)));
        return done;
    }

    /** A write that was given up may succeed much later, and an answer may be lost. */
    private void write(MembersView next, Deadline deadline, CompletableFuture<ViewRecord.Reply> done) {
        if (world.isReached(this)) {
            ViewRecord.Reply reply = world.replace(next, this);
            boolean isLost = !world.isCalm && world.random.nextInt(12) == 0;
            world.after(
                    world.someTime(),
                    () -> here(() -> {
                        if (isLost) {
                            done.completeExceptionally(MemberWorld.timeout());
                        } else {
                            done.complete(reply);
                        }
                    }));
            return;
        }
        if (deadline.hasPassed(nanoTime())) {
            done.completeExceptionally(MemberWorld.timeout());
            if (world.random.nextBoolean()) {
                return;
            }
        }
        world.after(50 * MILLI, () -> write(next, deadline, done));
    }

    // --- its links

    /** Delivers to {@code to}, in order, however long the link is cut; not when either incarnation is over by then. */
    private void send(NodeLife to, Runnable receipt) {
        links.computeIfAbsent(to, fresh -> new ArrayDeque<>()).add(receipt);
        world.after(world.someTime(), () -> arrive(to));
    }

    /** Delivers the oldest message on its way. */
    private void arrive(NodeLife to) {
        MemberNode peer = world.alive(to);
        if (!isUp || peer == null) {
            return;
        }
        if (areLinksCut || peer.areLinksCut) {
            world.after(20 * MILLI, () -> arrive(to));
            return;
        }
        peer.here(links.getOrDefault(to, new ArrayDeque<>()).remove());
    }

    @Override
    public CompletableFuture<Void> introduced(NodeLife member, long revision) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        send(member, () -> {
            MemberNode peer = world.alive(member);
            if (peer != null) {
                peer.introduce(this, revision, done);
            }
        });
        failWhenOver(member, done);
        return done;
    }

    private void failWhenOver(NodeLife member, CompletableFuture<Void> done) {
        world.after(
                SECOND,
                () -> here(() -> {
                    if (world.alive(member) == null) {
                        done.completeExceptionally(MemberWorld.timeout());
                    } else if (!done.isDone()) {
                        failWhenOver(member, done);
                    }
                }));
    }

    private void introduce(MemberNode to, long revision, CompletableFuture<Void> done) {
        if (current.get().revision() < revision) {
            world.after(10 * MILLI, () -> here(() -> introduce(to, revision, done)));
            return;
        }
        Set<Integer> all = Set.copyOf(own);
        send(to.life, () -> {
            to.heard.addAll(all);
            done.complete(null);
        });
    }

    @Override
    public boolean isLinked(NodeLife member) {
        MemberNode peer = world.alive(member);
        return peer != null && !areLinksCut && !peer.areLinksCut;
    }

    @Override
    public void beat(NodeLife member, Heartbeat beat) {
        MemberNode to = world.alive(member);
        if (to != null && !areLinksCut && !to.areLinksCut) {
            send(member, () -> to.members.heard(life, beat));
        }
    }

    @Override
    public CompletableFuture<Void> closeClients() {
        world.count("clients closed");
        closed++;
        isOpen = false;
        own.clear();
        world.end(life);
        return CompletableFuture.completedFuture(null);
    }

    // --- its users

    private void act() {
        world.after(
                (long) (world.random.nextDouble() * 60 * MILLI),
                () -> here(() -> {
                    isOpen |= members.mayAcknowledge();
                    clientsStay = members.clientsStay();
                    if (isOpen && world.random.nextInt(8) == 0) {
                        subscribe();
                    } else if (isOpen) {
                        publish();
                    }
                    act();
                }));
    }

    private void publish() {
        long received = world.nanos();
        long epoch = members.epoch();
        Set<Integer> matched = new HashSet<>(own);
        matched.addAll(heard);
        long busy = world.random.nextInt(60) == 0 ? 4 * SECOND : 5 * MILLI;
        world.after(
                (long) (world.random.nextDouble() * busy),
                () -> here(() -> {
                    if (members.mayAcknowledge(epoch)) {
                        world.acknowledged(this, received, matched);
                    } else {
                        members.untilMayAcknowledge(epoch).thenAccept(may -> {
                            world.count(may ? "held and acknowledged" : "refused");
                            if (may) {
                                world.acknowledged(this, received, matched);
                            }
                        });
                    }
                }));
    }

    private void subscribe() {
        MemberWorld.Filter filter = new MemberWorld.Filter(world.filters.size(), life);
        world.filters.add(filter);
        own.add(filter.id);
        Set<NodeLife> unconfirmed = new LinkedHashSet<>(members.others());
        world.forAll(peer -> {
            if (peer != this && peer.isUp()) {
                send(peer.life, () -> {
                    peer.heard.add(filter.id);
                    peer.send(life, () -> confirmed(filter, unconfirmed, peer.life));
                });
            }
        });
        promiseIfConfirmed(filter, unconfirmed);
        world.after(
                (long) (CONFIRM_NANOS / rate),
                () -> here(() -> {
                    for (NodeLife silent : List.copyOf(unconfirmed)) {
                        members.exclude(silent, "has not confirmed").whenComplete((done, failure) -> {
                            world.count(failure == null ? "excluded" : "not excluded");
                            if (failure == null) {
                                world.excluded(silent);
                                confirmed(filter, unconfirmed, silent);
                            }
                        });
                    }
                }));
    }

    private void confirmed(MemberWorld.Filter filter, Set<NodeLife> unconfirmed, NodeLife by) {
        if (unconfirmed.remove(by)) {
            promiseIfConfirmed(filter, unconfirmed);
        }
    }

    private void promiseIfConfirmed(MemberWorld.Filter filter, Set<NodeLife> unconfirmed) {
        if (unconfirmed.isEmpty() && own.contains(filter.id) && members.mayAcknowledge()) {
            world.count("promised");
            filter.promisedNanos = world.nanos();
        }
    }
}
