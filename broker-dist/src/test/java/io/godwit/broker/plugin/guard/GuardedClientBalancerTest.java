package io.godwit.broker.plugin.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.plugin.PluginStage;
import io.godwit.plugin.event.PluginFault;
import io.godwit.plugin.redirect.ClientBalancer;
import io.godwit.plugin.redirect.ClientBalancerFactory;
import io.godwit.plugin.redirect.ConnectingClient;
import io.godwit.plugin.redirect.NodeLoad;
import io.godwit.plugin.redirect.NodeLoads;
import io.godwit.plugin.redirect.Placement;
import io.godwit.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever the client balancer of a plugin does, there is an answer in time or a failure, after which clients are
 * accepted.
 */
@Timeout(60)
class GuardedClientBalancerTest {
    private static final ConnectingClient CLIENT = new ConnectingClient(PluginStage.CLIENT, true, List.of());
    private static final NodeLoads LOADS = new NodeLoads(new NodeLoad("a", "", 1), List.of());

    @TempDir
    Path directory;

    private PluginStage stage;
    private final CompletableFuture<Boolean> end = new CompletableFuture<>();

    @BeforeEach
    void open() {
        stage = new PluginStage(directory, Map.of());
        stage.host().redirectTimeout(Duration.ofMillis(300));
    }

    @AfterEach
    void close() {
        end.complete(true);
        stage.close();
    }

    private record Factory(ClientBalancer create) implements ClientBalancerFactory {
        @Override
        public String name() {
            return "acme";
        }
    }

    private ClientBalancer guarded(ClientBalancer balancer) throws Exception {
        ClientBalancerFactory factory = stage.host()
                .adopt(ClientBalancerFactory.class, "client-balancer", "acme", new Factory(balancer), stage.home());
        stage.host().start();
        return factory.create();
    }

    private void fails(CompletableFuture<Placement> answer, PluginFault fault) {
        assertThatThrownBy(() -> answer.get(30, TimeUnit.SECONDS)).isNotNull();
        Await.until("told", () -> stage.hasTold(fault));
    }

    @Test
    void isCalledOnThreadsOfItsOwn() throws Exception {
        AtomicReference<String> thread = new AtomicReference<>("");
        ClientBalancer balancer = guarded((client, nodes) -> {
            thread.set(Thread.currentThread().getName());
            return CompletableFuture.completedFuture(new Placement.UseAnother("b:1"));
        });
        assertThat(balancer.place(CLIENT, LOADS).get(30, TimeUnit.SECONDS)).isEqualTo(new Placement.UseAnother("b:1"));
        assertThat(thread.get()).startsWith("plugin-acme-call-");
        assertThat(stage.events).isEmpty();
    }

    @Test
    void whatIsNoAnswerFails() throws Exception {
        ClientBalancer balancer = guarded((client, nodes) -> null);
        fails(balancer.place(CLIENT, LOADS), PluginFault.NULL_ANSWER);
    }

    @Test
    void whatThrowsFails() throws Exception {
        ClientBalancer balancer =
                guarded((client, nodes) -> CompletableFuture.completedFuture(new Placement.Moved("\n")));
        fails(balancer.place(CLIENT, LOADS), PluginFault.THREW);
    }

    @Test
    void oneThatNeverAnswersIsNotAskedForAWhile() throws Exception {
        ClientBalancer balancer = guarded((client, nodes) -> new CompletableFuture<>());
        for (int i = 0; i < 20; i++) {
            balancer.place(CLIENT, LOADS);
        }
        Await.until("the circuit is open", () -> stage.hasTold(PluginFault.CIRCUIT_OPENED));
        assertThat(balancer.place(CLIENT, LOADS))
                .as("further calls fail at once")
                .isCompletedExceptionally();
    }

    /** All its threads are blocked, and the next clients are answered in time all the same. */
    @Test
    void oneThatBlocksKeepsNobodyWaiting() throws Exception {
        ClientBalancer balancer = guarded((client, nodes) -> {
            end.join();
            return new CompletableFuture<>();
        });
        for (int i = 0; i < 8; i++) {
            fails(balancer.place(CLIENT, LOADS), PluginFault.NO_ANSWER);
        }
    }

    @Test
    void oneThatIsNullOrThrowsInCreateEndsTheStart() throws Exception {
        assertThatThrownBy(() -> guarded(null)).hasMessageContaining("null instead of a balancer");
    }
}
