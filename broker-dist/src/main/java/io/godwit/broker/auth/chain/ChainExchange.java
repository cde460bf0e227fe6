package io.godwit.broker.auth.chain;

import io.godwit.mqtt.auth.ClientDecisions;
import io.godwit.plugin.auth.AuthExchange;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.AuthStep;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.ExchangeRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One extended authentication by the first provider that knows its method and does not pass it on. The client's first
 * data goes to one provider after the other; the first that answers with a challenge or a result keeps the client.
 *
 * <p>Calls come one at a time, but the end may come on another thread while an answer is outstanding. The lock only
 * guards the state; it is not held while a provider is asked.
 */
final class ChainExchange implements AuthExchange {
    /** Wraps the result of an exchange. */
    interface Granted {
        ConnectResult by(int link, ConnectResult result);
    }

    private final List<AuthProvider> providers;
    private final ExchangeRequest request;
    private final Granted granted;

    // guarded by this
    /** The index of the provider that has the client. */
    private int link = -1;

    private @Nullable AuthExchange exchange;
    private boolean isClosed;

    // used by one call at a time
    private boolean isPassedOn = true;
    private boolean hasKnownMethod;

    ChainExchange(List<AuthProvider> providers, ExchangeRequest request, Granted granted) {
        this.providers = providers;
        this.request = request;
        this.granted = granted;
    }

    /** @return whether a provider may know the method */
    boolean begin() {
        return next() != null;
    }

    /** Closes the current exchange and begins the next one; null if no further provider knows the method. */
    private @Nullable AuthExchange next() {
        AuthExchange before = take(null);
        if (before != null) {
            before.close();
        }
        int at = place();
        while (++at < providers.size()) {
            AuthExchange begun = providers.get(at).exchange(request);
            if (begun == null) {
                continue;
            }
            if (!has(begun, at)) {
                begun.close();
                return null; // closed meanwhile
            }
            return begun;
        }
        return null;
    }

    private synchronized @Nullable AuthExchange take(@Nullable AuthExchange next) {
        AuthExchange before = exchange;
        exchange = next;
        return before;
    }

    private synchronized int place() {
        return link;
    }

    private synchronized boolean has(AuthExchange begun, int at) {
        if (isClosed) {
            return false;
        }
        exchange = begun;
        link = at;
        return true;
    }

    private synchronized @Nullable AuthExchange current() {
        return exchange;
    }

    @Override
    public CompletableFuture<AuthStep> onData(byte[] data) {
        AuthExchange now = current();
        return now == null
                ? CompletableFuture.completedFuture(ConnectResult.UNDECIDED) // closed
                : step(now, data);
    }

    private CompletableFuture<AuthStep> step(AuthExchange asked, byte[] data) {
        CompletableFuture<AuthStep> answer = asked.onData(data);
        if (answer == null) {
            return CompletableFuture.failedFuture(new IllegalStateException("null instead of a future"));
        }
        return answer.thenCompose(step -> answered(step, data));
    }

    private CompletableFuture<AuthStep> answered(AuthStep step, byte[] data) {
        boolean isUnknown = ClientDecisions.UNKNOWN_METHOD.equals(step);
        boolean passes = isUnknown || step instanceof ConnectResult.Undecided;
        if (!passes || !isPassedOn) {
            isPassedOn = false;
            return CompletableFuture.completedFuture(
                    step instanceof ConnectResult result ? granted.by(place(), result) : step);
        }
        hasKnownMethod |= !isUnknown;
        AuthExchange next = next();
        if (next != null) {
            return step(next, data);
        }
        return CompletableFuture.completedFuture(
                hasKnownMethod ? ConnectResult.UNDECIDED : ClientDecisions.UNKNOWN_METHOD);
    }

    @Override
    public void close() {
        AuthExchange ended;
        synchronized (this) {
            isClosed = true;
            ended = take(null);
        }
        if (ended != null) {
            ended.close();
        }
    }
}
