package io.godwit.broker.plugin.context;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.client.ClientAdmin;
import io.godwit.api.port.client.SessionAdmin;
import io.godwit.api.port.message.MessagePublisher;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.context.BrokerHandle;
import io.godwit.plugin.context.BrokerHandle.PublishOutcome;
import io.godwit.plugin.context.BrokerUnavailableException;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HostBrokerTest {
    private static final ClientId CLIENT = new ClientId("c");

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private volatile CompletableFuture<?> answer = new CompletableFuture<>();
    private final ThreadPoolExecutor answers = new PluginThreads(
                    "acme", getClass().getClassLoader(), new CallMark())
            .pool("answer", 1, BrokerHandle.MAX_UNDER_WAY);
    private final HostBroker broker = new HostBroker(
            new BrokerServices(
                    () -> Optional.of(fake(ClientAdmin.class)),
                    () -> Optional.of(fake(MessagePublisher.class)),
                    () -> Optional.of(fake(SessionAdmin.class))),
            new Decisions(),
            answers);

    @AfterEach
    void end() {
        answers.shutdownNow();
    }

    private <T> T fake(Class<T> port) {
        return port.cast(Proxy.newProxyInstance(port.getClassLoader(), new Class<?>[] {port}, (proxy, method, args) -> {
            asked.add(method.getName() + " " + args[0]);
            return answer;
        }));
    }

    private static Message message(String topic) {
        return new Message(topic, new byte[] {1}, Qos.AT_LEAST_ONCE, false, 0, MessageProperties.NONE);
    }

    @Test
    void requestsGoToTheBrokerAndAnswersComeOnAThreadOfThePlugin() throws Exception {
        answer = CompletableFuture.completedFuture(ClusterAnswer.complete(true));
        CompletableFuture<String> thread = broker.disconnect(TenantId.DEFAULT, CLIENT)
                .thenApply(was -> was + Thread.currentThread().getName());
        assertThat(thread.get(30, TimeUnit.SECONDS)).startsWith("true");
        answer = CompletableFuture.completedFuture(MessagePublisher.Outcome.NO_SUBSCRIBERS);
        assertThat(broker.publish(TenantId.DEFAULT, message("a/b")).get(30, TimeUnit.SECONDS))
                .isEqualTo(PublishOutcome.NO_SUBSCRIBERS);
        answer = CompletableFuture.completedFuture(false);
        assertThat(broker.closeSession(TenantId.DEFAULT, CLIENT).get(30, TimeUnit.SECONDS))
                .isFalse();
        assertThat(asked).hasSize(3).first().asString().contains("disconnect", "tenant=default", "clientId=c");
    }

    @Test
    void failedRequestsFailWithTheirCause() {
        answer = CompletableFuture.completedFuture(new ClusterAnswer<>(false, List.of("other-node")));
        assertThat(broker.disconnect(TenantId.DEFAULT, CLIENT))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(BrokerUnavailableException.class)
                .withMessageContaining("other-node");
        assertThat(broker.publish(TenantId.DEFAULT, message("a/+")))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(IllegalArgumentException.class);
        answer = CompletableFuture.failedFuture(new MessagePublisher.TooLargeException("too large"));
        assertThat(broker.publish(TenantId.DEFAULT, message("a/b")))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(IllegalArgumentException.class);
        answer = CompletableFuture.failedFuture(new IllegalStateException("a class of the broker"));
        assertThat(broker.closeSession(TenantId.DEFAULT, CLIENT))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(BrokerUnavailableException.class);
    }

    @Test
    void requestsUnderWayAreBounded() {
        List<CompletableFuture<Boolean>> under = new ArrayList<>();
        for (int i = 0; i < BrokerHandle.MAX_UNDER_WAY; i++) {
            under.add(broker.closeSession(TenantId.DEFAULT, CLIENT));
        }
        assertThat(under).noneMatch(CompletableFuture::isDone);
        assertThat(broker.closeSession(TenantId.DEFAULT, CLIENT)).isCompletedExceptionally();
        assertThat(asked).hasSize(BrokerHandle.MAX_UNDER_WAY);
    }
}
