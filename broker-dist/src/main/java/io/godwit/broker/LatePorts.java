package io.godwit.broker;

import io.godwit.api.port.Answer;
import io.godwit.api.port.ClientAdmin;
import io.godwit.api.port.ClientFilter;
import io.godwit.api.port.ClientKey;
import io.godwit.api.port.ClientView;
import io.godwit.api.port.HistorySource;
import io.godwit.api.port.NodeFigures;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.Page;
import io.godwit.api.port.StatsSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the API asks for before the broker has made it: until then it fails with {@link NotServingException}. */
final class LatePorts {
    private LatePorts() {}

    /** @param made empty while the node starts; any thread */
    static ClientAdmin clients(Supplier<Optional<ClientAdmin>> made) {
        return new ClientAdmin() {
            @Override
            public CompletableFuture<Answer<Page<ClientView>>> clients(
                    ClientFilter filter, @Nullable ClientKey after, int limit, Duration within) {
                return ask(made, clients -> clients.clients(filter, after, limit, within));
            }

            @Override
            public CompletableFuture<Answer<Optional<ClientView>>> client(ClientKey key, Duration within) {
                return ask(made, clients -> clients.client(key, within));
            }

            @Override
            public CompletableFuture<Answer<Boolean>> disconnect(ClientKey key, int reasonCode, Duration within) {
                return ask(made, clients -> clients.disconnect(key, reasonCode, within));
            }
        };
    }

    /** @param made empty while the node starts; any thread */
    static StatsSource figures(Supplier<Optional<StatsSource>> made) {
        return new StatsSource() {
            @Override
            public CompletableFuture<Answer<List<NodeFigures>>> stats(Duration within) {
                return ask(made, figures -> figures.stats(within));
            }

            @Override
            public CompletableFuture<Answer<List<NodeFigures>>> metrics(Duration within) {
                return ask(made, figures -> figures.metrics(within));
            }

            @Override
            public Map<String, Number> sum(List<NodeFigures> figures) {
                return made.get().map(each -> each.sum(figures)).orElse(Map.of());
            }
        };
    }

    /** @param made empty while the node starts; any thread */
    static HistorySource history(Supplier<Optional<HistorySource>> made) {
        return (sinceMillis, within) -> ask(made, history -> history.history(sinceMillis, within));
    }

    private static <P, T> CompletableFuture<T> ask(
            Supplier<Optional<P>> made, Function<P, CompletableFuture<T>> question) {
        return made.get()
                .map(question)
                .orElseGet(() -> CompletableFuture.failedFuture(new NotServingException("the node starts")));
    }
}
