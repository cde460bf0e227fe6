package io.godwit.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The measured time of each run of a suite. */
class SuiteDurationTest {
    @ParameterizedTest
    @CsvSource({"30000, 3.5, 3500", "30000, 0.1, 2000", "30000, -5, 2000", "1000, 60, 1000", "1000, 0.1, 1000"})
    void theRoomThatIsLeftCutsWhatIsWantedAndNothingExceedsIt(long wanted, double roomSeconds, long measured) {
        assertThat(SuiteCommand.measured(Duration.ofMillis(wanted), roomSeconds))
                .isEqualTo(Duration.ofMillis(measured));
    }

    @Test
    void aTimeTooShortForARunIsRefusedBeforeTheFirst(@TempDir Path out) {
        assertThat(CommandLineTest.errorsOf(
                        2,
                        "suite",
                        "--duration",
                        "100ms",
                        "--only",
                        "^C10k",
                        "--broker",
                        "127.0.0.1:1",
                        "--out",
                        out.toString()))
                .contains("duration (at least 0.5 s)");
    }
}
