package io.godwit.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.perf.scenario.ScenarioName;
import io.godwit.testing.DocumentPage;
import io.godwit.testing.PageCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

/** The commands of {@code bin/perf.sh} that pages show are valid. Runs none. */
class PerfPagesTest {
    /** Benchmarks, whose options are not those of the load tool: {@code bin/perf.sh} lists them. */
    private static final Pattern BENCHMARK = Pattern.compile("(?m)^  ([a-z]+)\\) benchmark=");

    @Test
    void perfTakesWhatThePagesSay() throws IOException {
        Set<String> benchmarks = benchmarks();
        List<PageCommand> commands = PageCommand.of(DocumentPage.all(), "perf.sh");
        List<String> wrong = new ArrayList<>();
        for (PageCommand command : commands) {
            fault(command, benchmarks)
                    .ifPresent(fault ->
                            wrong.add(command.place() + ": " + String.join(" ", command.words()) + ": " + fault));
        }

        assertThat(wrong).isEmpty();
        assertThat(commands).hasSizeGreaterThan(25);
    }

    @Test
    void whatPerfDoesNotTakeIsFound() throws IOException {
        Set<String> benchmarks = benchmarks();
        for (String wrong : List.of(
                "runs C10k",
                "run C10k --scales 0.1",
                "run C10k --scale much",
                "run nonsense",
                "cluster begin",
                "suite --seconds",
                "benchmark")) {
            assertThat(fault(command(wrong, true), benchmarks)).as(wrong).isPresent();
        }
        assertThat(fault(command("run", false), benchmarks)).isEmpty();
        assertThat(fault(command("jmh TopicMatch -f 2", true), benchmarks)).isEmpty();
    }

    private static PageCommand command(String words, boolean isWhole) {
        return new PageCommand("here", List.of(words.split(" ", -1)), isWhole);
    }

    private static Set<String> benchmarks() throws IOException {
        String script = Files.readString(Path.of(System.getProperty("godwit.root"), "bin/perf.sh"));
        Set<String> names =
                BENCHMARK.matcher(script).results().map(found -> found.group(1)).collect(Collectors.toSet());
        assertThat(names).contains("jmh", "sessions");
        return names;
    }

    private static Optional<String> fault(PageCommand command, Set<String> benchmarks) {
        List<String> words = command.words();
        if (words.isEmpty() || benchmarks.contains(words.get(0))) {
            return Optional.empty();
        }
        CommandLine.ParseResult parsed;
        try {
            parsed = Main.line().parseArgs(words.toArray(String[]::new));
        } catch (MissingParameterException e) {
            return command.isWhole() ? Optional.of(String.valueOf(e.getMessage())) : Optional.empty();
        } catch (ParameterException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
        while (parsed.hasSubcommand()) {
            parsed = parsed.subcommand();
        }
        boolean isScenario = parsed.commandSpec().name().equals("run");
        return parsed.matchedPositionals().stream()
                .filter(each -> isScenario)
                .flatMap(each -> each.stringValues().stream())
                .filter(name -> ScenarioName.parse(name).isEmpty())
                .map(name -> name + " is not the name of a scenario")
                .findFirst();
    }
}
