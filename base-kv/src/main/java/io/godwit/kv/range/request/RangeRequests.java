package io.godwit.kv.range.request;

import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.Proposal;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.leader.KnownLeadership;
import io.godwit.kv.range.leader.LeaderLoad;
import io.godwit.kv.range.leader.LeaderRole;
import io.godwit.kv.range.leader.Leadership;
import io.godwit.kv.range.leader.ReadIndex;
import io.godwit.kv.range.leader.RouteToken;
import io.godwit.kv.range.replica.RangeEnvironment;
import io.godwit.kv.range.replica.Replica;
import io.godwit.plugin.balance.AccessKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The requests that are at a range: those that wait for a leader, in order; those that wait for others that are still
 * being forwarded here; and reads. The one owner of these queues. Confined to the range executor, but for the methods
 * that say otherwise, which only queue.
 *
 * <p>Forwarding, when keys pass to another range: what waits at the old one, and what still comes to it, is handed on
 * in order ({@link #takeForwarded}), while what comes to the new one by itself is held ({@link #hold}) until the old
 * one says, behind all that, that there is no more ({@link #release}). So no mutation overtakes an earlier one of its
 * key.
 */
public final class RangeRequests implements ReadIndex, ReadGate.Listener {
    private final Replica replica;
    private final Forwarding routes;
    private final RangeDb db;
    private final RangeEnvironment environment;
    private final LeaderLoad load;
    private final LeaderRole role;
    private final ReadGate reads;
    private final DeadlineSweep sweep;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    /** Came while the range is being merged into another. */
    private final List<ReadGate.Query> waitingQueries = new ArrayList<>();
    /** What came by itself to a range that is still being forwarded what came earlier; null once that has ended. */
    private @Nullable List<Waiting> held;
    /** Of how many other ranges. */
    private int holds;
    /** Its keys are another range's: what comes is forwarded, whatever the bounds say. */
    private boolean isCeded;

    public RangeRequests(
            Replica replica,
            Forwarding routes,
            RangeDb db,
            RangeCoprocessor coprocessor,
            RangeEnvironment environment,
            LeaderLoad load,
            LeaderRole role) {
        this.replica = replica;
        this.routes = routes;
        this.db = db;
        this.environment = environment;
        this.load = load;
        this.role = role;
        this.reads = new ReadGate(this, db, coprocessor, replica, environment.io(), replica::fault, this);
        this.sweep = new DeadlineSweep(this::later, environment.nanoClock());
    }

    // --- what comes

    /** Any thread. */
    public CompletableFuture<byte[]> mutate(ClientMutation request) {
        replica.execute(() -> come(request));
        return request.answer();
    }

    /** Any thread. */
    public void submit(byte[] key, LeaderRequest request) {
        replica.execute(() -> {
            Leadership current = role.serving();
            if (current != null
                    && held == null
                    && replica.routed().bounds().contains(key)) {
                current.handle(request); // nearly always
            } else if (!request.waitsForLeader()) {
                request.fail(Waiting.notLed());
            } else {
                come(new WaitingSubmission(key, request, environment.leaderDeadlineNanos()));
            }
        });
    }

    /** Any thread. */
    public CompletableFuture<byte[]> query(ReadGate.Query request) {
        replica.execute(() -> ask(request));
        return request.answer();
    }

    private void ask(ReadGate.Query request) {
        if (isCeded) {
            routes.ask(request);
        } else {
            sweep.add(request);
            if (replica.routed().isLeaving()) {
                waitingQueries.add(request);
            } else {
                reads.add(request);
            }
        }
    }

    /** A request that came by itself. */
    private void come(Waiting request) {
        if (held == null) {
            take(request);
        } else {
            held.add(request);
            sweep.add(request);
        }
    }

    /** A request that came to another range, before this one had its key. Any thread; ahead of what is held. */
    void takeForwarded(Waiting request) {
        Waiting own = request.moved();
        replica.execute(() -> take(own));
    }

    private void take(Waiting request) {
        Leadership current = role.serving();
        RangeException ended = replica.ended();
        if (request.token() != null) {
            takeRouted(request, request.token());
        } else if (ended != null) {
            request.refuse(ended);
        } else if (isCeded || !isFor(request)) {
            routes.forward(request);
        } else if (current != null) {
            sweep.add(request);
            request.deliver(current);
        } else {
            await(request);
        }
    }

    private boolean isFor(Waiting request) {
        RangeBounds bounds = replica.routed().bounds();
        return bounds.contains(request.key()) || request.concerns(bounds::contains);
    }

    private void takeRouted(Waiting request, RouteToken token) {
        Leadership current = role.serving();
        KnownLeadership now = role.leading();
        RangeException cause = replica.ended();
        if (cause != null) {
            // somebody else may lead; nobody can when this is the only voter
            boolean isLost = cause.reason() == Cause.STORE_FAILED && !db.state().hasOtherVoters();
            request.refuse(isLost ? cause : Waiting.notLed());
        } else if (current == null || now == null || !now.token().equals(token)) {
            request.refuse(Waiting.notLed());
        } else {
            sweep.add(request);
            request.deliver(current);
        }
    }

    private void await(Waiting request) {
        waiting.add(request);
        sweep.add(request);
    }

    // --- what waits

    /**
     * There is a leadership, or another range has the keys, or some of them: what waits is taken again, or goes on
     * waiting.
     */
    public void goOn() {
        List<Waiting> requests = new ArrayList<>(waiting);
        waiting.clear();
        requests.forEach(this::take);
        List<ReadGate.Query> queries = List.copyOf(waitingQueries);
        waitingQueries.clear();
        queries.forEach(this::ask);
    }

    /**
     * Ends a leadership. What it had accepted and not sealed waits again, before what came later and waits already: the
     * leadership may have been frozen.
     */
    public void outlive(Leadership ending, RangeException sealedCause, RangeException cause) {
        List<Waiting> later = List.copyOf(waiting);
        waiting.clear();
        ending.end(sealedCause, cause, this::unsealed);
        waiting.addAll(later);
    }

    private void unsealed(Proposal proposal, RangeException cause) {
        if (proposal instanceof ClientMutation mutation && mutation.token() != null) {
            mutation.refuse(Waiting.notLed());
        } else if (!replica.hasEnded() && proposal instanceof ClientMutation mutation) {
            await(mutation.again());
        } else {
            proposal.failed(cause);
        }
    }

    /** The range has ended: refuses all there is, and reads to come. */
    public void refuseAll(RangeException cause) {
        List<Waiting> requests = new ArrayList<>(waiting);
        waiting.clear();
        if (held != null) {
            requests.addAll(held);
            held = null;
        }
        requests.forEach(request -> request.refuse(cause));
        // a query may be asked again of whoever leads next; nobody does when this is the only voter
        boolean mayAskOthers =
                cause.reason() == Cause.STORE_FAILED && db.state().hasOtherVoters();
        RangeException ofQueries = mayAskOthers ? Waiting.notLed() : cause;
        waitingQueries.forEach(query -> query.answer().completeExceptionally(ofQueries));
        waitingQueries.clear();
        reads.close(ofQueries);
    }

    // --- forwarding

    /** Has what comes by itself wait for what is forwarded. Before anybody can reach it. */
    public void hold() {
        holds++;
        if (held == null) {
            held = new ArrayList<>();
        }
    }

    /** All of one other range has been forwarded. Any thread. */
    public void release() {
        replica.execute(() -> {
            List<Waiting> requests = held;
            if (--holds == 0 && requests != null) {
                held = null;
                requests.forEach(this::take);
            }
        });
    }

    /**
     * The other range has some of this one's keys now, and is routed to: what has come here of them goes there, ahead
     * of what comes there by itself; also what is still being forwarded here, as when a range is cut as soon as it has
     * joined another. Any thread.
     */
    public void cedePart(RangeRequests to) {
        replica.execute(() -> {
            if (held != null) {
                cedePart(to);
            } else {
                to.release();
            }
        });
    }

    /**
     * The other range has this one's keys now, and is routed to: what is here goes there, ahead of what comes there by
     * itself. Any thread.
     */
    public void cede(RangeRequests to) {
        replica.execute(() -> {
            if (held != null) {
                cede(to); // first what is still being forwarded here
                return;
            }
            isCeded = true;
            goOn();
            to.release();
        });
    }

    // --- reads

    /** Sends what has gathered; when the executor has drained a batch of tasks. */
    public void flushReads() {
        reads.flush();
    }

    @Override
    public void request(ReadIndex.Done then) {
        RaftGroup started = replica.group();
        if (started == null) {
            then.done(false);
            return;
        }
        started.readIndex(status -> {
            then.done(status.isOk());
        });
    }

    @Override
    public void later(long delayMillis, Runnable task) {
        replica.later(delayMillis, task);
    }

    @Override
    public void answered(ReadGate.Query query, long nanos) {
        load.onAccess(query.key(), AccessKind.READ, 1, nanos);
    }

    @Override
    public void elsewhere(ReadGate.Query query) {
        routes.ask(query);
    }
}
