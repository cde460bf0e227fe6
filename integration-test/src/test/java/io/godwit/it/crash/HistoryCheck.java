package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Judges a saved history again: {@code -Dtest=HistoryCheck -Dgodwit.history=FILE}. */
class HistoryCheck {
    @Test
    @EnabledIfSystemProperty(named = "godwit.history", matches = ".+")
    void aSavedHistoryKeepsEveryPromise() throws Exception {
        List<Violation> violations = Checker.check(History.load(Path.of(System.getProperty("godwit.history"))));
        assertThat(violations)
                .withFailMessage(() -> Checker.summary(violations))
                .isEmpty();
    }
}
