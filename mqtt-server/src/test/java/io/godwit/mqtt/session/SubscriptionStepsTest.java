package io.godwit.mqtt.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.mqtt.transport.LoopContext;
import io.godwit.mqtt.twin.MemoryDist;
import io.godwit.mqtt.twin.MemoryInbox;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which subscriptions of one session are under way at the same time, on the test's thread. */
class SubscriptionStepsTest {
    private static final ClientInfo CLIENT = new ClientInfo(TenantId.DEFAULT, new ClientId("c"), null, "test:1", 5);

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final LoopContext loop = new LoopContext(0, tasks::add);
    private final RecordingConnection connection = new RecordingConnection(loop);
    private final MemoryDist dist = new MemoryDist();
    private final CompletableFuture<Void> held = new CompletableFuture<>();
    private SubscriptionSteps steps = newSteps();

    private SubscriptionSteps newSteps() {
        AttachReply reply = new MemoryInbox()
                .attach(new AttachRequest(CLIENT, false, 3600, null), new InboxMail(connection))
                .join();
        InboxReceiver receiver = new InboxReceiver(CLIENT.tenant(), CLIENT.clientId(), reply.incarnation());
        return new SubscriptionSteps(connection, dist, receiver, reply.attachment());
    }

    @BeforeEach
    void begin() {
        loop.bindToCurrentThread();
        steps = newSteps();
        dist.holdNextRoute(held);
    }

    @Test
    void thoseOfOneFilterEachDoNotWaitForEachOther() {
        CompletableFuture<List<Boolean>> first = subscribe("a");
        CompletableFuture<List<Boolean>> second = subscribe("b");

        assertThat(first).isNotDone();
        assertThat(second).isCompletedWithValue(List.of(true));
    }

    @Test
    void oneOfSeveralFiltersWaitsForThoseBeforeIt() {
        CompletableFuture<List<Boolean>> one = subscribe("a");
        CompletableFuture<List<Boolean>> several = subscribe("a", "b");
        assertThat(several).isNotDone();
        assertThat(dist.size()).isEqualTo(1);

        held.complete(null);
        runTasks();

        assertThat(one).isCompleted();
        assertThat(several).isCompletedWithValue(List.of(false, true));
        assertThat(dist.size()).isEqualTo(2);
    }

    @Test
    void thoseBehindOneOfSeveralFiltersWaitForIt() {
        CompletableFuture<List<Boolean>> several = subscribe("a", "b");
        CompletableFuture<List<Boolean>> one = subscribe("a");
        assertThat(several).isNotDone();
        assertThat(one).isNotDone();

        held.complete(null);
        runTasks();

        assertThat(several).isCompletedWithValue(List.of(true, true));
        assertThat(one).isCompletedWithValue(List.of(false));
    }

    private CompletableFuture<List<Boolean>> subscribe(String... filters) {
        CompletableFuture<List<Boolean>> done = steps.subscribe(Stream.of(filters)
                .map(filter ->
                        new StoredSubscription(new TopicFilter(null, filter), Qos.AT_LEAST_ONCE, false, false, 0, 0))
                .toList());
        runTasks();
        return done;
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }
}
