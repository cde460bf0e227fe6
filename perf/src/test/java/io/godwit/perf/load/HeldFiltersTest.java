package io.godwit.perf.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.testing.Await;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HeldFiltersTest {
    private static final int FILTERS = 12_345;

    private final FakeNodes nodes;

    HeldFiltersTest() throws Exception {
        nodes = new FakeNodes(2);
    }

    @AfterEach
    void close() throws Exception {
        nodes.close();
    }

    @Test
    void eachFilterIsHeldAndHeardOf() throws Exception {
        try (HeldFilters held = new HeldFilters(nodes.settings(0))) {
            held.hold(FILTERS, i -> "f/" + i);

            assertThat(held.missing(nodes.endpoint(1), 500, i -> "f/" + i, Await.PATIENCE))
                    .isZero();
        }
    }

    @Test
    void whatTheHolderDoesNotGetIsMissing() throws Exception {
        nodes.swallowed = message -> message.topicName().endsWith("5");
        try (HeldFilters held = new HeldFilters(nodes.settings(0))) {
            held.hold(1_000, i -> "f/" + i);

            assertThat(held.missing(nodes.endpoint(1), 1_000, i -> "f/" + i, Duration.ofSeconds(1)))
                    .isEqualTo(100);
        }
    }

    /** Otherwise fewer filters would be held than the figures claim. */
    @Test
    void aFilterThatIsRefusedEndsTheLoad() throws Exception {
        nodes.refused = filter -> filter.equals("f/777");
        try (HeldFilters held = new HeldFilters(nodes.settings(0))) {
            assertThatThrownBy(() -> held.hold(1_000, i -> "f/" + i))
                    .isInstanceOf(LoadFailedException.class)
                    .hasMessageContaining("only 500 filters could be subscribed")
                    .hasMessageContaining("the broker refused 1 of 500 filters");
        }
    }
}
