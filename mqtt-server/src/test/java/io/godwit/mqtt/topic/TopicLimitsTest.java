package io.godwit.mqtt.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class TopicLimitsTest {
    @Test
    void theDefaultsAllowALongFilterAndAThousandLevels() {
        assertThat(TopicLimits.DEFAULTS.allow("a".repeat(65_535))).isTrue();
        assertThat(TopicLimits.DEFAULTS.allow("/".repeat(999))).isTrue();
        assertThat(TopicLimits.DEFAULTS.allow("/".repeat(1000))).isFalse();
        assertThat(TopicLimits.DEFAULTS.allow("sport/" + "x".repeat(2000))).isTrue();
    }

    @Property(tries = 500)
    void measuresLevelsAndBytes(
            @ForAll @StringLength(min = 1, max = 12) @CharRange(from = 'a', to = 'c') @Chars({'/', 'é', '€'})
                    String topic,
            @ForAll @IntRange(min = 1, max = 8) int maxLevels,
            @ForAll @IntRange(min = 1, max = 20) int maxBytes) {
        boolean isWithin =
                topic.split("/", -1).length <= maxLevels && topic.getBytes(StandardCharsets.UTF_8).length <= maxBytes;
        assertThat(new TopicLimits(maxLevels, maxBytes, 1, 1, 1).allow(topic)).isEqualTo(isWithin);
    }

    @Test
    void aPairOfSurrogatesHasFourBytes() {
        assertThat(new TopicLimits(1, 4, 1, 1, 1).allow("\uD83D\uDC26")).isTrue();
        assertThat(new TopicLimits(1, 3, 1, 1, 1).allow("\uD83D\uDC26")).isFalse();
    }

    @Test
    void limitsAreChecked() {
        assertThatThrownBy(() -> new TopicLimits(0, 1, 1, 1, 1)).hasMessageContaining("maxLevels");
        assertThatThrownBy(() -> new TopicLimits(1, 65_536, 1, 1, 1)).hasMessageContaining("maxBytes");
        assertThatThrownBy(() -> new TopicLimits(1, 1, 0, 1, 1)).hasMessageContaining("maxFiltersPerSubscribe");
        assertThatThrownBy(() -> new TopicLimits(1, 1, 1, 0, 1)).hasMessageContaining("maxFiltersPerSession");
        assertThatThrownBy(() -> new TopicLimits(1, 1, 1, 1, 0)).hasMessageContaining("maxPatternsPerSession");
    }
}
