package io.godwit.broker.plugin.context;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.client.ClientReference;
import io.godwit.api.port.message.MessagePublisher;
import io.godwit.common.failure.Failures;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.context.BrokerHandle;
import io.godwit.plugin.context.BrokerUnavailableException;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicName;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one plugin to the broker. Futures complete on a thread of the plugin, so its callbacks can block only
 * that; a request counts as under way until they have run. Thread-safe.
 */
final class HostBroker implements BrokerHandle {
    private static final Duration WITHIN = Duration.ofSeconds(10);
    /** Reason code "administrative action". */
    private static final int REASON = 0x98;

    private final BrokerServices services;
    private final Decisions decisions;
    private final ExecutorService answers;
    private final AtomicInteger underWay = new AtomicInteger();

    /** @param answers one thread of the plugin, with a queue bounded by {@link #MAX_UNDER_WAY} */
    HostBroker(BrokerServices services, Decisions decisions, ExecutorService answers) {
        this.services = services;
        this.decisions = decisions;
        this.answers = answers;
    }

    @Override
    public CompletableFuture<Boolean> disconnect(TenantId tenant, ClientId client) {
        return ask(
                services.clients(),
                clients ->
                        clients.disconnect(key(tenant, client), REASON, WITHIN).thenApply(HostBroker::known));
    }

    /** The client is known to be missing only if all nodes have answered. */
    private static boolean known(ClusterAnswer<Boolean> answer) {
        if (!answer.value() && !answer.missingNodes().isEmpty()) {
            throw new BrokerUnavailableException("nodes have not answered: " + answer.missingNodes());
        }
        return answer.value();
    }

    @Override
    public CompletableFuture<PublishOutcome> publish(TenantId tenant, Message message) {
        if (!TopicName.isValid(message.topic())) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("no topic name: " + message.topic()));
        }
        return ask(
                services.publisher(),
                publisher -> publisher
                        .publish(
                                tenant.value(),
                                new MessagePublisher.Outgoing(
                                        message.topic(),
                                        message.payload(),
                                        message.qos(),
                                        message.retain(),
                                        message.properties()))
                        .thenApply(outcome -> switch (outcome) {
                            case DELIVERED -> PublishOutcome.DELIVERED;
                            case NO_SUBSCRIBERS -> PublishOutcome.NO_SUBSCRIBERS;
                            case OVERLOADED -> PublishOutcome.OVERLOADED;
                            case NOT_STORED -> PublishOutcome.NOT_STORED;
                        }));
    }

    @Override
    public CompletableFuture<Boolean> closeSession(TenantId tenant, ClientId client) {
        return ask(services.sessions(), sessions -> sessions.delete(key(tenant, client), WITHIN));
    }

    @Override
    public void forgetDecisions(TenantId tenant, ClientId client) {
        decisions.forget(tenant, client);
    }

    @Override
    public void forgetDecisions() {
        decisions.forget();
    }

    private static ClientReference key(TenantId tenant, ClientId client) {
        return new ClientReference(tenant.value(), client.value());
    }

    private <S, T> CompletableFuture<T> ask(Supplier<Optional<S>> service, Function<S, CompletableFuture<T>> question) {
        Optional<S> now = service.get();
        if (now.isEmpty()) {
            return CompletableFuture.failedFuture(
                    new BrokerUnavailableException("the broker does not serve: it starts or stops"));
        }
        if (underWay.incrementAndGet() > MAX_UNDER_WAY) {
            underWay.decrementAndGet();
            return CompletableFuture.failedFuture(
                    new BrokerUnavailableException("the plugin has " + MAX_UNDER_WAY + " requests under way"));
        }
        CompletableFuture<T> asked;
        try {
            asked = question.apply(now.get());
        } catch (RuntimeException e) { // a request that fails must not count as under way forever
            asked = CompletableFuture.failedFuture(e);
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        asked.copy()
                .orTimeout(WITHIN.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((value, failure) -> deliver(answer, value, failure));
        return answer;
    }

    private <T> void deliver(CompletableFuture<T> answer, @Nullable T value, @Nullable Throwable failure) {
        Runnable completion = () -> {
            try {
                if (failure == null) {
                    answer.complete(value);
                } else {
                    answer.completeExceptionally(failureOf(failure));
                }
            } finally {
                underWay.decrementAndGet();
            }
        };
        try {
            answers.execute(completion);
        } catch (RejectedExecutionException e) { // the plugin has stopped, and nobody waits
            underWay.decrementAndGet();
        }
    }

    private static Throwable failureOf(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        if (cause instanceof IllegalArgumentException || cause instanceof BrokerUnavailableException) {
            return cause;
        }
        if (cause instanceof MessagePublisher.TooLargeException) {
            return new IllegalArgumentException(cause.getMessage(), cause);
        }
        // plugins must not see classes of the broker
        return new BrokerUnavailableException(String.valueOf(cause.getMessage()));
    }
}
