package io.godwit.kv.testing;

import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.Proposal;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One range of an {@link InMemoryRangeHost}: batcher, log and state machine in the order of the real ones, one step per
 * queued task, so that other tasks run between sealing, committing, applying and replying, as in a real range.
 */
final class InMemoryRange {
    private static final int MAX_MUTATIONS = 256;
    private static final int MAX_BYTES = 256 * 1024;
    private static final int MAX_IN_FLIGHT = 4;

    /** A sealed log entry; after a crash of the process it has no proposals. */
    private record Entry(List<byte[]> mutations, List<Proposal> proposals) {}

    /** A leadership that has ended without knowing it, with the state at its end. */
    private static final class Deposed {
        final InMemoryLeadership leadership;
        final RangeCoprocessor coprocessor;
        final int node;
        final InMemoryState state;
        /** Entries that no majority has. */
        final List<List<Proposal>> sealed = new ArrayList<>();

        final List<Proposal> waiting = new ArrayList<>();

        Deposed(InMemoryLeadership leadership, RangeCoprocessor coprocessor, int node, InMemoryState state) {
            this.leadership = leadership;
            this.coprocessor = coprocessor;
            this.node = node;
            this.state = state;
        }
    }

    /** A request that came while the leadership was being moved. */
    private record Held(Runnable begin, Consumer<RangeException> fail) {}

    private final InMemoryRangeHost host;
    private final RangeBounds bounds;
    /** One for each node. */
    private final List<? extends Supplier<? extends RangeCoprocessor>> factories;

    private final InMemoryState state;
    private final Deque<Proposal> waiting = new ArrayDeque<>();
    private final Deque<Entry> inFlight = new ArrayDeque<>();
    /** Applied but not told; the batcher still counts them as in flight, as in a real range. */
    private final Deque<Entry> replying = new ArrayDeque<>();

    private RangeCoprocessor coprocessor;
    private InMemoryLeadership leadership;
    private long term;
    private long appliedEntries;
    private long proposedBytes;
    private boolean pumpQueued;
    /** While a leadership is being ended in an orderly way: requests that have come since, in order; else null. */
    private @Nullable List<Held> held;

    /** The held requests at the sudden end of a leadership. */
    private List<Held> unmoved = List.of();

    private int moves;
    /** Number of the node that leads; -1 for none. */
    private int node;
    /** Where the leadership is being moved to. */
    private int nextNode;

    private @Nullable Deposed deposed;

    InMemoryRange(
            InMemoryRangeHost host,
            RangeBounds bounds,
            List<? extends Supplier<? extends RangeCoprocessor>> factories,
            int node) {
        this.host = host;
        this.bounds = bounds;
        this.factories = factories;
        this.node = node;
        this.nextNode = node;
        this.state = new InMemoryState(bounds);
        this.coprocessor = openCoprocessor();
        this.term = 1;
        this.leadership = lead();
    }

    RangeBounds bounds() {
        return bounds;
    }

    long proposedBytes() {
        return proposedBytes;
    }

    long appliedEntries() {
        return appliedEntries;
    }

    int waiting() {
        return (int)
                waiting.stream().filter(proposal -> !proposal.isCancelled()).count();
    }

    int inFlight() {
        return inFlight.size();
    }

    <T extends @Nullable Object> T read(Function<RangeReader, T> work) {
        return state.read(work);
    }

    byte[] query(byte[] query) {
        return state.read(reader -> coprocessor.query(reader, query));
    }

    /** Number of leaderships that followed one that was ended in an orderly way. */
    int moves() {
        return moves;
    }

    int node() {
        return node;
    }

    /** Whether the node leads or believes that it does. */
    boolean isLedAt(int number) {
        return node == number || isDeposedAt(number);
    }

    boolean isDeposedAt(int number) {
        return deposed != null && deposed.node == number;
    }

    /** Whether a leader on the node accepts requests now; on any node, if {@code number} is below 0. */
    boolean isServedAt(int number) {
        return isDeposedAt(number) || node >= 0 && held == null;
    }

    /** Handled by the leader on that node; by the present leader, if {@code number} is below 0. */
    void handle(LeaderRequest request, int number) {
        Deposed behind = deposed;
        if (behind != null && behind.node == number) {
            behind.leadership.leader().handle(request);
        } else {
            begin(new Held(() -> leadership.leader().handle(request), request::fail));
        }
    }

    /** A mutation of a client. */
    void mutate(Proposal proposal) {
        begin(new Held(() -> propose(proposal), proposal::failed));
    }

    private void begin(Held request) {
        if (held == null) {
            request.begin.run();
        } else {
            held.add(request);
        }
    }

    /**
     * Ends the leadership in an orderly way and begins another one in the same term, once nothing is in progress.
     * Meanwhile requests wait, and only proposals and reads of the old leadership go on.
     */
    void moveLeader() {
        moveLeader(node);
    }

    /** Like {@link #moveLeader()}, to a leader on that node. */
    void moveLeader(int toNode) {
        if (held == null && node >= 0) {
            nextNode = toNode;
            held = new ArrayList<>();
            pump();
        }
    }

    private void goOnMoving() {
        List<Held> requests = held;
        if (requests == null) {
            return;
        }
        leadership.leader().settle();
        if (waiting() == 0 && inFlight.isEmpty() && replying.isEmpty() && leadership.isIdle()) {
            leadership.end();
            leadership.leader().stop(new RangeException(Cause.MOVED, "asked for by the test"));
            waiting.clear();
            moves++;
            held = null;
            if (nextNode != node) {
                coprocessor.close();
                node = nextNode;
                coprocessor = openCoprocessor();
                term++;
            }
            leadership = lead();
            host.leadersChanged();
            requests.forEach(this::begin);
        }
    }

    /** See {@link InMemoryRangeHost#depose}. */
    boolean depose(int toNode, int survivors) {
        if (node < 0 || node == toNode || held != null || deposed != null) {
            return false;
        }
        Deposed behind = new Deposed(leadership, coprocessor, node, state.copy());
        replying.forEach(entry -> behind.sealed.add(entry.proposals));
        inFlight.forEach(entry -> behind.sealed.add(entry.proposals));
        behind.waiting.addAll(waiting);
        List<Entry> sealed = new ArrayList<>(inFlight);
        replying.clear();
        inFlight.clear();
        waiting.clear();
        sealed.stream().limit(survivors).forEach(entry -> inFlight.add(new Entry(entry.mutations, List.of())));
        deposed = behind;
        node = toNode;
        coprocessor = openCoprocessor();
        leadNewTerm();
        host.leadersChanged();
        return true;
    }

    /** Its log still accepts entries, which are never committed. */
    private void proposeInVain(Deposed behind, Proposal proposal) {
        proposal.markWaiting();
        behind.waiting.add(proposal);
        host.queue(() -> {
            if (deposed == behind && !host.sealsHeld() && behind.sealed.size() < MAX_IN_FLIGHT) {
                List<Proposal> taken = new ArrayList<>(behind.waiting);
                behind.waiting.clear();
                taken.removeIf(Proposal::isCancelled);
                taken.forEach(each -> {
                    each.markSealed();
                    each.encode();
                });
                behind.sealed.add(taken);
            }
        });
    }

    /** See {@link InMemoryRangeHost#tellDeposed}. */
    void tellDeposed(int number) {
        Deposed behind = deposed;
        if (behind == null || behind.node != number) {
            return;
        }
        deposed = null;
        behind.leadership.end();
        behind.leadership.leader().deposed();
        RangeException unknown = new RangeException(Cause.TIMEOUT, "leadership ended");
        RangeException cause = new RangeException(Cause.CLOSED, "leadership ended");
        behind.sealed.forEach(entry -> entry.forEach(proposal -> proposal.failed(unknown)));
        behind.waiting.stream().filter(proposal -> !proposal.isCancelled()).forEach(proposal -> proposal.failed(cause));
        behind.leadership.leader().stop(cause);
        behind.coprocessor.close();
        host.leadersChanged();
    }

    private void propose(Proposal proposal) {
        proposal.markWaiting();
        RangeException refusal = host.refusalOf(proposal.isRelieving());
        if (refusal != null) {
            // never from inside propose, because the caller may be changing its own state
            failLater(proposal, refusal);
            return;
        }
        waiting.add(proposal);
        pump();
    }

    void failWaiting(RangeException cause) {
        List<Proposal> failing = new ArrayList<>(waiting);
        waiting.clear();
        host.queue(() -> failing.stream()
                .filter(proposal -> !proposal.isCancelled())
                .forEach(proposal -> proposal.failed(cause)));
    }

    boolean failOldestWaiting(RangeException cause) {
        Proposal oldest = waiting.poll();
        while (oldest != null && oldest.isCancelled()) {
            oldest = waiting.poll();
        }
        if (oldest == null) {
            return false;
        }
        Proposal failing = oldest;
        failLater(failing, cause);
        return true;
    }

    boolean loseOldestInFlight(RangeException cause) {
        Entry oldest = inFlight.poll();
        if (oldest == null) {
            return false;
        }
        oldest.proposals.forEach(proposal -> failLater(proposal, cause));
        return true;
    }

    private void failLater(Proposal proposal, RangeException cause) {
        InMemoryLeadership current = leadership;
        current.failureBegins();
        host.queue(() -> {
            current.failureEnds();
            if (!proposal.isCancelled()) {
                proposal.failed(cause);
            }
            pumpIfMoving();
        });
    }

    /** Goes on with the move of the leadership, if it is being moved. */
    void pumpIfMoving() {
        if (held != null) {
            pump();
        }
    }

    /** Queues the sealing of waiting proposals and, unless commits are held, the commit of sealed entries. */
    void pump() {
        if (!pumpQueued) {
            pumpQueued = true;
            host.queue(() -> {
                pumpQueued = false;
                seal();
                if (!host.commitsHeld()) {
                    commitNext();
                }
                goOnMoving();
            });
        }
    }

    private void seal() {
        while (!host.sealsHeld() && inFlight.size() + replying.size() < MAX_IN_FLIGHT) {
            Entry entry = nextEntry();
            if (entry.proposals.isEmpty()) {
                return;
            }
            inFlight.add(entry);
        }
    }

    private Entry nextEntry() {
        Entry entry = new Entry(new ArrayList<>(), new ArrayList<>());
        int bytes = 0;
        Proposal next = waiting.peek();
        while (next != null && entry.proposals.size() < MAX_MUTATIONS) {
            if (!next.isCancelled()) {
                if (!entry.proposals.isEmpty() && bytes + next.sizeHint() > MAX_BYTES) {
                    break;
                }
                next.markSealed();
                byte[] mutation = next.encode();
                host.sealed(mutation);
                bytes += mutation.length;
                proposedBytes += mutation.length;
                entry.mutations.add(mutation);
                entry.proposals.add(next);
            }
            waiting.remove();
            next = waiting.peek();
        }
        return entry;
    }

    /** Commits and applies the oldest entry in flight. */
    boolean commitNext() {
        Entry entry = inFlight.poll();
        if (entry == null) {
            return false;
        }
        List<byte[]> replies = apply(entry.mutations);
        InMemoryLeadership current = leadership;
        replying.add(entry);
        host.queue(() -> {
            if (!current.isEnded() && !isDeposed(current)) {
                replying.remove();
                for (int i = 0; i < replies.size(); i++) {
                    entry.proposals.get(i).applied(replies.get(i));
                }
                pump();
            }
        });
        pump();
        return true;
    }

    private List<byte[]> apply(List<byte[]> mutations) {
        List<Runnable> effects = new ArrayList<>();
        List<byte[]> replies = state.write(writes -> coprocessor.apply(writes, mutations, effects::add));
        if (replies.size() != mutations.size()) {
            throw new IllegalStateException(mutations.size() + " mutations got " + replies.size() + " replies");
        }
        appliedEntries++;
        effects.forEach(Runnable::run);
        return replies;
    }

    /**
     * Ends the leader. Entries in flight beyond the first {@code survivors} are lost; the others are applied without an
     * answer.
     */
    void endLeadership(RangeException cause, int survivors) {
        leadership.end();
        unmoved = held == null ? List.of() : held;
        held = null;
        List<Entry> applied = new ArrayList<>(replying);
        List<Entry> sealed = new ArrayList<>(inFlight);
        List<Proposal> unsealed = new ArrayList<>(waiting);
        replying.clear();
        inFlight.clear();
        waiting.clear();
        RangeException unknown = new RangeException(Cause.TIMEOUT, "leadership ended");
        applied.forEach(entry -> entry.proposals.forEach(proposal -> proposal.failed(unknown)));
        sealed.forEach(entry -> entry.proposals.forEach(proposal -> proposal.failed(unknown)));
        unsealed.stream().filter(proposal -> !proposal.isCancelled()).forEach(proposal -> proposal.failed(cause));
        leadership.leader().stop(cause);
        waiting.clear();
        sealed.stream().limit(survivors).forEach(entry -> inFlight.add(new Entry(entry.mutations, List.of())));
    }

    /** The leader's node is gone; nobody leads until {@link #elect}. */
    void loseNode(RangeException cause, int survivors) {
        endLeadership(cause, survivors);
        unmoved.forEach(request -> request.fail.accept(cause));
        unmoved = List.of();
        node = -1;
        host.leadersChanged();
    }

    /** Makes a node with the state lead, if there is no leader. */
    void elect(int byNode) {
        if (node < 0) {
            node = byNode;
            reopen();
            host.leadersChanged();
        }
    }

    /** Starts a new process on the surviving state. */
    void reopen() {
        pumpQueued = false; // the task was lost with the process
        unmoved.forEach(request -> request.fail.accept(new RangeException(Cause.CLOSED, "process died")));
        unmoved = List.of();
        coprocessor.close();
        coprocessor = openCoprocessor();
        leadNewTerm();
    }

    void leadNewTerm() {
        while (!inFlight.isEmpty()) {
            apply(inFlight.remove().mutations);
        }
        term++;
        leadership = lead();
        unmoved.forEach(this::begin);
        unmoved = List.of();
    }

    void close(RangeException cause) {
        if (deposed != null) {
            tellDeposed(deposed.node);
        }
        endLeadership(cause, 0);
        unmoved.forEach(request -> request.fail.accept(cause));
        coprocessor.close();
    }

    private RangeCoprocessor openCoprocessor() {
        nextNode = node;
        tellDeposed(node); // it leads again
        RangeCoprocessor opened = factories.get(node).get();
        state.read(reader -> {
            opened.open(bounds, reader);
            return null;
        });
        return opened;
    }

    private InMemoryLeadership lead() {
        InMemoryLeadership next = new InMemoryLeadership(host, this, term);
        next.lead(coprocessor);
        return next;
    }

    // --- used by a leadership

    /** Whether it has ended without knowing it. */
    boolean isDeposed(InMemoryLeadership asked) {
        return deposed != null && deposed.leadership == asked;
    }

    /** Whether the range does not begin anything new, because its leadership is being moved. */
    boolean isMoving() {
        return held != null;
    }

    void propose(InMemoryLeadership from, Proposal proposal) {
        Deposed behind = deposed;
        if (behind != null && behind.leadership == from) {
            proposeInVain(behind, proposal);
        } else {
            propose(proposal);
        }
    }

    /** The state that the leader sees: a deposed one sees that at its end. */
    InMemoryState seenBy(InMemoryLeadership reader) {
        Deposed behind = deposed;
        return behind != null && behind.leadership == reader ? behind.state : state;
    }
}
