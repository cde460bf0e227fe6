package io.godwit.dist.peer.filter;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.peer.link.ControlFrames;
import io.godwit.dist.peer.link.PeerTimers;
import io.godwit.dist.wire.Barrier;
import io.godwit.dist.wire.BarrierDone;
import io.godwit.dist.wire.PeerFrame;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.Mirror;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Asks peers whether they have applied what was committed to the dist store, and answers such questions.
 *
 * <p>One question of each kind is under way to a peer; later callers share the next question, because the peer may have
 * answered the present one before their commit. The answer follows {@link Mirror#catchUp}, which is retried until it
 * succeeds: the asking node has a time-out. SUBSCRIBEs of all threads and the links contend for the lock.
 */
public final class PeerBarriers {
    /** A correct peer has one question of each kind under way. */
    static final int MAX_ASKED = 16;

    public static final Duration RETRY = Duration.ofMillis(100);
    private static final long CATCH_UP_MILLIS = 2_000;

    /** One kind of question to one peer. */
    private static final class Rounds {
        private final boolean withFilters;
        private long underWay = -1;
        private List<Runnable> asking = new ArrayList<>();
        private List<Runnable> next = new ArrayList<>();

        Rounds(boolean withFilters) {
            this.withFilters = withFilters;
        }
    }

    private static final class State {
        private final Rounds plain = new Rounds(false);
        private final Rounds withFilters = new Rounds(true);
        private long nextNumber;
        /** Unanswered questions of the peer. */
        private int asked;
    }

    private final Mirror mirror;
    private final LiveFilters filters;
    private final PeerTimers timers;
    private final LongSupplier nanoTime;
    /** Guarded by this, with its contents. */
    private final Map<Peer, State> peers = new HashMap<>();

    public PeerBarriers(Mirror mirror, LiveFilters filters, PeerTimers timers, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.mirror = mirror;
        this.filters = filters;
        this.timers = timers;
    }

    public synchronized void joined(Peer peer) {
        peers.put(peer, new State());
    }

    public synchronized void over(Peer peer) {
        peers.remove(peer);
    }

    /**
     * Runs {@code confirmed} once the peer has applied what is committed now. Returns false when the peer has not
     * joined.
     */
    public synchronized boolean ask(Peer peer, Runnable confirmed) {
        State state = peers.get(peer);
        if (state != null) {
            ask(peer, state, state.plain, confirmed);
        }
        return state != null;
    }

    /** Asks each of the peers now. */
    public Asked askAll(Collection<Peer> asked) {
        Asked answers = new Asked();
        asked.forEach(answers::ask);
        return answers;
    }

    /** Questions to peers that were asked before anybody waits for the answers. Thread-safe. */
    public final class Asked {
        private final Map<Peer, CompletableFuture<Void>> answers = new ConcurrentHashMap<>(4);

        private Asked() {}

        private void ask(Peer peer) {
            CompletableFuture<Void> answer = new CompletableFuture<>();
            answers.put(peer, answer);
            if (!PeerBarriers.this.ask(peer, () -> answer.complete(null))) {
                answers.remove(peer);
            }
        }

        /** As {@link PeerBarriers#ask}, but a peer that was asked is not asked again. */
        public boolean ask(Peer peer, Runnable confirmed) {
            CompletableFuture<Void> answer = answers.get(peer);
            if (answer == null) {
                return PeerBarriers.this.ask(peer, confirmed);
            }
            answer.thenRun(confirmed);
            return true;
        }
    }

    /**
     * As {@link #ask}; when confirmed, this node also has every filter that the peer had reported by then, or was about
     * to.
     */
    synchronized void askWithFilters(Peer peer, Runnable confirmed) {
        State state = peers.get(peer);
        if (state != null) {
            ask(peer, state, state.withFilters, confirmed);
        }
    }

    private static void ask(Peer peer, State state, Rounds rounds, Runnable confirmed) {
        rounds.next.add(confirmed);
        if (rounds.underWay < 0) {
            begin(peer, state, rounds);
        }
    }

    private static void begin(Peer peer, State state, Rounds rounds) {
        rounds.asking = rounds.next;
        rounds.next = new ArrayList<>();
        rounds.underWay = state.nextNumber++;
        Barrier barrier = Barrier.newBuilder()
                .setNumber(rounds.underWay)
                .setWithFilters(rounds.withFilters)
                .build();
        peer.send(
                Lane.CONTROL,
                ControlFrames.encode(PeerFrame.newBuilder().setBarrier(barrier).build()));
    }

    /** Fails with {@link IllegalArgumentException} when no question of that number was asked. */
    public void answered(Peer peer, BarrierDone done) {
        List<Runnable> confirmed;
        synchronized (this) {
            State state = peers.get(peer);
            if (state == null) {
                return;
            }
            Rounds rounds = state.plain.underWay == done.getNumber() ? state.plain : state.withFilters;
            if (rounds.underWay < 0 || rounds.underWay != done.getNumber()) {
                throw new IllegalArgumentException("no barrier " + done.getNumber() + " is under way");
            }
            confirmed = rounds.asking;
            rounds.asking = new ArrayList<>();
            rounds.underWay = -1;
            if (!rounds.next.isEmpty()) {
                begin(peer, state, rounds);
            }
        }
        confirmed.forEach(Runnable::run);
    }

    /** Fails with {@link IllegalArgumentException} when the peer asks too much without waiting for answers. */
    public void asked(Peer peer, Barrier barrier) {
        synchronized (this) {
            State state = peers.get(peer);
            if (state == null) {
                return;
            }
            if (++state.asked > MAX_ASKED) {
                throw new IllegalArgumentException("more than " + MAX_ASKED + " barriers are under way");
            }
        }
        catchUp(peer, barrier);
    }

    private void catchUp(Peer peer, Barrier barrier) {
        mirror.catchUp(Deadline.afterMillis(CATCH_UP_MILLIS)).whenComplete((done, failure) -> {
            if (failure == null) {
                answer(peer, barrier);
            } else if (isLinked(peer)) {
                timers.after(RETRY, () -> catchUp(peer, barrier));
            }
        });
    }

    /** As {@link Mirror#catchUp}, retried until it succeeds or the deadline has passed. */
    public CompletableFuture<Void> catchUpHere(Deadline deadline) {
        CompletableFuture<Void> caughtUp = new CompletableFuture<>();
        catchUpHere(deadline, caughtUp);
        return caughtUp;
    }

    private void catchUpHere(Deadline deadline, CompletableFuture<Void> caughtUp) {
        mirror.catchUp(deadline).whenComplete((done, failure) -> {
            if (failure == null) {
                caughtUp.complete(null);
            } else if (deadline.hasPassed(nanoTime.getAsLong())) {
                caughtUp.completeExceptionally(failure);
            } else {
                timers.after(RETRY, () -> catchUpHere(deadline, caughtUp));
            }
        });
    }

    private synchronized boolean isLinked(Peer peer) {
        return peers.containsKey(peer);
    }

    private void answer(Peer peer, Barrier barrier) {
        synchronized (this) {
            State state = peers.get(peer);
            if (state == null) {
                return;
            }
            state.asked--;
        }
        byte[] frame = ControlFrames.encode(PeerFrame.newBuilder()
                .setBarrierDone(BarrierDone.newBuilder().setNumber(barrier.getNumber()))
                .build());
        if (barrier.getWithFilters()) {
            filters.answerBehindAll(peer, frame);
        } else {
            peer.send(Lane.CONTROL, frame);
        }
    }
}
