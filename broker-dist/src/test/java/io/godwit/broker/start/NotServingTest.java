package io.godwit.broker.start;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.store.StoreHealth;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** The terminal's output for a start that ends before the stores serve. */
class NotServingTest {
    private static final Map<String, StoreHealth> HEALTH =
            Map.of("inbox", new StoreHealth(StoreHealth.State.STARTING, "no leader yet"));

    @Test
    void theReasonIsToldAlsoWhereTheStoresDoNotKnowItYet() {
        Exception ended = new ExecutionException(new IllegalStateException("node a was forgotten by an operator"));
        assertThat(StartWaits.notServing(HEALTH, ended))
                .hasMessageContaining("node a was forgotten by an operator")
                .hasMessageContaining("no leader yet");
        assertThat(StartWaits.notServing(HEALTH, new TimeoutException()))
                .hasMessageContaining("not within 30 minutes")
                .hasMessageNotContaining("null");
    }
}
