package io.godwit.broker.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.OperationException;
import io.godwit.api.port.client.ClientReference;
import io.godwit.api.port.client.SubscribeOnBehalf.Coded;
import io.godwit.broker.clients.node.MemoryClients;
import io.godwit.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How many stored sessions operators change at a time; the store's answers come from the test. */
class SubscribersOverNodesTest {
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final int OF_TENANT = SubscribersOverNodes.MAX_STORED / SubscribersOverNodes.SHARES;

    private final MemoryCatalog catalog = new MemoryCatalog();
    private final MemoryClients connected = new MemoryClients();
    private final SubscribersOverNodes subscribers = new SubscribersOverNodes(
            new AllNodes(ClusterNodes.alone("a"), connected, Runnable::run),
            catalog,
            () -> {
                throw new AssertionError("there is no session to be changed");
            },
            false);

    private CompletableFuture<ClusterAnswer<Optional<List<Coded>>>> change(String tenant, Duration within) {
        return subscribers.unsubscribe(new ClientReference(tenant, "c"), List.of("a"), within);
    }

    private List<CompletableFuture<?>> fill(String tenant, Duration within) {
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < OF_TENANT; i++) {
            all.add(change(tenant, within));
        }
        return all;
    }

    private static void fails(CompletableFuture<?> change, Class<? extends Throwable> as) {
        assertThat(change).failsWithin(Duration.ZERO).withThrowableThat().withCauseInstanceOf(as);
    }

    private static void findsNothing(CompletableFuture<ClusterAnswer<Optional<List<Coded>>>> change) {
        assertThat(change).isCompletedWithValue(ClusterAnswer.complete(Optional.empty()));
    }

    @Test
    void aTenantLeavesChangesToOthers() {
        catalog.found = new CompletableFuture<>();
        List<CompletableFuture<?>> all = fill("t1", LONG);
        fails(change("t1", LONG), NotServingException.class);
        for (int i = 2; i <= SubscribersOverNodes.SHARES; i++) {
            all.addAll(fill("t" + i, LONG));
        }
        assertThat(all).hasSize(SubscribersOverNodes.MAX_STORED).noneMatch(CompletableFuture::isDone);
        fails(change("another", LONG), NotServingException.class);

        catalog.found.complete(Optional.empty());
        assertThat(all).allMatch(CompletableFuture::isDone);
        findsNothing(change("t1", LONG));
        findsNothing(change("another", LONG));
    }

    /** The stores may still be at it, and hold the client id. */
    @Test
    void aChangeCountsUntilTheStoresHaveAnsweredWhateverItsCallerWasTold() {
        catalog.found = new CompletableFuture<>();
        for (CompletableFuture<?> each : fill("t1", Duration.ofMillis(50))) {
            Await.until("its time is over", each::isDone);
            fails(each, OperationException.class);
        }
        fails(change("t1", LONG), NotServingException.class);

        catalog.found.complete(Optional.empty());
        catalog.found = new CompletableFuture<>();
        assertThat(fill("t1", LONG)).noneMatch(CompletableFuture::isDone);
        fails(change("t1", LONG), NotServingException.class);
    }

    @Test
    void aChangeWhoseCallerGivesUpCountsUntilTheStoresHaveAnswered() {
        catalog.found = new CompletableFuture<>();
        fill("t1", LONG).forEach(each -> each.cancel(false));
        fails(change("t1", LONG), NotServingException.class);
        catalog.found.complete(Optional.empty());
        findsNothing(change("t1", LONG));
    }

    @Test
    void aConnectedClientTakesNoPlace() {
        catalog.found = new CompletableFuture<>();
        fill("default", LONG);
        connected.add("c");
        assertThat(change("default", LONG))
                .isCompletedWithValue(ClusterAnswer.complete(Optional.of(List.of(new Coded("a", 0)))));
    }
}
