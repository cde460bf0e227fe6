package io.godwit.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script that {@code completion} prints, in a real bash. */
class CompletionTest {
    private static final String ASK = """
            source "$1"
            shift
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
            COMP_POINT=${#COMP_LINE}
            function=$(complete -p godwit-admin | sed 's/.*-F \\([^ ]*\\).*/\\1/')
            "$function" 2>/dev/null # compopt works in a completion that a key has begun only
            printf '%s\\n' "${COMPREPLY[@]}"
            """;

    @TempDir
    private Path directory;

    /** The completions that bash offers for the last of these words. */
    private List<String> offers(String... words) throws Exception {
        Path script = directory.resolve("completion.sh");
        if (!Files.exists(script)) {
            ApiRun run = ApiRun.of("completion", "bash");
            assertThat(run.code()).as(run.err()).isZero();
            Files.writeString(script, run.out());
        }
        List<String> command = new ArrayList<>(List.of("bash", "-c", ASK, "bash", script.toString(), "godwit-admin"));
        command.addAll(List.of(words));
        Process bash = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(bash.exitValue()).as(said).isZero();
        return said.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    }

    @Test
    void bashCompletesCommandsOptionsAndValues() throws Exception {
        assertThat(offers("")).contains("clients", "members", "who", "retained", "completion", "token");
        assertThat(offers("se")).containsExactly("sessions");
        assertThat(offers("sessions", "--p")).containsExactlyInAnyOrder("--purge", "--prefix");
        assertThat(offers("retained", "")).containsExactlyInAnyOrder("list", "get", "delete");
        assertThat(offers("rules", "s")).containsExactly("set");
        assertThat(offers("tokens", "add", "--ro")).containsExactly("--role");
        assertThat(offers("retained", "delete", "--fil")).containsExactly("--filter");
        assertThat(offers("kick", "--reason", "qu")).containsExactly("quota-exceeded");
        assertThat(offers("clients", "--tok")).containsExactly("--token-file");
        assertThat(offers("completion", "z")).containsExactly("zsh");
    }

    @Test
    void aShellThatIsNotKnownIsNamed() {
        ApiRun run = ApiRun.of("completion", "fish");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("bash", "zsh");
    }
}
