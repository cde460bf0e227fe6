package io.godwit.broker.admin;

import static io.godwit.broker.admin.FakeNode.A;
import static io.godwit.broker.admin.FakeNode.B;
import static io.godwit.broker.admin.FakeNode.C;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.godwit.broker.admin.action.RangeActions;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.AdminMethods;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.cluster.rpc.LocalAccess;
import io.godwit.cluster.rpc.RpcConnection;
import io.godwit.kv.balance.ActionOutcome;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command connected over RPC to a node in memory, which reaches a second one. */
class AdminTest {
    @TempDir
    private Path data;

    private AdminFixture fixture;
    private FakeNode node;
    private FakeNode other;
    private String out = "";
    private String err = "";

    @BeforeEach
    void serve() throws Exception {
        fixture = new AdminFixture(data);
        node = fixture.node;
        other = fixture.other;
    }

    @AfterEach
    void stop() throws Exception {
        fixture.close();
    }

    private int run(String... args) {
        int code = fixture.run(args);
        out = fixture.out;
        err = fixture.err;
        return code;
    }

    private JsonObject json() {
        return JsonParser.parseString(out).getAsJsonObject();
    }

    @Test
    void membersAreListedForPeopleAndForPrograms() {
        assertThat(run("members")).isZero();
        assertThat(out.lines()).hasSize(5).last().isEqualTo("voters wanted of each range: inbox 2");
        assertThat(FakeNode.words(out.lines().toList().get(1)))
                .containsExactly(
                        "aaaaaaaa",
                        "10.0.0.a:8900",
                        "alive",
                        "zone-a",
                        "1.0",
                        "1",
                        "2",
                        "25",
                        "%",
                        "1.0",
                        "GiB",
                        "asked");
        assertThat(run("members", "--json")).isZero();
        assertThat(json().get("self").getAsString()).isEqualTo(A);
        assertThat(json().getAsJsonArray("nodes")).hasSize(3);
        assertThat(json().getAsJsonArray("nodes")
                        .get(2)
                        .getAsJsonObject()
                        .get("liveness")
                        .getAsString())
                .isEqualTo("DOWN");
    }

    /** An operator who wonders why nothing moves looks here first. */
    @Test
    void membersShowWhatOperatorsHavePaused() {
        assertThat(run("balancers", "inbox", "--pause", "split", "--node", "bbbb"))
                .isZero();
        assertThat(run("members")).isZero();
        assertThat(out).containsPattern("(?m)^bbbbbbbb .* paused: inbox split *$");
        assertThat(run("members", "--json")).isZero();
        assertThat(json().getAsJsonArray("nodes")
                        .get(1)
                        .getAsJsonObject()
                        .getAsJsonArray("pausedBalancers")
                        .get(0)
                        .getAsString())
                .isEqualTo("inbox split");
    }

    @Test
    void aPauseMayEndByItself() {
        assertThat(run("balancers", "inbox", "--pause", "split", "--for", "600"))
                .isZero();
        assertThat(out).containsPattern("(?m)^aaaaaaaa .*split .*paused, (600|5[0-9][0-9]) s left");
        assertThat(run("balancers", "inbox", "--resume", "split")).isZero();
        assertThat(out).doesNotContain("paused");
        assertThat(run("balancers", "inbox", "--for", "60")).isEqualTo(4);
        assertThat(run("balancers", "inbox", "--pause", "split", "--for", "86401"))
                .isEqualTo(4);
    }

    @Test
    void rangesAreListedByKeyWithTheirVoters() {
        assertThat(run("ranges", "inbox")).isZero();
        assertThat(FakeNode.words(out.lines().toList().get(1)))
                .containsExactly(
                        "1", "4", "-", "\\x80", "5.0", "MiB", "12", "40", "bbbbbbbb", "aaaaaaaa,bbbbbbbb", "-", "-");
        assertThat(out.lines()).last().isEqualTo("voters wanted of each range: 2");
        node.inbox.wanted = 3;
        assertThat(run("ranges", "inbox")).isZero();
        assertThat(out).contains("voters wanted of each range: 3; 2 of 2 have fewer");
        assertThat(run("--json", "ranges", "inbox")).isZero();
        assertThat(json().get("wantedVoters").getAsInt()).isEqualTo(3);
        JsonObject last = json().getAsJsonArray("ranges").get(1).getAsJsonObject();
        assertThat(last.get("end").isJsonNull()).isTrue();
        assertThat(last.get("leader").getAsString()).isEqualTo(A);
    }

    @Test
    void aRangeIsCutWhereToldAndJoinedAgain() {
        assertThat(run("split", "inbox", "1", "--at", "2F")).isZero();
        assertThat(out).contains("range 1 of inbox is cut in two");
        assertThat(node.inbox.tiling()).containsExactly("1 -2f", "2 80-", "70 2f-80");
        assertThat(run("merge", "inbox", "1")).isZero();
        assertThat(node.inbox.tiling()).containsExactly("1 -80", "2 80-");
    }

    /** Ids of ranges that come from splits are long numbers. */
    @Test
    void rangesAreShownAndNamedByTheirFirstDigits() {
        node.inbox.ranges.set(1, new FakeNode.FakeRange(587_236_412_343L, 9, "80", "", List.of(A, B), List.of(), A));
        assertThat(run("ranges", "inbox")).isZero();
        assertThat(out).containsPattern("(?m)^587236 +9 ").doesNotContain("587236412343");
        assertThat(run("split", "inbox", "587236", "--at", "90")).as(err).isZero();
        assertThat(node.inbox.asked.get(0).rangeId()).isEqualTo(587_236_412_343L);
        assertThat(run("split", "inbox", "5872"))
                .as("the given digits are too few to identify a range")
                .isEqualTo(6);

        node.inbox.ranges.add(new FakeNode.FakeRange(587_236_999_999L, 9, "c0", "", List.of(A), List.of(), A));
        assertThat(run("ranges", "inbox")).isZero();
        assertThat(out).containsPattern("(?m)^5872364 ").containsPattern("(?m)^5872369 ");
        assertThat(run("split", "inbox", "587236")).isEqualTo(6);
        assertThat(err).contains("may be each of 587236412343, 587236999999");
    }

    @Test
    void keysAreShownReadablyAndTakenAsTheyAreShown() {
        assertThat(run("split", "inbox", "1", "--at", "07646566612f5c20")).isZero();
        assertThat(run("ranges", "inbox")).isZero();
        assertThat(out).contains(" \\x07defa/\\\\\\x20 ");
        assertThat(run("merge", "inbox", "1")).isZero();
        assertThat(run("split", "inbox", "1", "--at", "\\x07defa/\\\\\\x20")).isZero();
        assertThat(node.inbox.tiling()).contains("70 07646566612f5c20-80");
    }

    @Test
    void aKeyThatIsNoneIsAWrongUsage() {
        for (String key : List.of("zz", "xy", "8", "\\y", "\\x0")) {
            assertThat(run("split", "inbox", "1", "--at", key)).as(key).isEqualTo(2);
            assertThat(err).startsWith("godwit-admin: the key must be in hexadecimal");
        }
        assertThat(node.inbox.asked).isEmpty();
    }

    @Test
    void aKeyOutsideTheRangeIsRefused() {
        for (String key : List.of("80", "90")) {
            assertThat(run("split", "inbox", "1", "--at", key)).as(key).isEqualTo(4);
            assertThat(err).startsWith("godwit-admin: the key must");
        }
        assertThat(run("split", "inbox", "2", "--at", "80")).isEqualTo(4);
        assertThat(run("merge", "inbox", "2")).isEqualTo(4);
        assertThat(err).contains("range 2 is the last one of inbox");
        assertThat(node.inbox.asked).isEmpty();
    }

    /** Pauses that others set or end while balancers rest stay in effect after the rest. */
    @Test
    void theEndOfAMoveLeavesThePausesOfOthers() {
        assertThat(run("balancers", "inbox", "--pause", "merge", "--node", "aaaa"))
                .isZero();
        node.inbox.meanwhile = () -> node.inbox.balance().pause("split").join();
        assertThat(run("move", "inbox", "1", "--from", "bbbb", "--to", "cccc")).isZero();
        assertThat(states(node)).containsExactlyInAnyOrder("merge", "split");
        assertThat(node.inbox.pausedWhenAsked)
                .as("the balancers are paused during the move")
                .containsExactly(6L);
        assertThat(run("balancers", "inbox", "--resume", "split", "--node", "aaaa"))
                .isZero();
        assertThat(states(node)).containsExactly("merge");
    }

    @Test
    void aMoveTakesStepByStepAndWaitsForTheCopy() {
        node.promotionsRefused.set(2);
        assertThat(run("balancers", "inbox", "--pause", "merge", "--node", "aaaa"))
                .isZero();
        assertThat(run("move", "inbox", "1", "--from", "bbbb", "--to", "cccc")).isZero();
        assertThat(out)
                .containsSubsequence(
                        "add-learner cccccccc: done",
                        "promote cccccccc: refused (it has not caught up)",
                        "promote cccccccc: done",
                        "move-leader cccccccc: done",
                        "remove bbbbbbbb: done",
                        "has its voters on aaaaaaaa,cccccccc");
        assertThat(node.inbox.ranges.get(0).leader()).isEqualTo(C);
        assertThat(node.inbox.pausedWhenAsked)
                .as("the balancers are paused during the move")
                .containsExactly(6L);
        assertThat(states(node)).as("paused balancers after the move").containsExactly("merge");
        assertThat(states(other)).isEmpty();
        // again: there is nothing left to do
        int asked = node.inbox.asked.size();
        assertThat(run("move", "inbox", "1", "--from", "bbbb", "--to", "cccc")).isZero();
        assertThat(node.inbox.asked).hasSize(asked);
        assertThat(run("move", "inbox", "1", "--from", "bbbb", "--to", "bbbb")).isEqualTo(4);
    }

    /** Nothing would be moved, and one of two copies would be lost. */
    @Test
    void aMoveOntoAVoterIsRefusedUnlessALossIsMeant() {
        assertThat(run("move", "inbox", "2", "--from", "aaaa", "--to", "bbbb")).isEqualTo(4);
        assertThat(err)
                .contains(
                        "node bbbbbbbb is a voter of range 2 already",
                        "would keep 1 voter of 2 (wanted: 2)",
                        "--reduce");
        assertThat(node.inbox.asked).isEmpty();
        assertThat(node.inbox.find(2).voters()).hasSize(2);
        assertThat(run("move", "inbox", "2", "--from", "aaaa", "--to", "bbbb", "--reduce"))
                .isZero();
        assertThat(node.inbox.find(2).voters()).containsExactly(FakeNode.B);
    }

    /** A move that was interrupted after adding the new voter leaves one voter more than wanted. */
    @Test
    void anInterruptedMoveGoesOn() {
        node.inbox.wanted = 1;
        assertThat(run("move", "inbox", "2", "--from", "aaaa", "--to", "bbbb")).isZero();
        assertThat(node.inbox.find(2).voters()).containsExactly(FakeNode.B);
    }

    @Test
    void fewerVotersAreWantedOnlyWhenItIsMeant() {
        assertThat(run("replicas", "inbox")).isZero();
        assertThat(out).isEqualToIgnoringNewLines("voters wanted of each range: 2");
        assertThat(run("replicas", "inbox", "1")).isEqualTo(4);
        assertThat(err).contains("not done: 2 ranges would lose copies");
        assertThat(node.inbox.wanted).isEqualTo(2);
        assertThat(run("replicas", "inbox", "1", "--yes")).isZero();
        assertThat(node.inbox.wanted).isEqualTo(1);
        assertThat(run("replicas", "inbox", "3")).isZero();
        assertThat(out).contains("wanted: 3");
        assertThat(run("replicas", "inbox", "many")).isEqualTo(2);
        assertThat(run("replicas", "inbx", "3")).isEqualTo(6);
    }

    @Test
    void aNodeThatIsGoneIsForgotten() {
        assertThat(run("forget", "bbbb")).isEqualTo(4);
        assertThat(err).contains("is running");
        assertThat(run("forget", "cccc")).isZero();
        assertThat(out).contains("is forgotten");
        assertThat(run("members")).isZero();
        assertThat(out.lines().filter(line -> line.startsWith("cccccccc")))
                .allMatch(line -> line.contains("forgotten"));
        assertThat(run("forget", "dddd")).isEqualTo(6);
    }

    @Test
    void aDrainIsNotDoneWhileNobodyCanTellWhatIsLeft() {
        node.unclearAnswers = 4;
        assertThat(run("drain", "bbbb")).isZero();
        assertThat(out)
                .containsSubsequence(
                        "0 replicas are left, as far as can be told: some keys of inbox have no range",
                        "it is safe to stop");
    }

    @Test
    void aDrainThatGivesUpRedundancyIsRefusedUnlessItIsMeant() {
        node.reduction = "2 ranges of inbox with 3 voters would have 2";
        assertThat(run("drain", "bbbb")).isEqualTo(4);
        assertThat(err).contains("not done: 2 ranges of inbox with 3 voters would have 2");
        assertThat(node.isBDraining).isFalse();
        assertThat(run("drain", "bbbb", "--reduce")).isZero();
        assertThat(out).containsSubsequence("would have 2", "it is safe to stop");
    }

    @Test
    void aLeaderIsMovedToAVoterOnly() {
        assertThat(run("transfer", "inbox", "1", "--to", "cccc")).isEqualTo(4);
        assertThat(err).contains("no voter of range 1, only aaaaaaaa,bbbbbbbb are");
        assertThat(run("transfer", "inbox", "1", "--to", "10.0.0.a:8900")).isZero();
        assertThat(node.inbox.ranges.get(0).leader()).isEqualTo(A);
    }

    /** The node that is asked knows the state of another one only from its last report. */
    @Test
    void aDrainIsAnsweredByAReportThatKnowsOfIt() {
        node.oldReports = 2;
        assertThat(run("drain", "bbbb", "--no-wait", "--json")).isZero();
        assertThat(json().get("isDraining").getAsBoolean()).isTrue();
        node.oldReports = 2;
        assertThat(run("drain", "bbbb", "--cancel", "--json")).isZero();
        assertThat(json().get("isDraining").getAsBoolean()).isFalse();
    }

    @Test
    void aDrainedNodeIsSafeToStop() {
        assertThat(run("drain", "bbbb")).isZero();
        assertThat(out).contains("nothing is left on it, it is safe to stop");
        assertThat(run("members")).isZero();
        assertThat(out).contains("draining");
        assertThat(run("drain", "bbbb", "--cancel")).isZero();
        assertThat(out).contains("bbbbbbbb stays");
        assertThat(run("drain", "cccc")).isEqualTo(4);
        assertThat(err).contains("is not running");
    }

    @Test
    void recoveryOnlyTellsUnlessItIsMeant() {
        assertThat(run("recover", "inbox", "--lost", "cccc")).isZero();
        assertThat(out).contains("range 1 goes on with " + A, "nothing was done yet");
        assertThat(node.inbox.isRecovered).isFalse();
        assertThat(run("recover", "inbox", "--lost", "cccc", "--yes")).isZero();
        assertThat(node.inbox.isRecovered).isTrue();
        assertThat(run("recover", "inbox", "--lost", "bbbb,cccc", "--yes")).isEqualTo(4);
        assertThat(err).contains("is a member");
        assertThat(run("recover", "inbox", "--yes"))
                .as("recover needs the option --lost")
                .isEqualTo(2);
    }

    @Test
    void balancersAreListedAndChangedOnEveryNodeThatIsThere() {
        assertThat(run("balancers", "inbox")).isZero();
        assertThat(out.lines().filter(line -> line.startsWith("aaaaaaaa"))).hasSize(6);
        assertThat(out.lines().filter(line -> line.startsWith("bbbbbbbb"))).hasSize(6);
        assertThat(run("balancers", "inbox", "--pause", "split")).isZero();
        assertThat(states(node)).containsExactly("split");
        assertThat(states(other)).containsExactly("split");
        assertThat(run("balancers", "inbox", "--resume", "split", "--node", "bbbb"))
                .isZero();
        assertThat(states(node)).containsExactly("split");
        assertThat(states(other)).isEmpty();
        assertThat(run("balancers", "inbox", "--tune", "replica-count", "--set", "graceSeconds=5", "--json"))
                .isZero();
        JsonObject first = json().getAsJsonArray("nodes").get(0).getAsJsonObject();
        assertThat(first.getAsJsonArray("balancers").toString()).contains("\"graceSeconds\":\"5\"");
    }

    private static List<String> states(FakeNode of) {
        return of.inbox.balance().list().join().stream()
                .filter(status -> status.isPaused())
                .map(status -> status.name())
                .toList();
    }

    @Test
    void whatIsWrongWithABalancersSettingIsTold() {
        assertThat(run("balancers", "inbox", "--tune", "split", "--set", "nonsense=1"))
                .isEqualTo(4);
        assertThat(err).contains("has no setting \"nonsense\"");
        assertThat(run("balancers", "inbox", "--pause", "nobody")).isEqualTo(4);
        assertThat(err).contains("there is no balancer \"nobody\"");
        assertThat(run("balancers", "inbox", "--tune", "split")).isEqualTo(4);
        assertThat(err).contains("--tune and --set go together");
    }

    @Test
    void whatIsNotThereIsToldApart() {
        assertThat(run("ranges", "inbx")).isEqualTo(6);
        assertThat(err).contains("there is no store \"inbx\", only [inbox]");
        assertThat(run("split", "inbox", "99")).isEqualTo(6);
        assertThat(err).contains("has no range 99");
        assertThat(run("drain", "dddd")).isEqualTo(6);
        assertThat(err).contains("there is no node \"dddd\", only aaaaaaaa, bbbbbbbb, cccccccc");
        assertThat(run("nonsense")).isEqualTo(2);
        assertThat(run("split", "inbox", "one")).isEqualTo(2);
    }

    @Test
    void aRangeThatHasChangedMeanwhileIsLeftAlone() throws Exception {
        try (AdminClient client = client(null)) {
            Messages.Range seen = client.range("inbox", 1);
            assertThat(run("split", "inbox", "1")).isZero();
            Messages.Result result = client.call(
                    AdminMethods.CARRY_OUT,
                    new RangeActions(client, "inbox").action(Messages.ActionKind.SPLIT, seen, "20", ""));
            assertThat(result.outcome()).isEqualTo(ActionOutcome.STALE);
            assertThat(catchThrowableOfType(AdminException.class, () -> RangeActions.check(result))
                            .kind()
                            .exitCode())
                    .isEqualTo(5);
        }
    }

    private AdminClient client(@Nullable String token) throws Exception {
        LocalAccess access = LocalAccess.read(data.resolve(Admin.ACCESS_FILE));
        return new AdminClient(
                RpcConnection.local(token == null ? access : new LocalAccess(access.address(), token)),
                "it",
                Duration.ofSeconds(10));
    }

    @Test
    void aNodeThatIsNotThereIsToldApart() throws Exception {
        Path access = data.resolve(Admin.ACCESS_FILE);
        String text = Files.readString(access);
        Files.writeString(access, text.replaceAll("token=.*", "token=00"));
        assertThat(run("members")).isEqualTo(3);
        assertThat(err).contains("does not let you in");
        fixture.close();
        assertThat(run("members")).isEqualTo(3);
        assertThat(err).contains("no broker runs on " + data);
        Files.writeString(access, text);
        assertThat(run("members")).as("a killed broker has left its file").isEqualTo(3);
        assertThat(err).contains("is not reachable");
        assertThat(run("members", "--data", data + "/none")).isEqualTo(3);
        assertThat(err).contains("there is no data directory");
        assertThat(run("members", "--rpc", "127.0.0.1:1")).isEqualTo(3);
        assertThat(run("members", "--rpc", "nowhere")).isEqualTo(2);
        assertThat(run("members", "--rpc", "127.0.0.1:1", "--tls-cert", "x")).isEqualTo(4);
        assertThat(err).contains("TLS needs all three");
        assertThat(run("members", "--rpc", "127.0.0.1:1", "--tls-cert", "x", "--tls-key", "x", "--tls-ca", "x"))
                .isEqualTo(3);
        assertThat(err).contains("no such file: x");
    }

    /** A message of another release, perhaps; it is refused with an error and not dropped. */
    @Test
    void aMessageThatLacksSomethingIsRefused() throws Exception {
        try (AdminClient client = client(null)) {
            AdminException refused =
                    catchThrowableOfType(AdminException.class, () -> client.call(LENIENT_RANGES, "{}"));
            assertThat(refused.kind()).isEqualTo(AdminException.Kind.REFUSED);
            assertThat(refused).hasMessageContaining("the message has no store");
        }
    }

    private static final MethodDescriptor<String, String> LENIENT_RANGES = MethodDescriptor.<String, String>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(AdminMethods.RANGES.getFullMethodName())
            .setRequestMarshaller(new TextMarshaller())
            .setResponseMarshaller(new TextMarshaller())
            .build();

    private static final class TextMarshaller implements MethodDescriptor.Marshaller<String> {
        @Override
        public InputStream stream(String value) {
            return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
