package io.godwit.dist.member;

import io.godwit.dist.member.view.AgreedMember;
import io.godwit.dist.member.view.MemberState;
import io.godwit.dist.member.view.MemberStep;
import io.godwit.dist.member.view.MembersView;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.dist.member.view.ViewStore;
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
 * How an incarnation comes to serve, the first time and after each lapse:
 *
 * <p>It closes its clients, because publishes that it missed count as delivered. {@link #prepare} waits until its
 * routes are up to date: copying them may take minutes, and nobody should wait for that. {@link #awaitLinks} waits a
 * short time until a node that is back is linked to the serving nodes, for the same reason. {@link #claim} commits that
 * it joins, so that others wait for it from then on. {@link #meet} waits until every incarnation of that view has
 * introduced itself, or is evicted. {@link #catchUp} brings this node's routes up to that moment. {@link #serve}
 * commits that it serves. A failure or an exclusion starts all this again, after a growing pause.
 *
 * <p>It also waits for lapsed members: until they learn of their lapse they have clients with promises made before.
 *
 * <p>Confined to the thread of the members.
 */
final class Joining {
    private static final Logger LOG = LoggerFactory.getLogger(Joining.class);
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** The membership takes some seconds to see a node that is back; there are no links before that. */
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

    /** Receives the progress of joining. */
    interface Listener {
        void served(MembersView view);

        /** All clients of before are closed. */
        void clientsClosed();
    }

    private final NodeLife self;
    private final ViewCommits commits;
    private final Exclusions exclusions;
    private final Lapses lapses;
    private final ViewStore store;
    private final MemberThread thread;
    private final Introductions introductions;
    private final Listener listener;

    private Phase phase = Phase.IDLE;
    /** Number of this attempt; callbacks of earlier attempts are ignored. */
    private long turn;

    private final Backoff backoff;
    /** Failed attempts in a row. */
    private int failures;

    /** Whether it has served and has not closed its clients since. */
    private boolean hasClients;

    private boolean hasServed;
    private long enteredNanos;
    /** How long the phases took since this node last served, or began. */
    private final Map<Phase, Long> spentNanos = new EnumMap<>(Phase.class);

    private final Map<NodeLife, CompletableFuture<Void>> awaited = new LinkedHashMap<>();

    /** Why it does not serve, as text for operators; empty when it serves. Any thread reads it. */
    private volatile String lack = "has not begun to join";

    Joining(
            NodeLife self,
            ViewCommits commits,
            Exclusions exclusions,
            Lapses lapses,
            ViewStore store,
            MemberThread thread,
            Introductions introductions,
            Listener listener) {
        this.self = self;
        this.commits = commits;
        this.exclusions = exclusions;
        this.lapses = lapses;
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
        if (phase == Phase.IDLE && failures == 0) { // it has served until now, or has not begun
            enteredNanos = thread.nanoTime();
        }
        if (hasClients) {
            forgetAwaited();
            enter(Phase.CLOSING_CLIENTS, "the others have excluded it, closes its clients");
            LOG.warn("the others have excluded this node, it closes its clients self={}", self);
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

    /** Sends each of the others a heartbeat. */
    void beat(MembersView view, Heartbeats heartbeats) {
        for (AgreedMember member : view.members()) {
            if (!member.life().equals(self)) {
                long since = member.state() == MemberState.SERVING ? member.since() : 0;
                introductions.beat(member.life(), heartbeats.next(member.life(), since));
            }
        }
    }

    /**
     * The others may have evicted this incarnation without its knowledge. If they have not, it continues to serve, with
     * new clients.
     */
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

    /** For investigations of late returns. */
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

    /** Without this wait a node whose replica is far behind would be excluded and join again, over and over. */
    private void prepare(long own) {
        enter(Phase.PREPARING, ROUTES_LACK);
        untilCaughtUp(own, () -> {
            enter(Phase.LINKING, "it is not linked to others");
            awaitLinks(own, thread.nanoTime() + LINK_NANOS);
        });
    }

    /**
     * Without a link, subscribers of serving nodes would wait for this member and then exclude it. A node that has not
     * served yet does not wait: in a restarted cluster the view still has earlier incarnations.
     */
    private void awaitLinks(long own, long endNanos) {
        boolean isLinked = commits.newestView().serving().stream()
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
        lapses.look(commits.newestView(), now);
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

    /** An earlier incarnation of the node blocks the join: it is excluded like any member that does not answer. */
    private void refused(long own, String why) {
        AgreedMember known = commits.newestView().ofNode(self.nodeId());
        if (known == null || known.life().incarnation() >= self.incarnation()) {
            again(why);
            return;
        }
        enter(Phase.CLAIMING, "waits for the end of an earlier process of this node");
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
        for (AgreedMember member : view.members()) {
            if (!member.life().equals(self)) {
                ask(own, member.life(), view.revision());
            }
        }
        tellWhomItAwaits(own);
        viewChanged(commits.newestView());
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
                viewChanged(commits.newestView());
            } else { // it is over, but counts until it is evicted, because this node may be wrong
                CompletableFuture<Void> excluded = new CompletableFuture<>();
                exclusions.exclude(member, Exclusions.Ground.LOST, "its process is over", excluded);
                // excluded or not: the same incarnation may come back, and must be met then
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

    /** Called with each newer view. */
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

    /** Retries until it succeeds, or this attempt ends. */
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
