package io.godwit.broker.tenants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.clients.ClusterNodes;
import io.godwit.broker.clients.ServedNodes;
import io.godwit.broker.tenants.wire.UsageAnswer;
import io.godwit.broker.tenants.wire.UsageRequest;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.throttle.TenantResource;
import io.godwit.testing.Await;
import io.grpc.CallOptions;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ClientCalls;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The node {@code a} asks others over gRPC. */
@Timeout(60)
class UsageExchangeTest {
    private static final TenantId BIRDS = new TenantId("birds");
    private static final TenantId FISH = new TenantId("fish");

    @TempDir
    private Path directory;

    private final AtomicLong nanos = new AtomicLong();
    private ServedNodes nodes;
    private UsageExchange exchange;

    @BeforeEach
    void open() {
        nodes = new ServedNodes(directory);
        exchange = new UsageExchange(nodes, nanos::get);
    }

    @AfterEach
    void close() throws Exception {
        exchange.close();
        nodes.close();
    }

    /** A node where every tenant except "fish" has the same usage. */
    private ServerServiceDefinition using(TenantUse use) {
        UsageExchange node = new UsageExchange(ClusterNodes.alone("b"), nanos::get);
        nodes.closeLater(node);
        node.tell(tenant -> tenant.equals(FISH) ? TenantUse.NONE : use);
        return node.service();
    }

    private static ServerServiceDefinition answering(byte[] answer, AtomicInteger questions) {
        return ServedNodes.answering(UsageWire.SERVICE, UsageWire.READ, answer, questions);
    }

    private boolean knows(TenantUse... uses) {
        exchange.ask(List.of(BIRDS, FISH));
        return exchange.others(BIRDS).equals(List.of(uses));
    }

    @Test
    void nodesReportUsageUntilTheyAreSilent() throws Exception {
        TenantUse use = new TenantUse(
                Map.of(TenantResource.CONNECTIONS, 3L, TenantResource.PUBLISH_RATE, 70L),
                Set.of(TenantResource.PUBLISH_RATE));
        assertThat(exchange.others(BIRDS)).isEmpty();
        nodes.serve("b", using(use));
        Await.until("b has told", () -> knows(use));
        assertThat(exchange.others(FISH)).containsExactly(TenantUse.NONE);
        nodes.disconnect();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
        assertThat(knows(use)).isTrue();
        nanos.addAndGet(1);
        Await.until("it is too old", this::knows);
    }

    @Test
    void eachResourceIsReported() throws Exception {
        Map<TenantResource, Long> used = new EnumMap<>(TenantResource.class);
        for (TenantResource each : TenantResource.values()) {
            used.put(each, each.ordinal() + 1L);
        }
        TenantUse use = new TenantUse(used, Set.of());
        assertThat(UsageWire.uses(UsageWire.answer(List.of(BIRDS), tenant -> use)))
                .isEqualTo(Map.of(BIRDS, use));
    }

    @Test
    void aFormerMemberIsForgotten() throws Exception {
        TenantUse use = new TenantUse(Map.of(TenantResource.SESSIONS, 3L), Set.of());
        nodes.serve("b", using(use));
        Await.until("b has told", () -> knows(use));
        nodes.removeOthers();
        Await.until("it is forgotten", this::knows);
    }

    @Test
    void invalidAnswersAreIgnored() throws Exception {
        AtomicInteger questions = new AtomicInteger();
        UsageAnswer.Builder wrong = UsageAnswer.newBuilder();
        wrong.addTenantsBuilder().setTenant("birds").setConnections(-1);
        nodes.serve("b", answering(wrong.build().toByteArray(), questions));
        wrong.getTenantsBuilder(0).setConnections(1).setTenant("no tenant\n");
        nodes.serve("c", answering(wrong.build().toByteArray(), questions));
        nodes.serve("d", answering(new byte[] {-1, -1, -1}, questions));
        nodes.serve("e", answering(new byte[UsageWire.MAX_BYTES + 1], questions));
        TenantUse use = new TenantUse(Map.of(TenantResource.SESSIONS, 3L), Set.of());
        nodes.serve("f", using(use));
        Await.until("all were asked, and f has told", () -> knows(use) && questions.get() > 8);
    }

    @Test
    void largeQuestionsAndOtherVersionsAreRefused() throws Exception {
        nodes.serve("b", using(TenantUse.NONE));
        UsageRequest.Builder many = UsageRequest.newBuilder().setVersion(UsageWire.VERSION);
        for (int i = 0; i <= UsageWire.MAX_TENANTS; i++) {
            many.addTenants("t" + i);
        }
        for (byte[] question : new byte[][] {
            UsageRequest.newBuilder().setVersion(2).build().toByteArray(),
            UsageRequest.newBuilder().setVersion(1).addTenants("a b").build().toByteArray(),
            many.build().toByteArray(),
            {-1}
        }) {
            assertThatThrownBy(() ->
                            ClientCalls.blockingUnaryCall(nodes.to("b"), UsageWire.READ, CallOptions.DEFAULT, question))
                    .hasMessageMatching("(?s)(FAILED_PRECONDITION|INVALID_ARGUMENT).*");
        }
    }
}
