package io.godwit.mqtt.session.persistent;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.RouteNumber;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.mqtt.session.NoListener;
import io.godwit.mqtt.session.RecordingConnection;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.twin.MemoryDist;
import io.godwit.mqtt.twin.MemoryInbox;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The subscription steps of one session that may run at the same time, on the test's thread. */
class SubscriptionStepsTest {
    private static final ClientInfo CLIENT = new ClientInfo(TenantId.DEFAULT, new ClientId("c"), null, "test:1", 5);

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final LoopContext loop = new LoopContext(0, tasks::add);
    private final RecordingConnection connection = new RecordingConnection(loop);
    private final MemoryDist dist = new MemoryDist();
    private CompletableFuture<Void> held = new CompletableFuture<>();
    private SubscriptionSteps steps = newSteps();

    private SubscriptionSteps newSteps() {
        AttachReply reply = new MemoryInbox()
                .attach(new AttachRequest(CLIENT, false, 3600, null), new NoListener())
                .join();
        InboxReceiver receiver = new InboxReceiver(CLIENT.tenant(), CLIENT.clientId(), reply.incarnation());
        return new SubscriptionSteps(connection, dist, receiver, reply.attachment(), 0);
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

        assertThat(dist.size()).as("both route changes have begun").isEqualTo(2);
        assertThat(first).isNotDone();
        assertThat(second).as("answers are given in the order of the requests").isNotDone();

        held.complete(null);
        runTasks();
        assertThat(first).isCompletedWithValue(List.of(true));
        assertThat(second).isCompletedWithValue(List.of(true));
    }

    @Test
    void unsubscriptionsOfOneFilterEachDoNotWaitForEachOther() {
        have("a", "b", "c");
        dist.holdNextRoute(held);
        CompletableFuture<List<Boolean>> first = unsubscribe("a");
        CompletableFuture<List<Boolean>> second = unsubscribe("b");
        CompletableFuture<List<Boolean>> again = unsubscribe("b");

        assertThat(dist.size()).as("all route changes have begun").isEqualTo(1);
        assertThat(List.of(first, second, again)).noneMatch(CompletableFuture::isDone);

        held.complete(null);
        runTasks();
        assertThat(first).isCompletedWithValue(List.of(true));
        assertThat(second).isCompletedWithValue(List.of(true));
        assertThat(again).isCompletedWithValue(List.of(false));
    }

    /** Else a route could be written after it was removed, or the other way round. */
    @Test
    void thoseThatAddAndThoseThatRemoveAFilterWaitForEachOther() {
        CompletableFuture<List<Boolean>> added = subscribe("a");
        CompletableFuture<List<Boolean>> removed = unsubscribe("a");
        CompletableFuture<List<Boolean>> addedAgain = subscribe("a");
        assertThat(dist.size()).isEqualTo(1);

        CompletableFuture<Void> heldToo = new CompletableFuture<>();
        dist.holdNextRoute(heldToo);
        held.complete(null);
        runTasks();
        assertThat(added).isCompletedWithValue(List.of(true));
        assertThat(dist.size()).as("the last route change has not begun").isZero();

        heldToo.complete(null);
        runTasks();
        assertThat(removed).isCompletedWithValue(List.of(true));
        assertThat(addedAgain).isCompletedWithValue(List.of(true));
        assertThat(dist.size()).isEqualTo(1);
    }

    /**
     * The answer of the inbox may come when another node serves the client, which has unsubscribed there.
     */
    @Test
    void noRouteIsWrittenOnceTheConnectionIsOver() {
        CompletableFuture<List<Boolean>> stored = new CompletableFuture<>();
        InboxAttachment slow = (InboxAttachment) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {InboxAttachment.class}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("subscribe");
                    return stored;
                });
        steps = numbered(slow, 0);
        CompletableFuture<List<Boolean>> answer = subscribe("a");
        CompletableFuture<Void> quiet = steps.close();
        assertThat(quiet).isNotDone();

        stored.complete(List.of(true));
        runTasks();
        assertThat(dist.size()).isZero();
        assertThat(answer).isCompletedExceptionally();
        assertThat(quiet).isCompleted();
    }

    private SubscriptionSteps numbered(InboxAttachment attachment, long attachNumber) {
        InboxReceiver receiver = new InboxReceiver(CLIENT.tenant(), CLIENT.clientId(), 1);
        return new SubscriptionSteps(connection, dist, receiver, attachment, attachNumber);
    }

    /** Takes every change of subscriptions, in this order, and has an answer to each when it gets one. */
    private static final class RecordingInbox {
        final List<String> calls = new ArrayList<>();
        final List<CompletableFuture<List<Boolean>>> answers = new ArrayList<>();

        InboxAttachment attachment() {
            return (InboxAttachment) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {InboxAttachment.class}, (proxy, method, arguments) -> {
                        calls.add(method.getName() + ((List<?>) arguments[0]).size());
                        CompletableFuture<List<Boolean>> answer = new CompletableFuture<>();
                        answers.add(answer);
                        return answer;
                    });
        }
    }

    /** Then a change that arrives late is known by its number: of an attachment, or of an earlier one. */
    @Test
    void everyChangeOfRoutesHasALargerNumberThanThoseBefore() {
        held.complete(null);
        MemoryInbox inbox = new MemoryInbox();
        for (long attachNumber = 3; attachNumber < 5; attachNumber++) {
            AttachReply reply = inbox.attach(new AttachRequest(CLIENT, false, 3600, null), new NoListener())
                    .join();
            steps = numbered(reply.attachment(), attachNumber);
            unsubscribe("a");
            subscribe("a");
            subscribe("a", "b");
            unsubscribe("a", "b");
        }
        assertThat(dist.numbers()).hasSize(8).isSorted().doesNotHaveDuplicates();
        assertThat(dist.numbers().get(0)).isGreaterThan(RouteNumber.of(3, 0));
        assertThat(dist.numbers().get(4)).isGreaterThan(RouteNumber.of(4, 0));
    }

    /** The attachment is committed before its answer, so its number belongs to it alone. */
    @Test
    void theFirstChangeOfAConnectionMayBeARemoval() {
        held.complete(null);
        RecordingInbox inbox = new RecordingInbox();
        steps = numbered(inbox.attachment(), 3);
        CompletableFuture<List<Boolean>> removed = unsubscribe("a");
        runTasks();
        assertThat(dist.numbers()).containsExactly(RouteNumber.of(3, 1));
        assertThat(inbox.calls).containsExactly("unsubscribe1");
        inbox.answers.get(0).complete(List.of(true));
        runTasks();
        assertThat(removed).isCompletedWithValue(List.of(true));
    }

    @Test
    void whatConcernsOtherFiltersMayOverlap() {
        have("a", "b");
        dist.holdNextRoute(held);
        CompletableFuture<List<Boolean>> removed = unsubscribe("a");
        CompletableFuture<List<Boolean>> added = subscribe("c");
        CompletableFuture<List<Boolean>> several = unsubscribe("b", "c");
        assertThat(dist.size()).as("the routes of b and c are still there").isEqualTo(2);

        held.complete(null);
        runTasks();
        assertThat(removed).isCompletedWithValue(List.of(true));
        assertThat(added).isCompletedWithValue(List.of(true));
        assertThat(several).isCompletedWithValue(List.of(true, true));
        assertThat(dist.size()).isZero();
    }

    /**
     * For any requests in any order, and however late the stores answer: the last request for each filter counts, and
     * routes exist for exactly the subscribed filters.
     */
    @Test
    void theLastRequestForAFilterCounts() {
        held.complete(null);
        Random random = new Random(7);
        for (int round = 0; round < 300; round++) {
            steps = newSteps();
            Set<String> expected = new HashSet<>();
            List<CompletableFuture<List<Boolean>>> answers = new ArrayList<>();
            List<CompletableFuture<Void>> holds = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                String filter = round + "/" + random.nextInt(3);
                if (random.nextInt(3) == 0) {
                    CompletableFuture<Void> hold = new CompletableFuture<>();
                    holds.add(hold);
                    dist.holdNextRoute(hold);
                }
                if (random.nextBoolean()) {
                    answers.add(subscribe(filter));
                    expected.add(filter);
                } else {
                    answers.add(unsubscribe(filter));
                    expected.remove(filter);
                }
                assertInOrder(answers);
            }
            Collections.shuffle(holds, random);
            for (CompletableFuture<Void> hold : holds) {
                hold.complete(null);
                runTasks();
                assertInOrder(answers);
            }
            assertThat(answers).allMatch(CompletableFuture::isDone);
            Set<String> routed = new HashSet<>();
            dist.forEachRoute((filter, receiver) -> routed.add(filter.text()));
            for (int i = 0; i < 3; i++) {
                String filter = round + "/" + i;
                assertThat(routed.contains(filter)).as(filter).isEqualTo(expected.contains(filter));
            }
        }
    }

    private static void assertInOrder(List<CompletableFuture<List<Boolean>>> answers) {
        long done = answers.stream().takeWhile(CompletableFuture::isDone).count();
        assertThat(answers.stream().filter(CompletableFuture::isDone)).hasSize((int) done);
    }

    private void have(String... filters) {
        held.complete(null);
        subscribe(filters);
        assertThat(dist.size()).isEqualTo(filters.length);
        held = new CompletableFuture<>();
    }

    private CompletableFuture<List<Boolean>> unsubscribe(String... filters) {
        CompletableFuture<List<Boolean>> done = steps.unsubscribe(
                Stream.of(filters).map(filter -> new TopicFilter(null, filter)).toList());
        runTasks();
        return done;
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
