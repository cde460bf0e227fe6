package io.godwit.it.kv.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.it.kv.history.Linearizability.Verdict;
import io.godwit.it.kv.history.Linearizability.Violation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinearizabilityTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final List<Operation> history = new ArrayList<>();

    @Test
    void oneAfterTheOtherIsFine() {
        done(0, 1, Request.read("k"), Reply.value(null));
        done(2, 3, Request.write("k", "a"), Reply.ok());
        done(4, 5, Request.read("k"), Reply.value("a"));
        done(6, 7, Request.cas("k", "a", "b"), Reply.ok());
        done(8, 9, Request.cas("k", "a", "c"), Reply.mismatch("b"));
        done(10, 11, Request.read("k"), Reply.value("b"));
        assertLinearizable();
    }

    @Test
    void whatOverlapsMayBeInEitherOrder() {
        done(0, 10, Request.write("k", "a"), Reply.ok());
        done(1, 9, Request.write("k", "b"), Reply.ok());
        done(2, 3, Request.read("k"), Reply.value("b"));
        done(4, 5, Request.read("k"), Reply.value("a"));
        assertLinearizable();
    }

    @Test
    void keysDoNotKnowOfEachOther() {
        done(0, 1, Request.write("k", "a"), Reply.ok());
        done(2, 3, Request.write("l", "b"), Reply.ok());
        done(4, 5, Request.read("k"), Reply.value("a"));
        done(6, 7, Request.read("m"), Reply.value(null));
        assertLinearizable();
    }

    @Test
    void aWriteInDoubtMayNeverTakeEffect() {
        done(0, 1, Request.write("k", "a"), Reply.ok());
        done(2, 3, Request.write("k", "b"), Reply.unknown("TIMEOUT"));
        done(4, 5, Request.read("k"), Reply.value("a"));
        done(6, 7, Request.read("k"), Reply.value("a"));
        assertLinearizable();
    }

    @Test
    void aWriteInDoubtMayTakeEffectLongAfterItsReply() {
        done(0, 1, Request.write("k", "a"), Reply.ok());
        done(2, 3, Request.write("k", "b"), Reply.unknown("TIMEOUT"));
        done(4, 5, Request.read("k"), Reply.value("a"));
        done(6, 7, Request.write("k", "c"), Reply.ok());
        done(8, 9, Request.read("k"), Reply.value("c"));
        done(10, 11, Request.read("k"), Reply.value("b"));
        assertLinearizable();
    }

    @Test
    void aWriteInDoubtTakesEffectOnce() {
        done(0, 1, Request.write("k", "b"), Reply.unknown("TIMEOUT"));
        done(2, 3, Request.read("k"), Reply.value("b"));
        done(4, 5, Request.write("k", "c"), Reply.ok());
        done(6, 7, Request.read("k"), Reply.value("c"));
        done(8, 9, Request.read("k"), Reply.value("b"));
        assertThat(violation().core()).hasSize(4);
    }

    @Test
    void whatACompareAndSetInDoubtMustHaveSeenCounts() {
        done(0, 1, Request.write("k", "a"), Reply.ok());
        done(2, 3, Request.write("k", "b"), Reply.ok());
        done(4, 5, Request.cas("k", "a", "c"), Reply.unknown("TIMEOUT"));
        done(6, 7, Request.read("k"), Reply.value("c"));
        assertThat(violation().core()).hasSize(4);
    }

    @Test
    void aChainOfCompareAndSetsInDoubtIsFollowed() {
        done(0, 1, Request.write("k", "a"), Reply.unknown("TIMEOUT"));
        done(2, 3, Request.cas("k", "a", "b"), Reply.unknown("TIMEOUT"));
        done(4, 5, Request.cas("k", "b", "c"), Reply.unknown("TIMEOUT"));
        done(6, 7, Request.read("k"), Reply.value(null));
        done(8, 9, Request.read("k"), Reply.value("c"));
        assertLinearizable();
        done(10, 11, Request.read("k"), Reply.value("a"));
        violation();
    }

    @Test
    void aReadThatIsOpenOrFailedSaysNothing() {
        done(0, 1, Request.write("k", "a"), Reply.ok());
        done(2, 3, Request.read("k"), Reply.unknown("TIMEOUT"));
        done(4, Operation.NEVER, Request.read("k"), Reply.unknown("open"));
        assertLinearizable();
    }

    @Test
    void aStaleReadIsFound() {
        done(0, 1, Request.write("k", "a"), Reply.ok());
        done(2, 3, Request.write("k", "b"), Reply.ok());
        done(4, 5, Request.read("k"), Reply.value("a"));
        assertThat(violation().core()).isEqualTo(history);
    }

    @Test
    void aStaleReadBehindAFreshOneIsFound() {
        done(0, 1, Request.write("k", "a"), Reply.ok());
        done(2, 20, Request.write("k", "b"), Reply.ok());
        done(3, 4, Request.read("k"), Reply.value("b"));
        done(5, 6, Request.read("k"), Reply.value("a"));
        assertThat(violation().core()).hasSize(4);
    }

    @Test
    void aLostWriteIsFound() {
        done(0, 1, Request.write("k", "a"), Reply.ok());
        done(2, 3, Request.read("k"), Reply.value(null));
        assertThat(violation().core()).isEqualTo(history);
    }

    @Test
    void aDoubleApplyIsFound() {
        done(0, 10, Request.write("k", "a"), Reply.ok());
        done(1, 2, Request.read("k"), Reply.value("a"));
        done(3, 4, Request.write("k", "b"), Reply.ok());
        done(5, 6, Request.read("k"), Reply.value("b"));
        done(7, 8, Request.read("k"), Reply.value("a"));
        violation();
    }

    @Test
    void aCompareAndSetOnAnOldValueIsFound() {
        done(0, 1, Request.write("k", "a"), Reply.ok());
        done(2, 3, Request.write("k", "b"), Reply.ok());
        done(4, 5, Request.cas("k", "a", "c"), Reply.ok());
        assertThat(violation().core()).isEqualTo(history);
    }

    @Test
    void twoCompareAndSetsOnTheSameValueAreFound() {
        done(0, 1, Request.write("k", "a"), Reply.ok());
        done(2, 5, Request.cas("k", "a", "b"), Reply.ok());
        done(3, 6, Request.cas("k", "a", "c"), Reply.ok());
        assertThat(violation().core()).isEqualTo(history);
    }

    @Test
    void aCompareAndSetThatWasToldToHaveFailedAndSetIsFound() {
        done(0, 1, Request.write("k", "a"), Reply.ok());
        done(2, 3, Request.cas("k", "a", "b"), Reply.mismatch("b"));
        done(4, 5, Request.read("k"), Reply.value("b"));
        assertThat(violation().reason()).contains("though its writer was told");
    }

    @Test
    void aReadFromTheFutureIsFound() {
        done(0, 1, Request.read("k"), Reply.value("a"));
        done(2, 3, Request.write("k", "a"), Reply.ok());
        Violation found = violation();
        assertThat(found.reason()).contains("before anybody had asked");
        assertThat(found.core()).isEqualTo(history);
    }

    @Test
    void aReadOfAWriteInDoubtFromTheFutureIsFound() {
        done(0, 1, Request.read("k"), Reply.value("a"));
        done(2, 3, Request.write("k", "a"), Reply.unknown("TIMEOUT"));
        assertThat(violation().reason()).contains("before anybody had asked");
    }

    @Test
    void aValueThatNobodyWroteIsFound() {
        done(0, 1, Request.read("k"), Reply.value("x"));
        assertThat(violation().reason()).contains("nobody wrote");
    }

    @Test
    void aValueThatSurelyWasNotWrittenIsFound() {
        done(0, 1, Request.write("k", "a"), Reply.fail("DISK_FULL"));
        done(2, 3, Request.read("k"), Reply.value("a"));
        assertThat(violation().reason()).contains("though its writer was told");
    }

    @Test
    void aValueWrittenTwiceCannotBeJudged() {
        done(0, 1, Request.write("k", "a"), Reply.ok());
        done(2, 3, Request.write("k", "a"), Reply.ok());
        assertThatThrownBy(this::verdict).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatTheTimeWasNotEnoughForIsNotPassed() {
        List<Operation> long1 = new GeneratedHistory(1).operations(20_000, 1, 12);
        Verdict verdict = Linearizability.check(long1, Duration.ZERO);
        assertThat(verdict.undecided()).isNotEmpty();
        assertThat(verdict.isLinearizable()).isFalse();
    }

    /** The search against trying out every order of every subset. */
    @Test
    void agreesWithTryingEveryOrder() {
        int bad = 0;
        for (int seed = 0; seed < 20_000; seed++) {
            List<Operation> small = randomAnswers(new Random(seed));
            boolean expected = EveryOrder.isLinearizable(small);
            Verdict verdict = Linearizability.check(small, PATIENCE);
            assertThat(verdict.isLinearizable())
                    .withFailMessage("seed %s, expected %s: %s\n%s", seed, expected, verdict, small)
                    .isEqualTo(expected);
            if (!expected) {
                bad++;
                List<Operation> core = verdict.violations().get(0).core();
                assertThat(EveryOrder.isLinearizable(core))
                        .withFailMessage("seed %s: the proof proves nothing: %s\n%s", seed, verdict, small)
                        .isFalse();
            }
        }
        assertThat(bad).isBetween(2_000, 18_000);
    }

    @Test
    void generatedHistoriesAreAccepted() {
        for (int seed = 0; seed < 30; seed++) {
            Verdict verdict =
                    Linearizability.check(new GeneratedHistory(seed).operations(2_000, 3, 2 + seed % 10), PATIENCE);
            assertThat(verdict.isLinearizable())
                    .withFailMessage("seed %s: %s", seed, verdict)
                    .isTrue();
        }
    }

    @Test
    @Tag("full")
    void aHundredThousandOperationsAreJudgedInSeconds() {
        List<Operation> operations = new GeneratedHistory(7).operations(100_000, 40, 16);
        Verdict verdict = Linearizability.check(operations, Duration.ofSeconds(30));
        assertThat(verdict.isLinearizable()).withFailMessage(verdict::toString).isTrue();
    }

    @Test
    @Tag("full")
    void oneStaleReadAmongTensOfThousandsIsFoundAndShownAlone() {
        for (int seed = 0; seed < 5; seed++) {
            List<Operation> operations = new ArrayList<>(new GeneratedHistory(seed).operations(30_000, 10, 8));
            Operation stale = GeneratedHistory.makeStale(operations, new Random(seed));
            Verdict verdict = Linearizability.check(operations, PATIENCE);
            assertThat(verdict.violations()).withFailMessage(verdict::toString).hasSize(1);
            assertThat(verdict.violations().get(0).core()).contains(stale).hasSizeLessThan(8);
        }
    }

    @Test
    void aHistoryIsReadBackAsItWasWritten() throws Exception {
        Path file = directory.resolve("history");
        List<Operation> written;
        try (History live = new History(file)) {
            live.returned(live.invoked("a", Request.write("k", "v1")), Reply.ok());
            live.note("killed\tn1");
            live.returned(live.invoked("b", Request.cas("k", null, "v2")), Reply.mismatch("v1"));
            live.returned(live.invoked("b", Request.cas("k", "v1", "v3")), Reply.unknown("no answer after 5000 ms"));
            live.returned(live.invoked("a", Request.read("l")), Reply.value(null));
            live.returned(live.invoked("a", Request.write("l", "v4")), Reply.fail("OVERLOADED: much"));
            live.invoked("c", Request.read("k"));
            written = live.operations();
            assertThat(live.count(Reply.Kind.FAIL)).isEqualTo(1);
        }
        assertThat(History.load(file)).isEqualTo(written);
        assertThat(Files.readString(file)).contains("killed");
    }

    private void done(long invoked, long returned, Request request, Reply reply) {
        history.add(new Operation(history.size(), "c", request, invoked, returned, reply));
    }

    private Verdict verdict() {
        return Linearizability.check(history, PATIENCE);
    }

    private void assertLinearizable() {
        Verdict verdict = verdict();
        assertThat(verdict.isLinearizable()).withFailMessage(verdict::toString).isTrue();
    }

    private Violation violation() {
        Verdict verdict = verdict();
        assertThat(verdict.violations()).withFailMessage(verdict::toString).hasSize(1);
        return verdict.violations().get(0);
    }

    /** A few operations with replies out of the blue, of which many do not fit. */
    private static List<Operation> randomAnswers(Random random) {
        int count = 2 + random.nextInt(5);
        List<Operation> operations = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long invoked = random.nextInt(12);
            long returned = invoked + 1 + random.nextInt(6);
            Request request = switch (random.nextInt(4)) {
                case 0, 1 -> Request.read("k");
                case 2 -> Request.write("k", "v" + i);
                default -> Request.cas("k", randomValue(random, count), "v" + i);
            };
            operations.add(new Operation(i, "c" + i, request, invoked, returned, randomReply(random, request, count)));
        }
        return operations;
    }

    private static Reply randomReply(Random random, Request request, int count) {
        if (random.nextInt(3) == 0 && request.kind() != Request.Kind.READ) {
            return random.nextInt(4) == 0 ? Reply.fail("x") : Reply.unknown("x");
        }
        return switch (request.kind()) {
            case READ -> Reply.value(randomValue(random, count));
            case WRITE -> Reply.ok();
            case CAS -> {
                String found = randomValue(random, count);
                yield random.nextBoolean() && !java.util.Objects.equals(found, request.expected())
                        ? Reply.mismatch(found)
                        : Reply.ok();
            }
        };
    }

    private static @Nullable String randomValue(Random random, int count) {
        int number = random.nextInt(count + 1);
        return number == count ? null : "v" + number;
    }
}
