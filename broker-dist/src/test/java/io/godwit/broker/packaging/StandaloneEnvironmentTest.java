package io.godwit.broker.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code bin/standalone.sh} does with variables of its environment, with a stand-in for Java. */
class StandaloneEnvironmentTest {
    @TempDir
    private Path place;

    private Path script;
    private final Map<String, String> environment = new HashMap<>();

    private record Run(int code, String said) {}

    @BeforeEach
    void installStandIns() throws IOException {
        Path bin = Files.createDirectory(place.resolve("bin"));
        script = Files.copy(Path.of("..", "bin", "standalone.sh"), bin.resolve("standalone.sh"));
        Path java = Files.writeString(bin.resolve("java"), """
                        #!/usr/bin/env bash
                        case "$*" in
                        -version) echo 'openjdk version "17.0.1"' ;;
                        *Main*) echo "broker with the token ${GODWIT_TOKEN-none}" ;;
                        esac
                        """);
        assertThat(java.toFile().setExecutable(true)).isTrue();
        environment.put("JAVA_HOME", place.toString());
        environment.put("GODWIT_CACHE", "off");
    }

    private Run run(String... words) throws Exception {
        List<String> all = new ArrayList<>(List.of("bash", script.toString()));
        all.addAll(List.of(words));
        all.addAll(List.of("--data", place.resolve("data").toString()));
        ProcessBuilder builder = new ProcessBuilder(all).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Run(process.exitValue(), said);
    }

    @Test
    void theTokenOfAnOperatorDoesNotReachTheBroker() throws Exception {
        environment.put("GODWIT_TOKEN", "gdw_1");
        Run run = run("start", "-f", "--log", "-");
        assertThat(run.code()).as(run.said()).isZero();
        assertThat(run.said()).contains("broker with the token none");
    }

    /** Otherwise the script would end while it waits, and leave a broker behind that nobody knows of. */
    @ParameterizedTest
    @ValueSource(strings = {"10m", "x", "-1", "12345678", "1 2"})
    void aTimeLimitThatIsNoNumberStartsNothing(String limit) throws Exception {
        environment.put("GODWIT_START_TIMEOUT_SECONDS", limit);
        for (String command : List.of("start", "restart")) {
            Run run = run(command);
            assertThat(run.code()).isEqualTo(1);
            assertThat(run.said())
                    .contains("GODWIT_START_TIMEOUT_SECONDS must be a number of seconds, but is " + limit);
            assertThat(place.resolve("data")).doesNotExist();
        }
        assertThat(run("status").code()).isEqualTo(3);
    }
}
