package io.godwit.broker.plugin.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.plugin.PluginStage;
import io.godwit.plugin.event.PluginFault;
import io.godwit.plugin.sub.SubBroker;
import io.godwit.plugin.sub.SubBrokerBatch;
import io.godwit.plugin.sub.SubBrokerFactory;
import io.godwit.plugin.sub.SubBrokerSubscription;
import io.godwit.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever the SubBroker of a plugin does, a batch has an answer in time. */
@Timeout(60)
class GuardedSubBrokerTest {
    private static final SubBrokerSubscription ALL = new SubBrokerSubscription("all", List.of("a/#"));
    private static final SubBrokerBatch BATCH = new SubBrokerBatch(ALL, List.of(), 1);

    @TempDir
    Path directory;

    private PluginStage stage;

    @BeforeEach
    void open() {
        stage = new PluginStage(directory, Map.of());
        stage.host().subBrokerTimeout(Duration.ofMillis(300));
    }

    @AfterEach
    void close() {
        stage.close();
    }

    private record Sink(List<SubBrokerSubscription> subscriptions, Function<SubBrokerBatch, CompletableFuture<Void>> to)
            implements SubBroker {
        @Override
        public CompletableFuture<Void> deliver(SubBrokerBatch batch) {
            return to.apply(batch);
        }
    }

    private record Factory(SubBroker create) implements SubBrokerFactory {
        @Override
        public String name() {
            return "acme";
        }
    }

    private SubBroker guarded(
            List<SubBrokerSubscription> subscriptions, Function<SubBrokerBatch, CompletableFuture<Void>> to)
            throws Exception {
        SubBrokerFactory factory = stage.host()
                .adopt(
                        SubBrokerFactory.class,
                        "sub-broker",
                        "acme",
                        new Factory(new Sink(subscriptions, to)),
                        stage.home());
        stage.host().start();
        return factory.create();
    }

    private void fails(Function<SubBrokerBatch, CompletableFuture<Void>> to, PluginFault fault) throws Exception {
        SubBroker sink = guarded(List.of(ALL), to);
        assertThatThrownBy(() -> sink.deliver(BATCH).get(30, TimeUnit.SECONDS)).isNotNull();
        Await.until("told", () -> stage.hasTold(fault));
    }

    @Test
    void successfulCallsSucceed() throws Exception {
        SubBroker sink = guarded(List.of(ALL), batch -> CompletableFuture.completedFuture(null));
        assertThat(sink.subscriptions()).containsExactly(ALL);
        assertThat(sink.deliver(BATCH).get(30, TimeUnit.SECONDS)).isNull();
        assertThat(stage.events).isEmpty();
    }

    @Test
    void aNullFutureIsNoAnswer() throws Exception {
        fails(batch -> null, PluginFault.NULL_ANSWER);
    }

    @Test
    void whatThrowsFails() throws Exception {
        fails(
                batch -> {
                    throw new IllegalStateException("down");
                },
                PluginFault.THREW);
    }

    @Test
    void whatDoesNotAnswerFails() throws Exception {
        fails(batch -> new CompletableFuture<>(), PluginFault.NO_ANSWER);
    }

    @Test
    void wrongSubscriptionsEndTheStart() {
        assertThatThrownBy(() -> guarded(List.of(ALL, ALL), batch -> null)).hasMessageContaining("have the name all");
        assertThatThrownBy(() -> new SubBrokerSubscription("a b", List.of("a"))).hasMessageContaining("a b");
        assertThatThrownBy(() -> new SubBrokerSubscription("a", List.of())).hasMessageContaining("had 0");
        assertThatThrownBy(() -> new SubBrokerSubscription("a", Collections.nCopies(3, "a/#/b")))
                .hasMessageContaining("not a topic filter");
        assertThatThrownBy(() -> new SubBrokerSubscription("a", List.of("$share/g/a")))
                .hasMessageContaining("must not be shared");
    }
}
