package io.godwit.dist.member;

import io.godwit.kv.client.Backoff;
import io.godwit.kv.client.Deadline;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a life comes to serve, the first time and after each lapse: it closes the clients that it has, since publishes
 * that it missed count as delivered; {@link #prepare} waits until its routes are up to date, since a copy of them may
 * take minutes and nobody shall wait for that; {@link #awaitLinks} waits until a node that is back is linked to those
 * that serve, for the same reason, but not for long; {@link #claim} commits that it joins, so that others
 * wait for it from then on; {@link #meet} waits until every life of that view has introduced itself, or is evicted;
 * {@link #catchUp} brings this node's routes up to that moment; {@link #serve} commits that it serves. Whatever fails,
 * or an exclusion meanwhile, begins it anew, after a pause that grows.
 *
 * <p>Lapsed lives are waited for too: until they hear of their lapse they have clients, to whom they have promised
 * things before.
 *
 * <p>Confined to the thread of the members.
 */
final class Joining {
    private static final Logger LOG = LoggerFactory.getLogger(Joining.class);
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** The membership takes some seconds to see a node that is back, and there are no links before. */
    static final long LINK_NANOS = TimeUnit.SECONDS.toNanos(6);

    private static final long CATCH_UP_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final String ROUTES_LACK = "its routes are not complete";

    private enum Phase {
        IDLE,
        CLOSING_CLIENTS,
        PREPARING,
        LINKING,
        CLAIMING,
        MEETING,
        CATCHING_UP,
        SERVING
    }

    /** Whom it tells. */
    interface Listener {
        void served(MembersView view);

        /** The clients that there were are closed. */
        void clientsClosed();
    }

    private final NodeLife self;
    private final ViewCommits commits;
    private final Exclusions exclusions;
    private final Lapses lapses;
    private final CurrentView current;
    private final ViewStore store;
    private final MemberThread thread;
    private final Introductions introductions;
    private final Listener listener;

    private Phase phase = Phase.IDLE;
    /** Of this attempt; what an earlier one hears is passed over. */
    private long turn;

    private final Backoff backoff;
    /** Attempts in a row. */
    private int failures;

    /** Whether it has served, and has not closed its clients since. */
    private boolean hasClients;

    private boolean hasServed;
    private long enteredNanos;
    /** How long the phases took since this node served last, or began. */
    private final Map<Phase, Long> spentNanos = new EnumMap<>(Phase.class);

    private final Map<NodeLife, CompletableFuture<Void>> awaited = new LinkedHashMap<>();

    /** In words, for operators; empty when it serves. Any thread reads it. */
    private volatile String lack = "has not begun to join";

    Joining(
            NodeLife self,
            ViewCommits commits,
            Exclusions exclusions,
            Lapses lapses,
            CurrentView current,
            ViewStore store,
            MemberThread thread,
            Introductions introductions,
            Listener listener) {
        this.self = self;
        this.commits = commits;
        this.exclusions = exclusions;
        this.lapses = lapses;
        this.current = current;
        this.store = store;
        this.thread = thread;
        this.introductions = introductions;
        this.listener = listener;
        this.backoff = new Backoff(FIRST_PAUSE_NANOS, MAX_PAUSE_NANOS, thread::random);
        this.enteredNanos = thread.nanoTime();
    }

    /** Any thread. */
    String lack() {
        return lack;
    }

    void begin() {
        long own = ++turn;
        if (phase == Phase.IDLE && failures == 0) { // it has served until now, or not begun
            enteredNanos = thread.nanoTime();
        }
        if (hasClients) {
            forgetAwaited();
            enter(Phase.CLOSING_CLIENTS, "the others have gone on without it, closes its clients");
            LOG.warn("the others have gone on without this node, its clients are closed self={}", self);
            introductions
                    .closeClients()
                    .whenComplete((done, failure) -> thread.execute(() -> {
                        listener.clientsClosed();
                        if (own == turn && failure == null) {
                            hasClients = false;
                            begin();
                        } else if (own == turn) {
                            again("clients not closed: " + failure);
                        }
                    }));
            return;
        }
        prepare(own);
    }

    /** Tells each of the others what this node knows of it. */
    void say(MembersView view) {
        for (Member member : view.members()) {
            if (!member.life().equals(self)) {
                introductions.say(member.life(), member.state() == MemberState.SERVING ? member.since() : 0);
            }
        }
    }

    /** The others may have evicted this life, and it cannot know. If they have not, it serves on, with new clients. */
    void closeClients() {
        introductions.closeClients().whenComplete((done, failure) -> {
            if (failure != null) {
                LOG.error("clients not closed self={}", self, failure);
            }
            thread.execute(listener::clientsClosed);
        });
    }

    void stop() {
        turn++;
        phase = Phase.IDLE;
        forgetAwaited();
    }

    private void enter(Phase next, String lacking) {
        long now = thread.nanoTime();
        spentNanos.merge(phase, now - enteredNanos, Long::sum);
        enteredNanos = now;
        phase = next;
        lack = lacking;
    }

    /** For who looks into why a node came back late. */
    private void tellTimes() {
        StringBuilder times = new StringBuilder();
        spentNanos.forEach((each, nanos) -> times.append(' ')
                .append(each.name().toLowerCase(Locale.ROOT))
                .append('=')
                .append(TimeUnit.NANOSECONDS.toMillis(nanos)));
        LOG.info("node has joined self={} attempts={} milliseconds:{}", self, failures + 1, times);
        spentNanos.clear();
    }

    private void again(String why) {
        LOG.info("node does not serve yet, joins again self={} phase={} why={}", self, phase, why);
        long own = ++turn;
        forgetAwaited();
        enter(Phase.IDLE, why);
        failures++;
        thread.later(backoff.pause(failures), () -> {
            if (own == turn) {
                begin();
            }
        });
    }

    // --- the steps

    /** A node whose replica is far behind would be excluded for that, and join again, over and over. */
    private void prepare(long own) {
        enter(Phase.PREPARING, ROUTES_LACK);
        untilCaughtUp(own, () -> {
            enter(Phase.LINKING, "it is not linked to others");
            awaitLinks(own, thread.nanoTime() + LINK_NANOS);
        });
    }

    /**
     * Subscribers of those that serve would wait for a member that they have no link to, and have it excluded. A node
     * that has not served yet does not wait: of a cluster that is started anew it finds the lives of before.
     */
    private void awaitLinks(long own, long endNanos) {
        boolean isLinked = current.get().serving().stream()
                .allMatch(life -> life.nodeId().equals(self.nodeId()) || introductions.isLinked(life));
        if (!hasServed || isLinked || thread.nanoTime() - endNanos >= 0) {
            claim(own);
            return;
        }
        thread.later(AGAIN_NANOS, () -> {
            if (own == turn) {
                awaitLinks(own, endNanos);
            }
        });
    }

    private void claim(long own) {
        enter(Phase.CLAIMING, "the view of members cannot be changed");
        long now = thread.nanoTime();
        lapses.look(current.get(), now);
        commits.commit(new MemberStep.Join(self, !hasClients, lapses.over(now))).whenComplete((view, failure) -> {
            if (own != turn) {
                return;
            }
            if (failure == null) {
                meet(own, view);
            } else if (failure instanceof ViewCommits.StepRefusedException) {
                refused(own, String.valueOf(failure.getMessage()));
            } else {
                again(String.valueOf(failure.getMessage()));
            }
        });
    }

    /** An earlier life of the node is in the way: it goes as any other that does not answer. */
    private void refused(long own, String why) {
        Member known = current.get().ofNode(self.nodeId());
        if (known == null || known.life().incarnation() >= self.incarnation()) {
            again(why);
            return;
        }
        enter(Phase.CLAIMING, "an earlier process of this node has to be over");
        CompletableFuture<Void> over = new CompletableFuture<>();
        exclusions.exclude(known.life(), Exclusions.Ground.LOST, "a newer process of the node joins", over);
        over.whenComplete((done, failure) -> {
            if (own == turn && failure == null) {
                claim(own);
            } else if (own == turn) {
                again(String.valueOf(failure.getMessage()));
            }
        });
    }

    private void meet(long own, MembersView view) {
        enter(Phase.MEETING, "");
        for (Member member : view.members()) {
            if (!member.life().equals(self)) {
                ask(own, member.life(), view.revision());
            }
        }
        tellWhomItAwaits(own);
        viewChanged(current.get());
    }

    private void ask(long own, NodeLife member, long revision) {
        CompletableFuture<Void> introduced = introductions.introduced(member, revision);
        awaited.put(member, introduced);
        introduced.whenComplete((done, failure) -> thread.execute(() -> {
            if (own != turn || !awaited.containsKey(member)) {
                return;
            }
            if (failure == null) {
                awaited.remove(member);
                viewChanged(current.get());
            } else { // it is over; until it is evicted it counts, since this node may be wrong
                CompletableFuture<Void> excluded = new CompletableFuture<>();
                exclusions.exclude(member, Exclusions.Ground.LOST, "its process is over", excluded);
                // excluded or not: it may come back as the same life, and then it has to be met
                excluded.whenComplete((none, refused) -> thread.later(ASK_NANOS, () -> {
                    if (own == turn && awaited.containsKey(member)) {
                        ask(own, member, revision);
                    }
                }));
            }
        }));
    }

    private void tellWhomItAwaits(long own) {
        thread.later(TELL_NANOS, () -> {
            if (own == turn && phase == Phase.MEETING) {
                LOG.warn("node joins, and waits for others self={} for={}", self, awaited.keySet());
                tellWhomItAwaits(own);
            }
        });
    }

    /** The newest view, whenever it is another. */
    void viewChanged(MembersView view) {
        if (phase != Phase.MEETING && phase != Phase.CATCHING_UP) {
            return;
        }
        if (!view.is(self, MemberState.JOINING)) {
            again("was excluded while it joined");
            return;
        }
        if (phase == Phase.MEETING) {
            awaited.entrySet().removeIf(each -> view.find(each.getKey()) == null);
            if (awaited.isEmpty()) {
                catchUp(turn);
            } else {
                lack = "waits for " + awaited.keySet();
            }
        }
    }

    private void catchUp(long own) {
        enter(Phase.CATCHING_UP, ROUTES_LACK);
        untilCaughtUp(own, () -> serve(own));
    }

    /** Tries until it succeeds; not longer than this attempt lasts. */
    private void untilCaughtUp(long own, Runnable then) {
        store.catchUp(new Deadline(thread.nanoTime() + CATCH_UP_NANOS))
                .whenComplete((done, failure) -> thread.execute(() -> {
                    if (own == turn && failure == null) {
                        then.run();
                    } else if (own == turn) {
                        lack = ROUTES_LACK + ": " + failure.getMessage();
                        thread.later(AGAIN_NANOS, () -> {
                            if (own == turn) {
                                untilCaughtUp(own, then);
                            }
                        });
                    }
                }));
    }

    private void serve(long own) {
        enter(Phase.SERVING, "the view of members cannot be changed");
        commits.commit(new MemberStep.Serve(self)).whenComplete((view, failure) -> {
            if (own != turn) {
                return;
            }
            if (failure != null) {
                again(String.valueOf(failure.getMessage()));
                return;
            }
            enter(Phase.IDLE, "");
            tellTimes();
            failures = 0;
            hasClients = true;
            hasServed = true;
            listener.served(view);
        });
    }

    private void forgetAwaited() {
        Map<NodeLife, CompletableFuture<Void>> forgotten = new LinkedHashMap<>(awaited);
        awaited.clear();
        forgotten.values().forEach(each -> each.cancel(false));
    }
}
