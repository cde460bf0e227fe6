package io.godwit.mqtt.session.persistent;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.ContinueRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxListener.Reason;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.ReplayStep;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.auth.Authorizer;
import io.godwit.mqtt.session.RecordingConnection;
import io.godwit.mqtt.session.Session;
import io.godwit.mqtt.session.SessionStage;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.session.core.SessionStores;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.report.MqttMetrics;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.mqtt.twin.MemoryDist;
import io.godwit.mqtt.twin.MemoryRetain;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What each leader of an inbox is asked, on the test's thread: a leader records its calls, and answers when the test
 * says so.
 */
class LastingAttachmentCallsTest {
    private static final long INCARNATION = 7;
    private static final long ATTACH_NUMBER = 3;
    private static final Message MESSAGE =
            new Message("a", new byte[1], Qos.EXACTLY_ONCE, false, 0, MessageProperties.NONE);

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final LoopContext loop = new LoopContext(0, tasks::add);
    private final RecordingConnection connection = new RecordingConnection(loop);
    private final InboxMail mail = new InboxMail(() -> {});
    private final List<Leader> leaders = new ArrayList<>();
    private final List<ContinueRequest> continued = new ArrayList<>();
    private final List<Long> received = new ArrayList<>();
    private final List<Reason> ends = new ArrayList<>();
    private long[] unanswered = {};
    /** What the next leader waits for. */
    private CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);

    /** A leader: of an attachment that begins or continues. */
    private static final class Leader {
        final InboxListener listener;
        final List<String> calls = new ArrayList<>();
        final List<CompletableFuture<Object>> answers = new ArrayList<>();

        Leader(InboxListener listener) {
            this.listener = listener;
        }

        InboxAttachment attachment() {
            return (InboxAttachment) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {InboxAttachment.class},
                    (proxy, method, arguments) -> switch (method.getName()) {
                        case "equals" -> proxy == arguments[0];
                        case "hashCode" -> System.identityHashCode(proxy);
                        case "toString" -> "a leader's attachment";
                        default -> call(method.getName(), arguments[0], method.getReturnType());
                    });
        }

        private @Nullable Object call(String name, Object argument, Class<?> type) {
            if (type == void.class) {
                calls.add(name + (argument instanceof Integer ? " " + argument : ""));
                return null;
            }
            calls.add(name);
            CompletableFuture<Object> answer = new CompletableFuture<>();
            answers.add(answer);
            return answer;
        }
    }

    private final class Session implements InboxMail.Reader {
        @Override
        public void deliver(List<InboxMessage> messages) {
            messages.forEach(message -> received.add(message.sequence()));
        }

        @Override
        public void detaching() {}

        @Override
        public void detached(Reason reason) {
            ends.add(reason);
        }

        @Override
        public long[] unanswered() {
            return unanswered;
        }
    }

    @BeforeEach
    void bind() {
        loop.bindToCurrentThread();
        mail.openTo(new Session());
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private Leader lead(InboxListener listener) {
        Leader leader = new Leader(listener);
        leaders.add(leader);
        return leader;
    }

    private InboxAttachment attach() {
        InboxClient inbox = (InboxClient) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {InboxClient.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "attach" ->
                        CompletableFuture.completedFuture(new AttachReply(
                                true,
                                INCARNATION,
                                ATTACH_NUMBER,
                                List.of(),
                                new int[0],
                                lead((InboxListener) arguments[1]).attachment()));
                    case "continueAttachment" -> {
                        continued.add((ContinueRequest) arguments[0]);
                        yield gate.thenApply(open ->
                                Optional.of(lead((InboxListener) arguments[1]).attachment()));
                    }
                    default -> throw new AssertionError(method.getName());
                });
        MqttReports reports = new MqttReports(new MqttMetrics(new SimpleMeterRegistry()), EventListener.NONE);
        SessionServices services = new SessionServices(
                SessionConfig.DEFAULTS,
                new SessionStores(new MemoryDist(), inbox, new MemoryRetain()),
                new Authorizer(new MemoryAuth(), AuthConfig.DEFAULTS, reports),
                reports,
                () -> 0,
                1);
        return LastingAttachment.attach(
                        connection, services, new AttachRequest(SessionStage.info("c"), false, 1000, null), mail)
                .join()
                .attachment();
    }

    private void deliver(Leader by, Qos qos, long... sequences) {
        List<InboxMessage> messages = new ArrayList<>();
        for (long sequence : sequences) {
            messages.add(new InboxMessage(sequence, (int) sequence, MESSAGE, qos, false, false, false, new int[0]));
        }
        by.listener.deliver(messages);
        runTasks();
    }

    private void end(Leader leader, Reason reason) {
        leader.listener.detached(reason);
        runTasks();
    }

    private void fail(CompletableFuture<Object> answer, Cause cause) {
        answer.completeExceptionally(new RangeException(cause, "asked for by the test"));
        runTasks();
    }

    private static ReplayStep step() {
        return new ReplayStep(TopicFilter.parse("a").orElseThrow(), "", "a", MESSAGE, Qos.AT_LEAST_ONCE, new int[0]);
    }

    /** An earlier connection of the session has another attach number, and must not continue in place of this one. */
    @Test
    void theNextLeaderIsToldWhichAttachmentContinuesAndHowFarItHasSent() {
        attach();
        deliver(leaders.get(0), Qos.AT_LEAST_ONCE, 4, 5);
        deliver(leaders.get(0), Qos.AT_MOST_ONCE, 6);
        unanswered = new long[] {5};
        end(leaders.get(0), Reason.MOVED);
        assertThat(continued).singleElement().satisfies(request -> {
            assertThat(request.incarnation()).isEqualTo(INCARNATION);
            assertThat(request.attachNumber()).isEqualTo(ATTACH_NUMBER);
            assertThat(request.sentUpTo()).isEqualTo(6);
            assertThat(request.unanswered()).containsExactly(5);
        });
        assertThat(received).containsExactly(4L, 5L, 6L);
        assertThat(ends).isEmpty();
    }

    @Test
    void theNextLeaderMaySendWhatTheLastOneHasNotSent() {
        InboxAttachment attachment = attach();
        attachment.request(10);
        deliver(leaders.get(0), Qos.AT_LEAST_ONCE, 1, 2, 3);
        deliver(leaders.get(0), Qos.AT_MOST_ONCE, 4);
        attachment.request(2);
        end(leaders.get(0), Reason.MOVED);
        assertThat(leaders.get(0).calls).containsExactly("request 10", "request 2");
        assertThat(leaders.get(1).calls).containsExactly("request 9");
    }

    /** Nobody sends them to the client any more, so they must come again to its next connection. */
    @Test
    void messagesThatComeBehindTheDetachDoNotCountAsSentAndNoMoreAreRequested() {
        InboxAttachment attachment = attach();
        attachment.request(10);
        deliver(leaders.get(0), Qos.AT_LEAST_ONCE, 1);
        unanswered = new long[] {1};
        CompletableFuture<Void> detached = attachment.detach(-1, false);
        unanswered = new long[] {};
        deliver(leaders.get(0), Qos.AT_LEAST_ONCE, 2);
        fail(leaders.get(0).answers.get(0), Cause.MOVED);
        end(leaders.get(0), Reason.MOVED);
        assertThat(continued).singleElement().satisfies(request -> {
            assertThat(request.sentUpTo()).isEqualTo(1);
            assertThat(request.unanswered()).as("when it left").containsExactly(1);
        });
        assertThat(leaders.get(1).calls).containsExactly("detach");
        leaders.get(1).answers.get(0).complete(null);
        runTasks();
        assertThat(detached).isCompleted();
    }

    /** The session of a client that leaves must not continue for ever. */
    @Test
    void anEndBehindTheDetachIsNotContinued() {
        InboxAttachment attachment = attach();
        CompletableFuture<Void> detached = attachment.detach(-1, false);
        leaders.get(0).answers.get(0).complete(null);
        runTasks();
        assertThat(detached).isCompleted();
        end(leaders.get(0), Reason.MOVED);
        assertThat(continued).isEmpty();
    }

    @Test
    void anEndThatAnEarlierLeaderReportsAgainIsIgnored() {
        attach();
        end(leaders.get(0), Reason.MOVED);
        end(leaders.get(0), Reason.LOST);
        end(leaders.get(0), Reason.TAKEN_OVER);
        assertThat(continued).hasSize(1);
        assertThat(ends).isEmpty();
        end(leaders.get(1), Reason.TAKEN_OVER);
        assertThat(ends).containsExactly(Reason.TAKEN_OVER);
    }

    /** It may have been carried out and answered before its leader ended. */
    @Test
    void aCallWhoseAnswerIsStillOnItsWayIsNotRepeated() {
        InboxAttachment attachment = attach();
        CompletableFuture<Boolean> answered = attachment.release(1);
        CompletableFuture<Boolean> repeated = attachment.release(2);
        end(leaders.get(0), Reason.MOVED);
        assertThat(leaders.get(1).calls).isEmpty();
        leaders.get(0).answers.get(0).complete(true);
        fail(leaders.get(0).answers.get(1), Cause.MOVED);
        assertThat(answered).isCompletedWithValue(true);
        assertThat(leaders.get(1).calls).containsExactly("release");
        assertThat(repeated).isNotDone();
        leaders.get(1).answers.get(0).complete(false);
        runTasks();
        assertThat(repeated).isCompletedWithValue(false);
    }

    /** Only the store that refuses a call knows why, and the client is told. */
    @ParameterizedTest
    @EnumSource(
            value = Cause.class,
            names = {"OVERLOADED", "DISK_FULL", "TOO_LARGE", "TIMEOUT"})
    void aCallThatItsLeaderRefusesIsNotRepeated(Cause cause) {
        InboxAttachment attachment = attach();
        CompletableFuture<InboxAttachment.Inbound> call = attachment.receive(1, MESSAGE);
        fail(leaders.get(0).answers.get(0), cause);
        assertThat(call).isCompletedExceptionally();
        end(leaders.get(0), Reason.MOVED);
        assertThat(leaders.get(1).calls).isEmpty();
    }

    /** A step that is carried out twice would come after the next one. */
    @Test
    void aStepOfAReplayIsRepeatedOnlyIfItWasCertainlyNotCarriedOut() {
        InboxAttachment attachment = attach();
        CompletableFuture<ReplayOutcome> moved = attachment.replay(step());
        fail(leaders.get(0).answers.get(0), Cause.MOVED);
        end(leaders.get(0), Reason.MOVED);
        assertThat(leaders.get(1).calls).containsExactly("replay");
        assertThat(moved).isNotDone();

        CompletableFuture<InboxAttachment.Inbound> other = attachment.receive(1, MESSAGE);
        end(leaders.get(1), Reason.LOST);
        fail(leaders.get(1).answers.get(0), Cause.LOST);
        fail(leaders.get(1).answers.get(1), Cause.LOST);
        assertThat(moved).isCompletedExceptionally();
        assertThat(leaders.get(2).calls).containsExactly("receive");
        assertThat(other).isNotDone();
    }

    /** The report of unanswered messages leaves them out. */
    @Test
    void acknowledgementsThatALeaderHasGotAreNotRepeatedAndThoseInBetweenAre() {
        InboxAttachment attachment = attach();
        attachment.acknowledge(new long[] {1});
        gate = new CompletableFuture<>();
        end(leaders.get(0), Reason.LOST);
        attachment.acknowledge(new long[] {2});
        assertThat(leaders).hasSize(1);
        gate.complete(null);
        runTasks();
        assertThat(leaders.get(0).calls).containsExactly("acknowledge");
        assertThat(leaders.get(1).calls).containsExactly("acknowledge");
    }
}
