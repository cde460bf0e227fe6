package io.godwit.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ListCommandTest {
    @Test
    void aListThatFindsNothingSaysSo() {
        assertThat(CommandLineTest.errorsOf(1, "list", "no-such-scenario")).contains("'no-such-scenario'");
        assertThat(CommandLineTest.errorsOf(0, "list", "C10K")).isEmpty();
    }
}
