package io.godwit.perf;

import static io.godwit.perf.CommandLineTest.errorsOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.perf.published.PublishedReports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The reactions of {@code bin/perf.sh cluster} to arguments, without a broker. */
class ClusterCommandTest {
    /** The parts of a distribution that the check of arguments needs. */
    @TempDir
    private Path dist;

    @BeforeEach
    void layOut() throws Exception {
        Files.createDirectory(dist.resolve("lib"));
        Files.createDirectory(dist.resolve("bin"));
        Path script = Files.writeString(dist.resolve("bin/standalone.sh"), "#!/bin/sh\necho 'not today' && exit 3\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
    }

    private String errors(int code, String arguments) {
        List<String> all = new ArrayList<>(List.of("cluster"));
        all.addAll(List.of(arguments.split(" ")));
        all.addAll(List.of("--dist", dist.toString()));
        return errorsOf(code, all.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "run nonsense | 'nonsense' is not the name of a scenario",
                "run 30k_30k_qos1_p256_1mps_3n_3v --nodes 0 | --nodes must be 1 to 9, was 0",
                "run 30k_30k_qos1_p256_1mps_3n_3v --nodes 2 | --voters must be 1 to 2 of 2 nodes, was 3",
                "run 30k_30k_qos1_p256_1mps_3n_3v --voters 5 | --voters must be 1 to 3 of 3 nodes, was 5",
                "run 30k_30k_qos1_p256_1mps_3n_3v --scale 2 | scale must be above 0 and at most 1, was 2.0",
                "run 30k_30k_qos1_p256_1mps_3n_3v --heap much | --heap must be a size as 512m or 2g, was much",
                "run 30k_30k_qos1_p256_1mps_3n_3v --placement here | --placement",
                "run 30k_30k_qos1_p256_1mps_3n_3v --seconds 0 | duration (at least 0.5 s) out of bounds",
                "run conn-ssl-100K-500 | connects over TLS",
                "published no-such-name | no published scenario of several nodes has 'no-such-name'",
                "published ( | not a regular expression",
                "rows --only speed | --only: no row is 'speed'; there are cpu-qos0",
                "rows --nodes 1 | --nodes must be at least 2",
                "rows --nodes 10 | --nodes must be 1 to 9, was 10",
                "rows --voters 4 | --voters must be 1 to 3 of 3 nodes, was 4",
                "rows --sizes 1,12 | --nodes must be 1 to 9, was 12",
                "rows --passes 0 | --passes must be 1 to 20, was 0",
                "rows --scale 0 | --scale must be above 0 and at most 1, was 0.0",
                "rows --seconds soon | 'soon' is not a time"
            })
    void whatCannotBeIsRefusedBeforeABrokerIsStarted(String arguments, String said) {
        assertThat(errors(2, arguments)).contains(said).doesNotContain("not today");
    }

    @Test
    void whatToDoHasToBeSaid() {
        assertThat(errorsOf(2, "cluster")).contains("what to do? cluster run");
        assertThat(errorsOf(2, "cluster", "run")).contains("Missing required parameter: 'NAME'");
    }

    @Test
    void aDirectoryWithoutADistributionIsNamed() {
        assertThat(errorsOf(2, "cluster", "run", "5_5_qos0_p32_1mps_3n", "--dist", dist.resolve("lib") + ""))
                .contains("no Godwit distribution in " + dist.resolve("lib"));
    }

    @Test
    void brokersThatDoNotStartAreAFailedRunWithTheirReason() throws Exception {
        assertThat(errors(1, "run 5_5_qos0_p32_1mps_3n --out " + dist.resolve("out")))
                .contains("has ended; it printed last:", "not today");
        try (var files = Files.newDirectoryStream(dist.resolve("out"), "cluster-*.json")) {
            assertThat(files.iterator().next()).content().contains("not run", "not today");
        }
    }

    /** The rows of the reports that were measured on three nodes. */
    @Test
    void thePublishedScenariosOfSeveralNodesAreFoundOnce() {
        PublishedReports published = PublishedReports.load();

        assertThat(ClusterPublishedCommand.severalNodes(published, ""))
                .hasSize(19)
                .doesNotHaveDuplicates()
                .allMatch(scenario -> scenario.nodes() == 3);
        assertThat(ClusterPublishedCommand.severalNodes(published, "--cold"))
                .singleElement()
                .matches(scenario -> scenario.isCold() && scenario.voters() == 1);
        assertThat(ClusterPublishedCommand.severalNodes(published, "RMQTT")).hasSize(2);
    }
}
