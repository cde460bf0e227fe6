package io.godwit.it.kv.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Judges a saved history again: {@code -Dtest=io.godwit.it.kv.history.HistoryCheck -Dnemesis.history=FILE}. */
class HistoryCheck {
    @Test
    @EnabledIfSystemProperty(named = "nemesis.history", matches = ".+")
    void aSavedHistoryIsLinearizable() throws Exception {
        Linearizability.Verdict verdict = Linearizability.check(
                History.load(Path.of(System.getProperty("nemesis.history"))), Duration.ofMinutes(4));
        assertThat(verdict.isLinearizable()).withFailMessage(verdict::toString).isTrue();
    }
}
