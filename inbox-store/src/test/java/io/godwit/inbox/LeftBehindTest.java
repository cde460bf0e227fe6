package io.godwit.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.carrier.home.HomeSettings;
import io.godwit.inbox.carrier.peer.AgreedMembers;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.GroupOutcome;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.InsertRequest.Target;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.Resend;
import io.godwit.kv.testing.InMemoryRangeHost;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** State that a leader leaves in memory when another node leads next. */
class LeftBehindTest {
    private static final ClientInfo CLIENT =
            new ClientInfo(TenantId.DEFAULT, new ClientId("a"), null, "127.0.0.1:1", 5);

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final InboxStore store = new InboxStore(
            InboxConfig.DEFAULT,
            new InboxOutlets(
                    new Nobody(),
                    (tenant, client, incarnation, filters) -> CompletableFuture.completedFuture(true),
                    (from, group, message, token, resend) -> CompletableFuture.completedFuture(GroupOutcome.NOBODY)),
            id -> false,
            false,
            EventListener.NONE,
            meters,
            Duration.ofSeconds(15),
            1000);

    /** Two nodes may share the store here, because neither reads. */
    private final InMemoryRangeHost host = new InMemoryRangeHost(
            List.of(store.coprocessorFactory(), store.coprocessorFactory()), InboxStore.splitKeys(1));

    @Test
    void itIsGivenUpAfterAWhileThoughNoLeaderComesForIt() {
        List<Runnable> everyFewSeconds = new ArrayList<>();
        ScheduledExecutorService timers = (ScheduledExecutorService) Proxy.newProxyInstance(
                ScheduledExecutorService.class.getClassLoader(),
                new Class<?>[] {ScheduledExecutorService.class},
                (proxy, method, arguments) -> {
                    everyFewSeconds.add((Runnable) arguments[0]);
                    return null;
                });
        store.peers(host, host.node(0), AgreedMembers.NONE, HomeSettings.DEFAULT, timers, host::nowMillis);
        AttachReply reply =
                host.await(store.client(host).attach(new AttachRequest(CLIENT, false, 60, null), new Connected()));
        host.await(store.client(host).insert(qos0(reply.incarnation())));
        host.holdReads();
        host.moveLeader(new byte[0], 1);
        host.runUntilIdle();
        assertThat(host.leaderOf(new byte[0])).isOne();

        assertThat(everyFewSeconds).hasSize(1);
        everyFewSeconds.get(0).run();
        assertThat(dropped()).isZero();
        host.advanceMillis(16_000);
        everyFewSeconds.get(0).run();
        assertThat(dropped()).isOne();
    }

    private double dropped() {
        return meters.get("godwit.inbox.dropped")
                .tag("reason", "leadership_lost")
                .counter()
                .count();
    }

    private InsertRequest qos0(long incarnation) {
        Message message = new Message("t", new byte[1], Qos.AT_MOST_ONCE, false, 0, MessageProperties.NONE);
        Target target = new Target(CLIENT.clientId(), incarnation, Qos.AT_MOST_ONCE, false, new int[0]);
        return new InsertRequest(TenantId.DEFAULT, message, List.of(target), null, 0, 0);
    }

    /** Has room for nothing. */
    private static final class Connected implements InboxListener {
        @Override
        public void deliver(List<InboxMessage> messages) {}

        @Override
        public void detached(Reason reason) {}
    }

    private static final class Nobody implements WillPublisher {
        @Override
        public CompletableFuture<Boolean> publish(
                ClientInfo publisher,
                Message message,
                String tokenOrigin,
                long tokenNumber,
                long tokenFinishedBelow,
                long decidedAtMillis,
                @Nullable RequestOrder order,
                Resend resend) {
            return CompletableFuture.completedFuture(true);
        }

        @Override
        public void finished(TenantId tenant, @Nullable Message message, String tokenOrigin, long tokenNumber) {}
    }
}
