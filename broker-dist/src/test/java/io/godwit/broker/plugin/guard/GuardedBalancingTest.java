package io.godwit.broker.plugin.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.plugin.PluginStage;
import io.godwit.plugin.balance.AccessKind;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.Key;
import io.godwit.plugin.balance.Liveness;
import io.godwit.plugin.balance.RangeBalancer;
import io.godwit.plugin.balance.RangeBalancerFactory;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.ReplicaGoal;
import io.godwit.plugin.balance.SplitHint;
import io.godwit.plugin.balance.SplitHinter;
import io.godwit.plugin.balance.SplitHinterFactory;
import io.godwit.plugin.balance.StoreView;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.event.PluginFault;
import io.godwit.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever balancers and split hinters of plugins do, the broker goes on without their advice. */
@Timeout(60)
class GuardedBalancingTest {
    private static final ClusterView VIEW = new ClusterView(
            "inbox",
            "a",
            new ReplicaGoal(1, false),
            List.of(new StoreView("a", "", Liveness.ALIVE, Duration.ofHours(1), false, "1", 4, 0, 100, 50)),
            List.of());
    private static final BalanceAction ACTION = new BalanceAction.MoveLeader(1, 1, "a", "b");
    private static final SplitHint HINT = new SplitHint(Key.of(new byte[] {1}), 0.5);

    @TempDir
    Path directory;

    private PluginStage stage;
    /** Waiting for it ignores interrupts. */
    private final CompletableFuture<Boolean> released = new CompletableFuture<>();

    @BeforeEach
    void open() {
        stage = new PluginStage(directory, Map.of());
    }

    @AfterEach
    void close() {
        released.complete(true);
        stage.close();
    }

    private record Balancers(RangeBalancer balancer, boolean isNonBlocking) implements RangeBalancerFactory, Plugin {
        @Override
        public String name() {
            return "acme";
        }

        @Override
        public RangeBalancer create(Map<String, String> settings) {
            if (settings.containsKey("wrong")) {
                throw new IllegalArgumentException("wrong is wrong");
            }
            return balancer;
        }
    }

    private record Hinters(SplitHinter hinter, boolean isNonBlocking) implements SplitHinterFactory, Plugin {
        @Override
        public String name() {
            return "acme";
        }

        @Override
        public SplitHinter create(Map<String, String> settings) {
            return hinter;
        }
    }

    private RangeBalancer balancer(RangeBalancer balancer, boolean isNonBlocking) throws Exception {
        return stage.host()
                .adopt(
                        RangeBalancerFactory.class,
                        "range-balancer",
                        "acme",
                        new Balancers(balancer, isNonBlocking),
                        stage.home())
                .create(Map.of());
    }

    private SplitHinter hinter(SplitHinter hinter, boolean isNonBlocking) throws Exception {
        return stage.host()
                .adopt(
                        SplitHinterFactory.class,
                        "split-hinter",
                        "acme",
                        new Hinters(hinter, isNonBlocking),
                        stage.home())
                .create(Map.of());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBalancerIsAskedWithItsClassLoader(boolean isNonBlocking) throws Exception {
        AtomicReference<Thread> thread = new AtomicReference<>();
        AtomicReference<ClassLoader> context = new AtomicReference<>();
        RangeBalancer balancer = balancer(
                view -> {
                    thread.set(Thread.currentThread());
                    context.set(Thread.currentThread().getContextClassLoader());
                    return Optional.of(ACTION);
                },
                isNonBlocking);
        assertThat(balancer.next(VIEW)).contains(ACTION);
        assertThat(thread.get() == Thread.currentThread()).isEqualTo(isNonBlocking);
        assertThat(context.get()).isSameAs(stage.classes);
        assertThat(stage.state().calls()).isEqualTo(1);
    }

    @Test
    void settingsThatABalancerRefusesAreToldAsBefore() throws Exception {
        RangeBalancerFactory factory = stage.host()
                .adopt(
                        RangeBalancerFactory.class,
                        "range-balancer",
                        "acme",
                        new Balancers(view -> Optional.empty(), false),
                        stage.home());
        assertThatThrownBy(() -> factory.create(Map.of("wrong", "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("wrong is wrong");
    }

    /** The balance loop skips a balancer that throws; after some failures it is not called at all. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBalancerThatThrowsIsNamedAndLeftAlone(boolean isNonBlocking) throws Exception {
        RangeBalancer balancer = balancer(
                view -> {
                    throw new IllegalStateException("no view");
                },
                isNonBlocking);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> balancer.next(VIEW)).hasMessageContainingAll("acme", "no view");
        }
        assertThat(balancer.next(VIEW)).isEmpty();
        assertThat(stage.counted("threw")).isEqualTo(3);
        assertThat(stage.counted("circuit-opened")).isEqualTo(1);
        assertThat(stage.state().circuitName()).isEqualTo("open");
    }

    @Test
    @SuppressWarnings("NullAway") // what a plugin must not do
    void aBalancerThatAnswersNullIsNamed() throws Exception {
        RangeBalancer balancer = balancer(view -> null, false);
        assertThatThrownBy(() -> balancer.next(VIEW)).hasMessageContaining("null");
        assertThat(stage.counted("null-answer")).isEqualTo(1);
    }

    @Test
    void aBalancerThatBlocksHoldsTheLoopUpOnce() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        RangeBalancer balancer = balancer(
                view -> {
                    if (asked.incrementAndGet() == 1) {
                        released.join();
                    }
                    return Optional.of(ACTION);
                },
                false);
        assertThatThrownBy(() -> balancer.next(VIEW)).hasMessageContaining("no answer");
        for (int i = 0; i < 100; i++) {
            assertThat(balancer.next(VIEW)).isEmpty();
        }
        assertThat(asked).hasValue(1);
        released.complete(true);
        Await.until("asked again", () -> balancer.next(VIEW).isPresent());
        assertThat(stage.counted("no-answer")).isEqualTo(1);
        assertThat(stage.counted("late-answer")).isEqualTo(1);
    }

    private static RangeLoad load() {
        return new RangeLoad(Duration.ofSeconds(1), 1, 1, 1);
    }

    /** Records accesses, and returns the given hint. */
    private static SplitHinter hinting(Runnable onAccess, Supplier<Optional<SplitHint>> hint) {
        return new SplitHinter() {
            @Override
            public void onAccess(byte[] key, AccessKind kind, int kvOperations, long nanos) {
                onAccess.run();
            }

            @Override
            public Optional<SplitHint> hint(RangeLoad load) {
                return hint.get();
            }
        };
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aHinterIsToldAndAsked(boolean isNonBlocking) throws Exception {
        AtomicInteger accesses = new AtomicInteger();
        SplitHinter hinter = hinter(
                hinting(accesses::incrementAndGet, () -> accesses.get() == 10 ? Optional.of(HINT) : Optional.empty()),
                isNonBlocking);
        for (int i = 0; i < 10; i++) {
            hinter.onAccess(new byte[] {1}, AccessKind.READ, 1, 1);
        }
        if (isNonBlocking) {
            assertThat(hinter.hint(load())).contains(HINT);
        } else {
            Await.until(
                    "the hint of the question before", () -> hinter.hint(load()).isPresent());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aHinterThatThrowsIsNoHint(boolean isNonBlocking) throws Exception {
        SplitHinter hinter = hinter(
                hinting(
                        () -> {
                            throw new IllegalStateException("no access");
                        },
                        () -> {
                            throw new LinkageError("no hint");
                        }),
                isNonBlocking);
        Await.until("left alone", () -> {
            hinter.onAccess(new byte[] {1}, AccessKind.READ, 1, 1);
            assertThat(hinter.hint(load())).isEmpty();
            return stage.hasTold(PluginFault.CIRCUIT_OPENED);
        });
        Await.until("counted", () -> stage.counted("threw") > 0); // behind what is told
    }

    /** The range continues, and the waiting accesses are bounded. */
    @Test
    void aHinterThatBlocksIsNoHint() throws Exception {
        SplitHinter hinter = hinter(hinting(released::join, () -> Optional.of(HINT)), false);
        for (int i = 0; i < 100_000; i++) {
            hinter.onAccess(new byte[] {1}, AccessKind.READ, 1, 1);
        }
        for (int i = 0; i < 10; i++) {
            assertThat(hinter.hint(load())).isEmpty();
        }
        assertThat(stage.hasTold(PluginFault.CIRCUIT_OPENED)).isTrue();
        assertThat(stage.counted("too-many-calls") + stage.counted("no-answer")).isGreaterThanOrEqualTo(3);
    }
}
