package io.godwit.inbox.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.Proposal;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LeaderEndTest {
    /** Reads find an empty store; tasks run one at a time, when asked. */
    private static final class StepContext implements LeaderContext {
        final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

        @Override
        public long term() {
            return 1;
        }

        @Override
        public RangeBounds bounds() {
            return new RangeBounds(new byte[0], null);
        }

        @Override
        public void propose(Proposal proposal) {
            throw new AssertionError("not so far");
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
        public void schedule(long delayMillis, Runnable task) {}

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        @Override
        public long nowMillis() {
            return 1_700_000_000_000L;
        }
    }

    @Test
    void whatWasNotEvenProposedFailsWhenTheLeadershipEnds() {
        StepContext context = new StepContext();
        InboxLeader leader = new InboxLeader(
                context,
                new QueueSettings(10, false, 10, AttachRequest.NEVER, true, 10),
                new Surroundings(
                        (client, message, origin, number, below) -> new CompletableFuture<>(),
                        (tenant, client, incarnation, filters) -> new CompletableFuture<>(),
                        new Drops(EventListener.NONE, new SimpleMeterRegistry())));
        context.tasks.clear(); // the scan of the start
        SessionCall.Attach call = attach();
        leader.handle(call);
        context.tasks.remove().run(); // loads; the batch that it fills is proposed at the end of the turn
        assertThat(call.answer).isNotDone();
        SessionCall.Attach waiting = attach();
        leader.handle(waiting);

        leader.stop(new RangeException(RangeException.Cause.CLOSED, "stepped down"));
        assertThat(call.answer).isCompletedExceptionally();
        assertThat(waiting.answer).isCompletedExceptionally();
    }

    private static SessionCall.Attach attach() {
        InboxId id = new InboxId(
                InboxFixture.info("a").tenant(), InboxFixture.info("a").clientId());
        AttachRequest request = new AttachRequest(InboxFixture.info("a"), false, 60, null);
        return new SessionCall.Attach(id, InboxKeys.prefix(id.tenant(), id.clientId()), request, new TestConnection());
    }
}
