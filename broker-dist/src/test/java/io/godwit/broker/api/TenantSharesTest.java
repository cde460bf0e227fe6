package io.godwit.broker.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class TenantSharesTest {
    private final TenantShares parts = new TenantShares(4, 40, 2);

    @Test
    void aTenantLeavesPlacesToOthers() {
        assertThat(parts.enter("a", 1)).isTrue();
        assertThat(parts.enter("a", 1)).isTrue();
        assertThat(parts.enter("a", 1)).isFalse();
        assertThat(parts.enter("b", 1)).isTrue();
        assertThat(parts.enter("b", 1)).isTrue();
        assertThat(parts.enter("c", 1)).as("all places are taken").isFalse();
        parts.leave("a", 1);
        assertThat(parts.enter("c", 1)).isTrue();
    }

    @Test
    void aTenantLeavesBytesToOthers() {
        assertThat(parts.enter("a", 15)).isTrue();
        assertThat(parts.enter("a", 6)).isFalse();
        assertThat(parts.enter("a", 5)).isTrue();
        assertThat(parts.enter("b", 20)).isTrue();
        assertThat(parts.enter("c", 1)).as("all bytes are taken").isFalse();
        parts.leave("a", 15);
        assertThat(parts.enter("c", 1)).isTrue();
    }

    @Test
    void whatIsLargerThanThePartOfATenantIsAloneOfIt() {
        assertThat(parts.enter("a", 30)).isTrue();
        assertThat(parts.enter("a", 1)).isFalse();
        assertThat(parts.enter("b", 10)).isTrue();
        parts.leave("a", 30);
        assertThat(parts.enter("a", 1)).isTrue();
    }

    @Test
    void withoutSharesATenantMayHaveAll() {
        TenantShares undivided = new TenantShares(2, 40, 1);
        assertThat(undivided.enter("a", 20)).isTrue();
        assertThat(undivided.enter("a", 20)).isTrue();
        assertThat(undivided.enter("a", 0)).isFalse();
    }

    @Test
    void whatIsRefusedTakesNothing() {
        assertThat(parts.enter("a", 1)).isTrue();
        assertThat(parts.enter("a", 1)).isTrue();
        for (int i = 0; i < 10; i++) {
            assertThat(parts.enter("a", 1)).isFalse();
            assertThat(parts.enter("b", 100)).as("it must be alone").isFalse();
        }
        assertThat(parts.enter("b", 20)).isTrue();
        parts.leave("a", 1);
        assertThat(parts.enter("a", 18)).isTrue();
    }

    /** Whatever leaves twice would give others more than there is. */
    @Test
    void whatLeavesTwiceIsAFault() {
        assertThat(parts.enter("a", 1)).isTrue();
        parts.leave("a", 1);
        assertThatThrownBy(() -> parts.leave("a", 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("tenant a");
        for (String tenant : List.of("a", "a", "b", "b")) {
            assertThat(parts.enter(tenant, 1)).isTrue();
        }
        assertThat(parts.enter("c", 1)).isFalse();
    }
}
