package io.godwit.inbox.leader;

import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.edge.InboxEdge;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.leader.state.InboxState;
import io.godwit.inbox.leader.state.Surroundings;
import io.godwit.inbox.ledger.MovedSessions;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.inbox.local.InsertCall;
import io.godwit.inbox.local.InsertParts;
import io.godwit.inbox.local.SessionCall;
import io.godwit.inbox.local.StoredInboxes;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxCarrier;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.inbox.report.InboxReports;
import io.godwit.inbox.report.RecordCount;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.Proposal;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads find an empty store; tasks run one at a time, on request; the test decides the fate and the order of proposals.
 */
final class StepContext implements LeaderContext {
    final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    /** Scheduled, to be run by the test. */
    final ArrayDeque<Runnable> timers = new ArrayDeque<>();

    long term = 1;
    RangeBounds bounds = new RangeBounds(new byte[0], null);
    long nowMillis = 1_700_000_000_000L;
    final MovedSessions moved = new MovedSessions();
    /** Neither sealed nor cancelled. */
    private final List<Proposal> waiting = new ArrayList<>();

    /** A leader of an empty range that reaches nothing outside. */
    InboxLeader lead() {
        return lead(new QueueSettings(1000, false, 10, 1 << 20, AttachRequest.NEVER, false, 10));
    }

    /** The same on a node of a cluster. */
    InboxLeader leadInCluster() {
        return lead(new QueueSettings(1000, false, 10, 1 << 20, AttachRequest.NEVER, false, 10).waiting(3_000));
    }

    private InboxLeader lead(QueueSettings settings) {
        InboxLeader leader = new InboxLeader(
                this,
                settings,
                new Surroundings(
                        (client, message, origin, number, below, decided, order, resend) -> new CompletableFuture<>(),
                        (tenant, message, origin, number) -> {},
                        (tenant, client, incarnation, filters) -> new CompletableFuture<>(),
                        (from, group, message, token, resend) -> new CompletableFuture<>(),
                        new InboxReports(EventListener.NONE, new SimpleMeterRegistry()),
                        new RecordCount(id -> false),
                        new StoredInboxes(),
                        moved,
                        null,
                        () -> 1));
        tasks.clear(); // the scan of the start
        timers.clear();
        return leader;
    }

    /** A client of a store that has only this leader. */
    static InboxClient client(InboxLeader leader) {
        return new InboxEdge(new InboxCarrier() {
            @Override
            public void ask(SessionCommand command, @Nullable DeliveryStream deliveries, Answer answer) {
                leader.handle(new SessionCall(command, deliveries, answer));
            }

            @Override
            public void insert(InsertRequest request, Answer answer) {
                int[] targets = IntStream.range(0, request.targets().size()).toArray();
                leader.handle(new InsertCall(request, targets, new InsertParts(targets.length, 1, answer), false));
            }
        });
    }

    /** Runs queued tasks, and those they queue. */
    void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Override
    public void confirm(Runnable then) {
        tasks.add(then);
    }

    /** Takes the oldest proposal. */
    Proposal next() {
        return waiting.remove(0);
    }

    /** Encodes a proposal, as the log does when it takes one. */
    static byte[] seal(Proposal proposal) {
        proposal.markSealed();
        return proposal.encode();
    }

    void apply(Proposal proposal) {
        proposal.applied(new byte[0]);
        runTasks();
    }

    /** Seals and applies until nothing is left. */
    void settle() {
        runTasks();
        while (!waiting.isEmpty()) {
            Proposal proposal = next();
            seal(proposal);
            apply(proposal);
        }
    }

    @Override
    public long term() {
        return term;
    }

    @Override
    public RangeBounds bounds() {
        return bounds;
    }

    @Override
    public boolean mayAdd() {
        return true;
    }

    @Override
    public void propose(Proposal proposal) {
        proposal.markWaiting();
        waiting.add(proposal);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> void read(Function<RangeReader, T> work, BiConsumer<@Nullable T, @Nullable Throwable> then) {
        InboxId id = new InboxId(
                InboxFixture.info("a").tenant(), InboxFixture.info("a").clientId());
        T empty = (T) new InboxState(id, InboxKeys.prefix(id.tenant(), id.clientId()));
        tasks.add(() -> then.accept(empty, null));
    }

    @Override
    public void forward(byte[] key, LeaderRequest request) {
        throw new UnsupportedOperationException("there is one range");
    }

    @Override
    public void schedule(long delayMillis, Runnable task) {
        timers.add(task);
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public long nowMillis() {
        return nowMillis;
    }
}
