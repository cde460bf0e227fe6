package io.godwit.broker.metrics;

import io.godwit.api.port.Answer;
import io.godwit.api.port.NodeFigures;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.StatsSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Figures that are there once the node has its stores; until then it says that it starts. Thread-safe. */
public final class LateStats implements StatsSource {
    private volatile @Nullable StatsSource source;

    public void set(StatsSource made) {
        source = made;
    }

    @Override
    public CompletableFuture<Answer<List<NodeFigures>>> stats(Duration within) {
        return ask(made -> made.stats(within));
    }

    @Override
    public CompletableFuture<Answer<List<NodeFigures>>> metrics(Duration within) {
        return ask(made -> made.metrics(within));
    }

    private CompletableFuture<Answer<List<NodeFigures>>> ask(
            Function<StatsSource, CompletableFuture<Answer<List<NodeFigures>>>> question) {
        StatsSource made = source;
        return made == null
                ? CompletableFuture.failedFuture(new NotServingException("the node starts"))
                : question.apply(made);
    }

    /** Of what was answered, so the source is there. */
    @Override
    public Map<String, Number> sum(List<NodeFigures> figures) {
        StatsSource made = source;
        return made == null ? Map.of() : made.sum(figures);
    }
}
