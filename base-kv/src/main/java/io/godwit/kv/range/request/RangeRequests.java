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
 * The requests at a range: those that wait for a leader, in order; those that wait for requests still being forwarded
 * here; and reads. Owns these queues. Confined to the range executor, except methods that say otherwise, which only
 * queue.
 *
 * <p>When keys move to another range, requests that wait at the old range or still come to it are forwarded in order
 * ({@link #takeForwarded}). Direct requests to the new range are held ({@link #hold}) until the old range says, after
 * its last request, that there are no more ({@link #release}). So no mutation overtakes an earlier one of its key.
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
    /** Queries that came while the range is being merged into another. */
    private final List<ReadGate.Query> waitingQueries = new ArrayList<>();
    /** Direct requests that wait for earlier ones still being forwarded here; null if there is nothing to wait for. */
    private @Nullable List<Waiting> held;
    /** Number of ranges that are still forwarding here. */
    private int holds;
    /** What is to be done once nothing is held, in order. */
    private final List<Runnable> afterHold = new ArrayList<>(0);
    /** Whether another range has all its keys: requests are then forwarded, whatever the bounds say. */
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

    // --- arriving requests

    /** Any thread. */
    public CompletableFuture<byte[]> mutate(ClientMutation request) {
        replica.execute(() -> come(request));
        return request.answer();
    }

    /** Any thread. */
    public void submit(byte[] key, LeaderRequest request) {
        replica.execute(() -> {
            Leadership current = role.serving();
            if (current != null && held == null && replica.routed().bounds().contains(key)) {
                current.handle(request); // the usual case
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

    /** Accepts or holds a direct request. */
    private void come(Waiting request) {
        if (held == null) {
            take(request);
        } else {
            held.add(request);
            sweep.add(request);
        }
    }

    /** Accepts a request that came to another range before this one had its key, ahead of held ones. Any thread. */
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
            // if there are other voters, another node may lead
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

    // --- waiting requests

    /**
     * Handles all waiting requests again, because there is a new leadership or another range has some of the keys; some
     * may go on waiting.
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
     * Ends a leadership. Its accepted requests that were not sealed wait again, before later ones, which may wait
     * already because the leadership was frozen.
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

    /** The range has ended: refuses all requests, and later reads. */
    public void refuseAll(RangeException cause) {
        List<Waiting> requests = new ArrayList<>(waiting);
        waiting.clear();
        if (held != null) {
            requests.addAll(held);
            held = null;
            goOnAfterHold();
        }
        requests.forEach(request -> request.refuse(cause));
        // if there are other voters, the next leader may answer a query
        boolean mayAskOthers =
                cause.reason() == Cause.STORE_FAILED && db.state().hasOtherVoters();
        RangeException ofQueries = mayAskOthers ? Waiting.notLed() : cause;
        waitingQueries.forEach(query -> query.answer().completeExceptionally(ofQueries));
        waitingQueries.clear();
        reads.close(ofQueries);
    }

    // --- forwarding

    /** Makes direct requests wait for forwarded ones. Must be called before the range can be reached. */
    public void hold() {
        holds++;
        if (held == null) {
            held = new ArrayList<>();
        }
    }

    /** Another range has forwarded everything. Any thread. */
    public void release() {
        replica.execute(() -> {
            List<Waiting> requests = held;
            if (--holds == 0 && requests != null) {
                held = null;
                requests.forEach(this::take);
                goOnAfterHold();
            }
        });
    }

    /** Runs {@code task} now, or when the requests that are still being forwarded here have come. */
    private void whenNotHeld(Runnable task) {
        if (held == null) {
            task.run();
        } else {
            afterHold.add(task);
        }
    }

    private void goOnAfterHold() {
        List<Runnable> due = List.copyOf(afterHold);
        afterHold.clear();
        due.forEach(task -> replica.execute(() -> whenNotHeld(task)));
    }

    /**
     * Releases {@code to}, which owns some of this range's keys now, after all earlier requests for these keys were
     * forwarded. The routing must have changed already. Waits for requests that are still being forwarded here, for
     * example when a range is split right after it has joined another. Any thread.
     */
    public void cedePart(RangeRequests to) {
        replica.execute(() -> whenNotHeld(to::release));
    }

    /**
     * Forwards all requests to {@code to}, which owns all keys of this range now, and then releases it. The routing
     * must have changed already. Waits as {@link #cedePart} does. Any thread.
     */
    public void cede(RangeRequests to) {
        replica.execute(() -> whenNotHeld(() -> {
            isCeded = true;
            goOn();
            to.release();
        }));
    }

    // --- reads

    /** Sends the collected reads; called when the executor has drained a batch of tasks. */
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
