package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs {@link SteadyAllocation} with few messages and a bound that only a gross mistake would exceed: a trace or a
 * large buffer for each message. The tests' JVM does not optimise.
 */
class SteadyAllocationTest {
    @Test
    void aMessageOnItsSteadyWayAllocatesLittle(@TempDir Path directory) throws Exception {
        assertThat(SteadyAllocation.bytesPerMessage(directory, 20_000))
                .hasSize(4)
                .allSatisfy((name, bytes) -> assertThat(bytes).as(name).isBetween(100.0, 6_000.0));
    }
}
