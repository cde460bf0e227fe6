package io.godwit.inbox.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LeaderEndTest {
    @Test
    void whatWasNotEvenProposedFailsWhenTheLeadershipEnds() {
        StepContext context = new StepContext();
        InboxLeader leader = new InboxLeader(
                context,
                new QueueSettings(10, false, 10, AttachRequest.NEVER, true, 10),
                new Surroundings(
                        (client, message, origin, number, below) -> new CompletableFuture<>(),
                        (origin, number) -> {},
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
