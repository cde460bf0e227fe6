package io.godwit.broker.plugin.guard;

import static io.godwit.broker.plugin.PluginStage.ACCEPTED;
import static io.godwit.broker.plugin.PluginStage.CLIENT;
import static io.godwit.broker.plugin.PluginStage.CONNECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.plugin.PluginStage;
import io.godwit.broker.plugin.PluginStage.Connects;
import io.godwit.mqtt.auth.ClientDecisions;
import io.godwit.plugin.auth.AuthExchange;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.AuthProviderFactory;
import io.godwit.plugin.auth.AuthStep;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.ExchangeRequest;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.context.BrokerHandle;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.context.PluginContext;
import io.godwit.plugin.event.PluginFault;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever the provider of a plugin does, there is an answer in time or a failure that names it, which counts as a
 * refusal.
 */
@Timeout(60)
class GuardedAuthTest {
    @TempDir
    Path directory;

    private PluginStage stage;
    private final CountDownLatch release = new CountDownLatch(1);
    /** Waiting for it ignores interrupts. */
    private final CompletableFuture<Boolean> end = new CompletableFuture<>();

    @BeforeEach
    void open() {
        stage = new PluginStage(directory, Map.of());
    }

    @AfterEach
    void close() {
        release.countDown();
        end.complete(true);
        stage.close();
    }

    private static CompletableFuture<ConnectResult> yes() {
        return CompletableFuture.completedFuture(ACCEPTED);
    }

    private static void fails(CompletableFuture<?> answer) {
        assertThatThrownBy(() -> answer.get(30, TimeUnit.SECONDS)).isNotNull();
        assertThat(answer).isCompletedExceptionally();
    }

    @Test
    void aProviderOfTodayIsCalledOnThreadsOfItsOwn() throws Exception {
        AtomicReference<Thread> called = new AtomicReference<>();
        AtomicReference<ClassLoader> context = new AtomicReference<>();
        GuardedAuth auth = stage.oldAuth((Connects) request -> {
            called.set(Thread.currentThread());
            context.set(Thread.currentThread().getContextClassLoader());
            return yes();
        });
        assertThat(auth.connect(CONNECT).get(30, TimeUnit.SECONDS)).isSameAs(ACCEPTED);
        assertThat(called.get().getName()).startsWith("plugin-acme-call-");
        assertThat(context.get()).isSameAs(stage.classes);
        assertThat(stage.state().calls()).isEqualTo(1);
        assertThat(stage.state().isInline()).isFalse();
        assertThat(stage.events).isEmpty();
    }

    @Test
    void oneThatDoesNotBlockIsCalledWhereItIsAsked() throws Exception {
        AtomicReference<Thread> called = new AtomicReference<>();
        AtomicReference<ClassLoader> context = new AtomicReference<>();
        GuardedAuth auth = stage.auth(
                (Connects) request -> {
                    called.set(Thread.currentThread());
                    context.set(Thread.currentThread().getContextClassLoader());
                    return yes();
                },
                true);
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        assertThat(auth.connect(CONNECT)).isCompletedWithValue(ACCEPTED);
        assertThat(called.get()).isSameAs(Thread.currentThread());
        assertThat(context.get()).isSameAs(stage.classes);
        assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
        assertThat(stage.state().isInline()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatThrowsIsNoAnswer(boolean isNonBlocking) throws Exception {
        GuardedAuth auth = stage.auth(
                (Connects) request -> {
                    throw new IllegalStateException("no directory");
                },
                isNonBlocking);
        fails(auth.connect(CONNECT));
        assertThat(stage.hasTold(PluginFault.THREW)).isTrue();
        assertThat(stage.counted("threw")).isEqualTo(1);
        assertThat(stage.state().lastFault()).contains("connect", "no directory");
        fails(stage2(new LinkageError("old")).connect(CONNECT));
    }

    /** Languages without checked exceptions may throw these; the message of an exception may fail as well. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatNobodyDeclaresIsNoAnswerEither(boolean isNonBlocking) throws Exception {
        List<Exception> thrown = List.of(new IOException("no disk"), new Unspeakable());
        AtomicInteger count = new AtomicInteger();
        GuardedAuth auth = stage.auth(
                (Connects) request -> GuardedAuthTest.<RuntimeException>sneak(thrown.get(count.getAndIncrement() % 2)),
                isNonBlocking);
        for (int i = 0; i < 4; i++) {
            fails(auth.connect(CONNECT));
        }
        assertThat(stage.counted("threw")).isEqualTo(4);
        assertThat(stage.counted("no-answer")).isZero();
        assertThat(auth.calls().outstanding()).isZero();
        assertThat(stage.state().lastFault()).contains("Unspeakable");
    }

    @SuppressWarnings("unchecked")
    private static <E extends Exception> CompletableFuture<ConnectResult> sneak(Exception thrown) throws E {
        throw (E) thrown;
    }

    private static final class Unspeakable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        @SuppressWarnings("OverrideThrowableToString") // this is what it is about
        public String toString() {
            throw this;
        }
    }

    private GuardedAuth stage2(Error thrown) throws Exception {
        return stage.auth(new PluginStage.Factory(
                "acme2",
                (Connects) request -> {
                    throw thrown;
                },
                false));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @SuppressWarnings("NullAway") // what a plugin must not do
    void nullIsNoAnswer(boolean isNonBlocking) throws Exception {
        AtomicInteger count = new AtomicInteger();
        GuardedAuth auth = stage.auth(
                (Connects) request -> count.getAndIncrement() == 0 ? null : CompletableFuture.completedFuture(null),
                isNonBlocking);
        fails(auth.connect(CONNECT));
        fails(auth.connect(CONNECT));
        assertThat(stage.counted("null-answer")).isEqualTo(2);
        assertThat(auth.calls().outstanding()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anAnswerThatDoesNotComeIsGivenUpAndOneThatComesLateChangesNothing(boolean isNonBlocking) throws Exception {
        CompletableFuture<ConnectResult> never = new CompletableFuture<>();
        GuardedAuth auth = stage.auth((Connects) request -> never, isNonBlocking);
        CompletableFuture<ConnectResult> answer = auth.connect(CONNECT);
        assertThat(answer).isNotDone();
        fails(answer);
        assertThat(stage.counted("no-answer")).isEqualTo(1);
        assertThat(auth.calls().outstanding()).isZero();
        never.complete(ACCEPTED);
        assertThat(answer).isCompletedExceptionally();
        assertThat(stage.counted("late-answer")).isEqualTo(1);
        never.obtrudeValue(ACCEPTED); // twice
        assertThat(answer).isCompletedExceptionally();
        assertThat(auth.calls().outstanding()).isZero();
    }

    /** All its threads are blocked: callers continue, and after a while it is not called any more. */
    @Test
    void oneThatBlocksForEverIsLeftAlone() throws Exception {
        AtomicInteger called = new AtomicInteger();
        GuardedAuth auth = stage.oldAuth((Connects) request -> {
            called.incrementAndGet();
            end.join();
            return yes();
        });
        List<CompletableFuture<ConnectResult>> answers = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            answers.add(auth.connect(CONNECT));
        }
        answers.forEach(GuardedAuthTest::fails);
        assertThat(called).hasValue(4);
        assertThat(stage.hasTold(PluginFault.NO_ANSWER)).isTrue();
        assertThat(stage.hasTold(PluginFault.CIRCUIT_OPENED)).isTrue();
        assertThat(stage.state().circuitName()).isEqualTo("open");
        Await.until("warned", () -> stage.warnings.size() == 1);
        assertThat(stage.warnings.get(0)).contains("acme", "not called for a while");
        CompletableFuture<ConnectResult> refused = auth.connect(CONNECT);
        assertThat(refused).isCompletedExceptionally();
        assertThat(auth.calls().outstanding()).isZero();
    }

    @Test
    void moreCallsThanTheBoundAreNotMade() throws Exception {
        stage.host().authTimeout(Duration.ofSeconds(30));
        GuardedAuth auth = stage.auth((Connects) request -> new CompletableFuture<>(), true);
        for (int i = 0; i < GuardedCalls.MAX_OUTSTANDING; i++) {
            assertThat(auth.connect(CONNECT)).isNotDone();
        }
        assertThat(auth.connect(CONNECT)).isCompletedExceptionally();
        assertThat(stage.counted("too-many-calls")).isEqualTo(1);
        assertThat(auth.calls().outstanding()).isEqualTo(GuardedCalls.MAX_OUTSTANDING);
    }

    /** Clients may know how to make it throw, but must not shut out others by that. */
    @Test
    void oneThatThrowsIsCalledAgainAndAgain() throws Exception {
        AtomicInteger count = new AtomicInteger();
        GuardedAuth auth = stage.auth(
                (Connects) request -> {
                    if (count.incrementAndGet() <= 1_000) {
                        throw new IllegalStateException("bad name");
                    }
                    return yes();
                },
                true);
        for (int i = 0; i < 1_000; i++) {
            assertThat(auth.connect(CONNECT)).isCompletedExceptionally();
        }
        assertThat(auth.connect(CONNECT)).isCompletedWithValue(ACCEPTED);
    }

    @Test
    void oneThatSaidItDoesNotBlockAndDoesIsCalledElsewhereFromThenOn() throws Exception {
        AtomicReference<Thread> last = new AtomicReference<>();
        GuardedAuth auth = stage.auth(
                (Connects) request -> {
                    last.set(Thread.currentThread());
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        return yes(); // woken by the broker
                    }
                    return yes();
                },
                true);
        CompletableFuture<ConnectResult> answer = auth.connect(CONNECT); // this thread comes back
        assertThat(last.get()).isSameAs(Thread.currentThread());
        assertThat(answer).isDone();
        assertThat(Thread.interrupted())
                .as("the thread is not left interrupted")
                .isFalse();
        assertThat(stage.hasTold(PluginFault.BLOCKED)).isTrue();
        assertThat(stage.counted("blocked")).isEqualTo(1);
        assertThat(stage.state().isInline()).isFalse();
        Await.until("warned", () -> stage.warnings.size() == 1);
        assertThat(stage.warnings.get(0)).contains("acme", "blocked threads");
        release.countDown();
        assertThat(auth.connect(CONNECT).get(30, TimeUnit.SECONDS)).isSameAs(ACCEPTED);
        assertThat(last.get().getName()).startsWith("plugin-acme-call-");
    }

    // ---- what is remembered

    /** Records the handle of the broker that it receives. */
    private static final class WithHandle implements AuthProviderFactory, Plugin {
        private final AuthProvider provider;
        private volatile BrokerHandle broker;

        @SuppressWarnings("NullAway") // given in create
        WithHandle(AuthProvider provider) {
            this.provider = provider;
        }

        @Override
        public String name() {
            return "acme";
        }

        @Override
        public void create(PluginContext context) {
            broker = context.broker();
        }

        @Override
        public AuthProvider create() {
            return provider;
        }
    }

    private static ClientInfo client(String id) {
        return new ClientInfo(TenantId.DEFAULT, new ClientId(id), "u", "10.0.0.1:5000", 5);
    }

    @Test
    void aPluginHasDecisionsForgottenOfOneClientAndOfAll() throws Exception {
        WithHandle factory = new WithHandle((Connects) request -> yes());
        GuardedAuth auth = stage.auth(factory);
        long one = auth.rulesVersion(client("one"));
        long two = auth.rulesVersion(client("two"));
        assertThat(auth.rulesVersion(client("one"))).isEqualTo(one);
        factory.broker.forgetDecisions(TenantId.DEFAULT, new ClientId("one"));
        assertThat(auth.rulesVersion(client("one"))).isNotEqualTo(one);
        assertThat(auth.rulesVersion(client("two"))).isEqualTo(two);
        factory.broker.forgetDecisions();
        assertThat(auth.rulesVersion(client("two"))).isNotEqualTo(two);
    }

    private interface Versioned extends Connects {
        @Override
        default CompletableFuture<ConnectResult> connect(ConnectRequest request) {
            return yes();
        }

        @Override
        long rulesVersion();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anotherVersionOfTheRulesIsSeen(boolean isNonBlocking) throws Exception {
        AtomicLong version = new AtomicLong(7);
        GuardedAuth auth = stage.auth((Versioned) version::get, isNonBlocking);
        long first = auth.rulesVersion(CLIENT);
        assertThat(auth.rulesVersion(CLIENT)).isEqualTo(first);
        version.set(-7);
        Await.until("another version", () -> auth.rulesVersion(CLIENT) != first);
        long second = auth.rulesVersion(CLIENT);
        version.set(7);
        Await.until("a third", () -> auth.rulesVersion(CLIENT) != second);
        assertThat(auth.rulesVersion(CLIENT))
                .as("an earlier version is not used again")
                .isNotEqualTo(first);
    }

    /** Loops are not blocked, and nothing is cached. */
    @Test
    void aVersionThatDoesNotComeIsAnotherOneEachTime() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        GuardedAuth auth = stage.auth(
                (Versioned) () -> {
                    if (asked.incrementAndGet() > 1) {
                        end.join();
                    }
                    return 1;
                },
                false);
        Await.until("not remembered", () -> {
            long first = auth.rulesVersion(CLIENT);
            return auth.rulesVersion(CLIENT) != first;
        });
        assertThat(asked).hasValue(2);
    }

    @Test
    void aVersionThatThrowsIsAnotherOneEachTime() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        GuardedAuth auth = stage.auth(
                (Versioned) () -> {
                    if (asked.incrementAndGet() > 1) {
                        throw new IllegalStateException("no version");
                    }
                    return 1;
                },
                true);
        long first = auth.rulesVersion(CLIENT);
        assertThat(auth.rulesVersion(CLIENT)).isNotEqualTo(first);
        assertThat(stage.hasTold(PluginFault.THREW)).isTrue();
    }

    // ---- extended authentication

    private interface Exchanges extends Connects {
        @Override
        default CompletableFuture<ConnectResult> connect(ConnectRequest request) {
            return yes();
        }

        @Override
        AuthExchange exchange(ExchangeRequest request);
    }

    private static final ExchangeRequest EXCHANGE = new ExchangeRequest("X", CLIENT, List.of(), false);

    @Test
    void aProviderWithoutMethodsIsNotAskedForOne() throws Exception {
        assertThat(stage.oldAuth((Connects) request -> yes()).exchange(EXCHANGE))
                .isNull();
    }

    @Test
    @SuppressWarnings("NullAway") // an unknown method
    void anUnknownMethodIsAnsweredAsSuch() throws Exception {
        GuardedAuth auth = stage.oldAuth((Exchanges) request -> null);
        AuthExchange exchange = auth.exchange(EXCHANGE);
        assertThat(exchange).isNotNull();
        assertThat(exchange.onData(new byte[0]).get(30, TimeUnit.SECONDS)).isSameAs(ClientDecisions.UNKNOWN_METHOD);
        exchange.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theEndOfAnExchangeComesAfterItsCalls(boolean isNonBlocking) throws Exception {
        List<String> calls = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch isClosed = new CountDownLatch(1);
        GuardedAuth auth = stage.auth(
                (Exchanges) request -> new AuthExchange() {
                    @Override
                    public CompletableFuture<AuthStep> onData(byte[] data) {
                        calls.add("data " + data.length);
                        return CompletableFuture.completedFuture(new AuthStep.Challenge(new byte[] {1}));
                    }

                    @Override
                    public void close() {
                        calls.add("close");
                        isClosed.countDown();
                        throw new IllegalStateException("not quite");
                    }
                },
                isNonBlocking);
        AuthExchange exchange = auth.exchange(EXCHANGE);
        assertThat(exchange).isNotNull();
        assertThat(exchange.onData(new byte[3]).get(30, TimeUnit.SECONDS)).isInstanceOf(AuthStep.Challenge.class);
        CompletableFuture<AuthStep> second = exchange.onData(new byte[4]);
        exchange.close();
        second.get(30, TimeUnit.SECONDS);
        assertThat(isClosed.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(calls).containsExactly("data 3", "data 4", "close");
        Await.until("told", () -> stage.hasTold(PluginFault.THREW));
    }
}
