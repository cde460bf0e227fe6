package io.godwit.broker.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.testing.Await;
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
import org.junit.jupiter.params.provider.CsvSource;

/** The scripts that the pods of the Helm chart run, with stand-ins for the programs that they call. */
class ChartScriptsTest {
    private static final Path SCRIPTS = Path.of("..", "helm", "godwit", "files").toAbsolutePath();
    private static final String SELF = "1bd229a6-6e0b-4c39-a3cf-c7b2f59dbb10";
    private static final String CLUSTER = "1c1d7a36-5d4c-4c7b-9f0f-0a8de7a7d1f2";

    @TempDir
    private Path directory;

    private Path calls;
    private Path scaledIn;
    private Path log;
    private final Map<String, String> environment = new HashMap<>();

    private record Run(int code, String said) {}

    @BeforeEach
    void installStandIns() throws Exception {
        calls = directory.resolve("calls");
        Files.createFile(calls);
        Path state = Files.createDirectories(directory.resolve("state"));
        scaledIn = state.resolve("scaled-in");
        Files.writeString(directory.resolve("seeds"), "a:8899,b:8899");
        log = Files.createFile(directory.resolve("log"));
        environment.put("PODS_LOG", log.toString());
        environment.putAll(Map.of(
                "PODS_HOME", directory.toString(),
                "PODS_STATE", state.toString(),
                "CHART_SEEDS", directory.resolve("seeds").toString(),
                "CHART_CLUSTER_PORT", "8899",
                "CHART_STATEFUL_SET", "godwit",
                "CHART_DRAIN_SECONDS", "30",
                "CHART_SCALE_IN_SECONDS", "900",
                "CHART_PAUSE", "0.01",
                "POD_NAME", "godwit-0",
                "POD_IP", "10.0.0.7"));
        install("standalone.sh", "echo \"broker $*\" >>" + calls + "\nenv | grep ^GODWIT_ | sort >>" + calls);
        admin("kubernetes*) echo staying ;;");
    }

    private void install(String name, String body) throws IOException {
        Path script = Files.createDirectories(directory.resolve("bin")).resolve(name);
        Files.writeString(script, "#!/usr/bin/env bash\n" + body + "\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
    }

    /** @param answers how godwit-admin answers, as clauses of a case over its arguments */
    private void admin(String... answers) throws IOException {
        install(
                "godwit-admin",
                "echo \"admin $*\" >>" + calls + "\ncase \"$*\" in\n" + String.join("\n", answers) + "\nesac");
    }

    /** As {@code members --json} prints it: a node has fields of the same names deeper inside. */
    private static String members() {
        return "*members*) printf '{\\n  \"clusterId\": \"" + CLUSTER + "\",\\n  \"self\": \"" + SELF
                + "\",\\n  \"nodes\": [\\n    {\\n      \"self\": \"other\"\\n    }\\n  ]\\n}\\n' ;;";
    }

    private Process begin(Path script, String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of("bash", script.toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("GODWIT_"));
        builder.environment().putAll(environment);
        return builder.start();
    }

    private Run run(String script) throws Exception {
        Process process = begin(SCRIPTS.resolve(script));
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Run(process.exitValue(), said);
    }

    private List<String> calls() throws IOException {
        return Files.readAllLines(calls);
    }

    @ParameterizedTest
    @CsvSource({
        "godwit-0, , true",
        "godwit-1, , false",
        "godwit-10, , false",
        "godwit-0, " + CLUSTER + ", false",
        "godwit-2, " + CLUSTER + ", false"
    })
    void onlyTheFirstPodMayFoundAndNobodyOnceThatIsNoted(String pod, String noted, String bootstrap) throws Exception {
        environment.put("POD_NAME", pod);
        environment.put("GODWIT_BOOTSTRAP", "true");
        environment.put("GODWIT_CLUSTER_CONFIG_FOUND_ALONE", "true");
        if (noted != null) {
            environment.put("CHART_CLUSTER_ID", noted);
        }
        Run run = run("start.sh");
        assertThat(run.code()).as(run.said()).isZero();
        assertThat(calls())
                .contains("GODWIT_BOOTSTRAP=" + bootstrap, "GODWIT_CLUSTER_CONFIG_FOUND_ALONE=false")
                .startsWith("broker start -f --config /etc/godwit/standalone.yml --data " + directory
                        + "/state/data --log -");
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.7, 10.0.0.7:8899", "fd00::7, [fd00::7]:8899"})
    void aPodAloneIsItsOwnSeedByItsAddress(String address, String seed) throws Exception {
        Files.writeString(directory.resolve("seeds"), "");
        environment.put("POD_IP", address);
        assertThat(run("start.sh").code()).isZero();
        assertThat(calls())
                .contains("GODWIT_CLUSTER_CONFIG_HOST=" + address, "GODWIT_CLUSTER_CONFIG_SEED_ENDPOINTS=" + seed);
    }

    @Test
    void severalPodsHaveTheSeedsOfTheChart() throws Exception {
        assertThat(run("start.sh").code()).isZero();
        assertThat(calls())
                .contains("GODWIT_CLUSTER_CONFIG_SEED_ENDPOINTS=a:8899,b:8899")
                .noneMatch(line -> line.startsWith("GODWIT_CLUSTER_CONFIG_ZONE="));
    }

    @Test
    void theZoneIsThatOfTheNode() throws Exception {
        environment.put("CHART_NODE_NAME", "worker-3");
        admin("'kubernetes zone worker-3') echo eu-1a ;;");
        assertThat(run("start.sh").code()).isZero();
        assertThat(calls()).contains("GODWIT_CLUSTER_CONFIG_ZONE=eu-1a");
    }

    @Test
    void aPodThatCannotLearnItsZoneDoesNotStart() throws Exception {
        environment.put("CHART_NODE_NAME", "worker-3");
        admin("'kubernetes zone worker-3') echo 'not allowed' >&2; exit 3 ;;");
        Run run = run("start.sh");
        assertThat(run.code()).isEqualTo(3);
        assertThat(run.said()).contains("not allowed");
        assertThat(calls()).noneMatch(line -> line.startsWith("broker"));
    }

    /** Otherwise no broker would come back while the API server of Kubernetes is down. */
    @ParameterizedTest
    @CsvSource({"worker-3, eu-1a, 0", "worker-3, '', 0", "worker-30, eu-1a, 3"})
    void aPodThatIsStillOnItsNodeTakesTheZoneOfItsLastStart(String before, String zone, int code) throws Exception {
        environment.put("CHART_NODE_NAME", before);
        admin("'kubernetes zone " + before + "') echo '" + zone + "' ;;");
        assertThat(run("start.sh").code()).isZero();
        Files.writeString(calls, "");
        environment.put("CHART_NODE_NAME", "worker-3");
        admin("*) echo 'no answer' >&2; exit 3 ;;");
        Run run = run("start.sh");
        assertThat(run.code()).as(run.said()).isEqualTo(code);
        if (code != 0) {
            assertThat(calls()).noneMatch(line -> line.startsWith("broker"));
        } else if (zone.isEmpty()) {
            assertThat(calls())
                    .anyMatch(line -> line.startsWith("broker start"))
                    .noneMatch(line -> line.startsWith("GODWIT_CLUSTER_CONFIG_ZONE="));
        } else {
            assertThat(calls()).contains("GODWIT_CLUSTER_CONFIG_ZONE=" + zone);
        }
    }

    @Test
    void aPodThatComesBackDrainsItsClientsOnly() throws Exception {
        assertThat(run("stop.sh").code()).isZero();
        assertThat(calls())
                .startsWith(
                        "admin kubernetes leaving godwit godwit-0",
                        "broker stop --data " + directory + "/state/data --drain 30");
        assertThat(scaledIn).doesNotExist();
    }

    @Test
    void aPodThatIsScaledInHandsOverFirst() throws Exception {
        environment.put("POD_NAME", "godwit-4");
        admin("kubernetes*) echo leaving ;;", members());
        assertThat(run("stop.sh").code()).isZero();
        assertThat(calls())
                .containsSubsequence(
                        "admin --data " + directory + "/state/data drain " + SELF + " --reduce --patience 900",
                        "broker stop --data " + directory + "/state/data --drain 30");
        assertThat(scaledIn).exists();
    }

    /** A link to nowhere: as on a full disk, the file cannot be created, but another one can get its name. */
    private Path nothingCanBeCreated() throws IOException {
        Path room = directory.resolve("room");
        Files.createSymbolicLink(scaledIn, room.resolve("scaled-in"));
        return room;
    }

    @Test
    void aPodIsNoLongerDrainedAlthoughItsDiskWasFullWhenItWasScaledIn() throws Exception {
        assertThat(run("start.sh").code()).isZero();
        environment.put("POD_NAME", "godwit-4");
        admin("kubernetes*) echo leaving ;;", members());
        nothingCanBeCreated();
        assertThat(run("stop.sh").code()).isZero();
        assertThat(scaledIn).isRegularFile();
        assertThat(log).content().doesNotContain("the disk is full");

        assertThat(run("start.sh").code()).isZero();
        assertThat(scaledIn).exists();
        assertThat(run("started.sh").code()).isZero();
        assertThat(calls()).endsWith("admin --data " + directory + "/state/data drain " + SELF + " --cancel");
        assertThat(scaledIn).doesNotExist();
    }

    @Test
    void aFullDiskHasRoomForTheNoteOnceReplicasAreHandedOver() throws Exception {
        Path room = nothingCanBeCreated();
        admin("kubernetes*) echo leaving ;;", members(), "*drain*) mkdir " + room + " ;;");
        assertThat(run("stop.sh").code()).isZero();
        assertThat(scaledIn).exists();
        assertThat(log).content().doesNotContain("the disk is full");
    }

    @Test
    void aPodThatCannotNoteThatItIsScaledInSaysHowToEndItsDrain() throws Exception {
        nothingCanBeCreated();
        admin("kubernetes*) echo leaving ;;", members());
        assertThat(run("stop.sh").code()).isZero();
        assertThat(log).content().contains("the disk is full", "godwit-admin drain " + SELF + " --cancel");
        assertThat(calls()).anyMatch(line -> line.startsWith("broker stop"));
    }

    @Test
    void whatFailsBeforeTheStopDoesNotKeepItFromStopping() throws Exception {
        admin("kubernetes*) echo leaving ;;", members(), "*drain*) exit 4 ;;");
        assertThat(run("stop.sh").code()).isZero();
        assertThat(calls()).anyMatch(line -> line.startsWith("broker stop"));
        Files.delete(scaledIn);
        admin("*) exit 3 ;;");
        assertThat(run("stop.sh").code()).isZero();
        assertThat(calls().stream().filter(line -> line.startsWith("broker stop")))
                .hasSize(2);
        assertThat(scaledIn).doesNotExist();
    }

    @Test
    void anAnswerThatIsLostIsAskedForAgain() throws Exception {
        environment.put("POD_NAME", "godwit-4");
        Path tries = directory.resolve("tries");
        String first = "echo x >>" + tries + "; [ $(($(wc -l <" + tries + ") % 2)) = 0 ] || exit 3\n  ";
        admin(
                "kubernetes*) " + first + "echo leaving ;;",
                "*members*) " + first + members().substring("*members*) ".length()));
        assertThat(run("stop.sh").code()).isZero();
        assertThat(calls())
                .contains("admin --data " + directory + "/state/data drain " + SELF + " --reduce --patience 900");
    }

    /** Several pods are scaled in at the same time: two that stop too early may be the majority of a range. */
    @Test
    void aHandoverThatFailsIsTriedAgain() throws Exception {
        environment.put("POD_NAME", "godwit-4");
        Path tries = directory.resolve("tries");
        admin(
                "kubernetes*) echo leaving ;;",
                members(),
                "*drain*) echo x >>" + tries + "; case $(wc -l <" + tries + ") in 1) exit 1 ;; 2) exit 137 ;; esac ;;");
        assertThat(run("stop.sh").code()).isZero();
        String drain = "admin --data " + directory + "/state/data drain " + SELF + " --reduce --patience ";
        assertThat(calls().stream().filter(line -> line.startsWith(drain))).hasSize(3);
        assertThat(calls()).last().asString().startsWith("broker stop");
        assertThat(log).content().doesNotContain("could not hand over");
    }

    @Test
    void whatTheEndOfAPodSaysIsInItsLog() throws Exception {
        environment.put("CHART_SCALE_IN_SECONDS", "0");
        admin("kubernetes*) echo leaving ;;", members(), "*drain*) echo 'a replica is left'; exit 8 ;;");
        assertThat(run("stop.sh").said()).isEmpty();
        assertThat(log).content().contains("is scaled in", "a replica is left", "could not hand over everything");
    }

    @Test
    void aPodWithoutALogStopsAllTheSame() throws Exception {
        environment.put("PODS_LOG", directory.resolve("nowhere/log").toString());
        assertThat(run("stop.sh").code()).isZero();
        assertThat(calls()).anyMatch(line -> line.startsWith("broker stop"));
    }

    /** Process 1 of a container is ended only by signals for which it has a handler. */
    @Test
    void aSignalEndsAStartOfAPodThatIsUnderWay() throws Exception {
        environment.put("CHART_NODE_NAME", "worker-3");
        Path go = directory.resolve("go");
        admin("kubernetes*) " + until(go) + " echo eu-1a ;;");
        signalEnds(begin(SCRIPTS.resolve("start.sh")), "admin kubernetes zone", go);
    }

    @Test
    void aSignalEndsAStartOfTheBrokerThatIsUnderWay() throws Exception {
        Path go = directory.resolve("go");
        install(
                "java",
                "echo \"java $*\" >>" + calls + "\ncase \"$*\" in\n-version) " + until(go)
                        + " echo 'openjdk version \"17.0.1\"' ;;\n"
                        + "*Main*) echo \"broker $*\" >>" + calls + " ;;\nesac");
        environment.put("JAVA_HOME", directory.toString());
        Path script = Files.copy(
                Path.of("..", "bin", "standalone.sh"), directory.resolve("bin").resolve("start-it.sh"));
        String data = directory.resolve("state").toString();
        signalEnds(begin(script, "start", "-f", "--data", data, "--log", "-"), "java -version", go);
    }

    /** Waits for a file; ends as well when the directory of the test is gone. */
    private static String until(Path file) {
        return "until [ -e " + file + " ] || [ ! -e \"$0\" ]; do read -rt 0.05 <> <(:); done;";
    }

    private void signalEnds(Process start, String underWay, Path go) throws Exception {
        try {
            Await.until(underWay, () -> calls().stream().anyMatch(line -> line.startsWith(underWay)));
            String caught = Files.readAllLines(Path.of("/proc/" + start.pid() + "/status")).stream()
                    .filter(line -> line.startsWith("SigCgt:"))
                    .findFirst()
                    .orElseThrow()
                    .substring("SigCgt:".length())
                    .strip();
            assertThat(Long.parseUnsignedLong(caught, 16) & (1L << 14))
                    .as("the process handles SIGTERM (15)")
                    .isNotZero();
            start.destroy();
            Files.createFile(go);
            assertThat(start.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(start.exitValue()).isEqualTo(143);
            assertThat(calls()).noneMatch(line -> line.startsWith("broker"));
        } finally {
            start.destroyForcibly();
        }
    }

    @Test
    void aPodThatIsWantedAgainIsNoLongerDrained() throws Exception {
        Files.createFile(scaledIn);
        Path tries = directory.resolve("tries");
        admin(
                "*members*) echo x >>" + tries + "; [ $(wc -l <" + tries + ") -gt 2 ] || exit 3\n  "
                        + members().substring("*members*) ".length()),
                "*cancel*) ;;");
        assertThat(run("started.sh").code()).isZero();
        assertThat(calls()).endsWith("admin --data " + directory + "/state/data drain " + SELF + " --cancel");
        assertThat(scaledIn).doesNotExist();
    }

    @Test
    void whatAnOperatorDrainsStaysDrained() throws Exception {
        assertThat(run("started.sh").code()).isZero();
        assertThat(calls()).isEmpty();
    }

    @Test
    void aDrainThatCannotBeEndedDoesNotEndThePod() throws Exception {
        Files.createFile(scaledIn);
        environment.put("CHART_TRIES", "2");
        admin("*) exit 3 ;;");
        Run run = run("started.sh");
        assertThat(run.code()).isZero();
        assertThat(log).content().contains("it is marked as draining");
        assertThat(scaledIn).exists();
    }

    @Test
    void theJobNotesTheClusterOnceItIsThere() throws Exception {
        environment.put("CHART_FIRST_POD", "godwit-0.godwit-nodes:8900");
        environment.put("CHART_SECRET", "godwit-cluster");
        environment.put("CHART_TLS", "/etc/godwit-nodes");
        Path tries = directory.resolve("tries");
        admin("*members*) echo x >>" + tries + "; [ $(wc -l <" + tries + ") -gt 2 ] || exit 3\n  "
                + members().substring("*members*) ".length()));
        Run run = run("founded.sh");
        assertThat(run.code()).as(run.said()).isZero();
        assertThat(calls())
                .startsWith("admin --rpc godwit-0.godwit-nodes:8900 --tls-cert /etc/godwit-nodes/tls.crt"
                        + " --tls-key /etc/godwit-nodes/tls.key --tls-ca /etc/godwit-nodes/ca.crt --json members")
                .endsWith("admin kubernetes note-cluster " + CLUSTER + " --secret godwit-cluster");
    }
}
