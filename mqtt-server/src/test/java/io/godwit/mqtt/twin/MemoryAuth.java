package io.godwit.mqtt.twin;

import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.AuthExchange;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.ExchangeRequest;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.auth.SubscribeRequest;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An auth provider with the answers that a test sets. By default it implements no check. */
public final class MemoryAuth implements AuthProvider {
    private final Set<AuthCheck> checks = EnumSet.noneOf(AuthCheck.class);
    private volatile Function<ConnectRequest, CompletableFuture<ConnectResult>> connect =
            request -> CompletableFuture.completedFuture(ConnectResult.Accepted.as(request.client()));
    private volatile Function<PublishRequest, CompletableFuture<AuthDecision>> publish =
            request -> CompletableFuture.completedFuture(AuthDecision.ALLOWED);
    private volatile Function<SubscribeRequest, CompletableFuture<AuthDecision>> subscribe =
            request -> CompletableFuture.completedFuture(AuthDecision.ALLOWED);
    private volatile Function<ExchangeRequest, @Nullable AuthExchange> exchange = request -> null;

    /** Changes when a test changes the rules. */
    public volatile long version;

    /** The topics of the publishes asked about. */
    public final List<String> topics = new CopyOnWriteArrayList<>();

    public MemoryAuth onConnect(Function<ConnectRequest, CompletableFuture<ConnectResult>> answer) {
        checks.add(AuthCheck.CONNECT);
        connect = answer;
        return this;
    }

    public MemoryAuth onPublish(Function<PublishRequest, CompletableFuture<AuthDecision>> answer) {
        checks.add(AuthCheck.PUBLISH);
        publish = answer;
        return this;
    }

    public MemoryAuth onSubscribe(Function<SubscribeRequest, CompletableFuture<AuthDecision>> answer) {
        checks.add(AuthCheck.SUBSCRIBE);
        subscribe = answer;
        return this;
    }

    public MemoryAuth onExchange(Function<ExchangeRequest, @Nullable AuthExchange> answer) {
        exchange = answer;
        return this;
    }

    /** Denies topics that begin with {@code no}. */
    public static CompletableFuture<AuthDecision> unlessNo(String topic) {
        return CompletableFuture.completedFuture(
                topic.startsWith("no") ? new AuthDecision.Denied("it begins with no") : AuthDecision.ALLOWED);
    }

    @Override
    public Set<AuthCheck> checks() {
        return checks;
    }

    @Override
    public CompletableFuture<ConnectResult> connect(ConnectRequest request) {
        return connect.apply(request);
    }

    @Override
    public @Nullable AuthExchange exchange(ExchangeRequest request) {
        return exchange.apply(request);
    }

    @Override
    public CompletableFuture<AuthDecision> publish(PublishRequest request) {
        topics.add(request.topic());
        return publish.apply(request);
    }

    @Override
    public CompletableFuture<AuthDecision> subscribe(SubscribeRequest request) {
        return subscribe.apply(request);
    }

    @Override
    public long rulesVersion() {
        return version;
    }
}
