package io.godwit.dist.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.dist.client.SharedPick;
import io.godwit.dist.index.TopicIndex;
import io.godwit.dist.index.share.SharedStrategies;
import io.godwit.dist.member.view.CurrentView;
import io.godwit.dist.record.RecordStore.Change;
import io.godwit.dist.route.RouteCoprocessor;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.testing.InMemoryRangeHost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Changes of records in several ranges, by one node and by two. */
class RecordStoreTest {
    /** Lost with the process. */
    private RecordIndex index = new RecordIndex();

    private TopicIndex topics = new TopicIndex(new SharedStrategies(SharedPick.RANDOM));

    private final InMemoryRangeHost host = new InMemoryRangeHost(
            () -> new RouteCoprocessor(topics, new CurrentView(), index),
            List.of(RecordKeys.key("ban", "d"), RecordKeys.key("ban", "g")));

    private CompletableFuture<List<String>> confirmation = CompletableFuture.completedFuture(List.of());
    private CompletableFuture<Void> appliedHere = CompletableFuture.completedFuture(null);
    private Optional<String> lack = Optional.empty();
    private RecordStore store = store();

    private RecordStore store() {
        return new RecordStore(() -> host, index, new Confirming(), () -> lack, host::execute);
    }

    private final class Confirming implements RecordStore.Confirmation {
        @Override
        public CompletableFuture<List<String>> confirmed(Deadline deadline) {
            return confirmation;
        }

        @Override
        public CompletableFuture<Void> appliedHere(Deadline deadline) {
            return appliedHere;
        }
    }

    private void restart() {
        index = new RecordIndex();
        topics = new TopicIndex(new SharedStrategies(SharedPick.RANDOM));
        host.crashAndRestart();
        host.runUntilIdle();
        store = store();
    }

    @AfterEach
    void close() {
        host.close();
    }

    private CompletableFuture<@Nullable StoredRecord> put(String name, String value) {
        return store.change("ban", name, present -> Change.put(value.getBytes(UTF_8)), Deadline.afterMillis(60_000));
    }

    private static SortedMap<String, String> content(RecordIndex of) {
        SortedMap<String, String> content = new TreeMap<>();
        of.all("ban").forEach(record -> content.put(record.name(), new String(record.value(), UTF_8)));
        return content;
    }

    @Test
    void aChangeIsInForceWhenItCompletesAndAfterARestart() {
        assertThat(host.await(put("a", "1"))).isNull();
        assertThat(content(index)).containsEntry("a", "1");
        assertThat(host.await(put("a", "2"))).extracting(StoredRecord::value).isEqualTo("1".getBytes(UTF_8));
        host.await(put("f", "3"));
        restart();
        assertThat(content(index)).hasSize(2).containsEntry("a", "2").containsEntry("f", "3");
        host.await(store.change("ban", "a", present -> Change.DELETE, Deadline.afterMillis(60_000)));
        assertThat(host.await(store.change("ban", "z", present -> Change.DELETE, Deadline.afterMillis(60_000))))
                .isNull();
        restart();
        assertThat(content(index)).hasSize(1).containsEntry("f", "3");
    }

    /** A node of an earlier version would stop its range. */
    @Test
    void theFirstRecordWaitsForAllNodesToReadRecords() {
        lack = Optional.of("node b does not say that it reads records");
        assertThatThrownBy(() -> host.await(put("a", "1")))
                .hasRootCauseInstanceOf(RecordsRefusedException.class)
                .hasRootCauseMessage("node b does not say that it reads records");
        assertThat(index.isEmpty()).isTrue();
        assertThat(host.await(store.change("ban", "a", present -> Change.DELETE, Deadline.afterMillis(60_000))))
                .isNull();
        lack = Optional.empty();
        host.await(put("a", "1"));
        lack = Optional.of("node c is late"); // it has already applied records
        host.await(put("f", "2"));
        assertThat(content(index)).hasSize(2);
    }

    private CompletableFuture<RecordStore.Changed> changed(RecordStore by, Change change) {
        return by.changed("ban", "a", present -> change, Deadline.afterMillis(60_000));
    }

    /** It has no record yet, and may not write a question, because a member cannot be asked what it reads. */
    @Test
    void aNodeThatMayNotWriteAQuestionAppliesWhatIsCommittedBeforeItSaysThatThereIsNothing() {
        host.await(put("a", "1"));
        StoredRecord record = index.get("ban", "a");
        lack = Optional.of("node b cannot be asked");
        for (Change change : List.of(Change.KEEP, Change.DELETE)) {
            RecordIndex late = new RecordIndex();
            RecordStore behind = new RecordStore(() -> host, late, new Confirming(), () -> lack, host::execute);
            appliedHere = new CompletableFuture<>();
            CompletableFuture<RecordStore.Changed> asked = changed(behind, change);
            host.runUntilIdle();
            assertThat(asked).isNotDone();
            assertThat(content(index)).containsKey("a");

            late.stored(new RecordKeys.Key("ban", "a"), RecordKeys.stored(record.revision(), record.value()));
            appliedHere.complete(null);
            assertThat(host.await(asked).before())
                    .extracting(StoredRecord::value)
                    .isEqualTo("1".getBytes(UTF_8));
        }
        assertThat(content(index)).isEmpty();
    }

    @Test
    void aNodeThatCannotApplyWhatIsCommittedDoesNotSayThatThereIsNothing() {
        lack = Optional.of("node b cannot be asked");
        appliedHere = CompletableFuture.failedFuture(new RangeException(RangeException.Cause.TIMEOUT, "no leader"));
        host.runUntilIdle();
        long entries = host.appliedEntries();
        for (Change nothing : List.of(Change.DELETE, Change.KEEP)) {
            assertThatThrownBy(() -> host.await(changed(store, nothing))).hasRootCauseInstanceOf(RangeException.class);
        }
        assertThat(host.appliedEntries()).as("nothing is written").isEqualTo(entries);
    }

    /** The removal before it was answered with the members that may still have the record. */
    @Test
    void theRemovalOfAnAbsentRecordNamesMembersThatHaveNotConfirmedIt() {
        confirmation = CompletableFuture.completedFuture(List.of("b"));
        for (Optional<String> each : List.of(Optional.<String>empty(), Optional.of("node b cannot be asked"))) {
            lack = each;
            assertThat(host.await(changed(store, Change.DELETE)).unconfirmed()).containsExactly("b");
            assertThat(host.await(changed(store, Change.KEEP)).unconfirmed()).isEmpty();
        }
    }

    @Test
    void whoWasSecondDecidesAnewByWhatIsThereNow() {
        List<CompletableFuture<@Nullable StoredRecord>> changes = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            changes.add(store.change(
                    "ban",
                    "a",
                    present -> Change.put(new byte[present == null ? 1 : present.value().length + 1]),
                    Deadline.afterMillis(60_000)));
        }
        changes.forEach(host::await);
        assertThat(index.get("ban", "a").value()).as("no change was lost").hasSize(20);
    }

    /** The leader is lost after the commit, and the node asks the next one again; also much later. */
    @Test
    void mutationsThatComeTwiceCountOnce() {
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            String name = "n" + seed;
            Repeating repeating = new Repeating(random);
            RecordStore one =
                    new RecordStore(() -> repeating, index, deadline -> confirmation, () -> lack, host::execute);
            RecordStore other =
                    new RecordStore(() -> repeating, index, deadline -> confirmation, () -> lack, host::execute);
            List<CompletableFuture<@Nullable StoredRecord>> changes = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                changes.add((random.nextBoolean() ? one : other)
                        .change(
                                "ban",
                                name,
                                present -> Change.put(new byte[present == null ? 1 : present.value().length + 1]),
                                Deadline.afterMillis(60_000)));
                for (int steps = random.nextInt(6); steps > 0; steps--) {
                    host.runOne();
                }
            }
            changes.forEach(host::await);
            repeating.repeatAll();
            host.runUntilIdle();
            assertThat(index.get("ban", name).value()).as("seed %s", seed).hasSize(40);
        }
    }

    /** Sends old mutations once more. */
    private final class Repeating implements RangeClient {
        @SuppressWarnings("ArrayRecordComponent") // never compared
        private record Sent(byte[] key, byte[] mutation) {}

        private final Random random;
        private final List<Sent> sent = new ArrayList<>();

        Repeating(Random random) {
            this.random = random;
        }

        private void repeat(Sent again) {
            host.mutate(again.key, again.mutation, Deadline.afterMillis(60_000));
        }

        void repeatAll() {
            sent.forEach(this::repeat);
        }

        @Override
        public CompletableFuture<byte[]> mutate(byte[] key, byte[] mutation, Deadline deadline) {
            sent.add(new Sent(key, mutation));
            CompletableFuture<byte[]> answer = host.mutate(key, mutation, deadline);
            if (random.nextBoolean()) {
                repeat(sent.get(random.nextInt(sent.size())));
            }
            return answer;
        }

        @Override
        public CompletableFuture<byte[]> relieve(byte[] key, byte[] mutation, Deadline deadline) {
            return mutate(key, mutation, deadline);
        }

        @Override
        public CompletableFuture<byte[]> query(byte[] key, byte[] query, Deadline deadline) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<byte[]> query(byte[] key, byte @Nullable [] end, byte[] query, Deadline deadline) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void submit(byte[] key, LeaderRequest request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void submitParts(int count, IntFunction<byte[]> keys, Function<int[], LeaderRequest> requests) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<byte[]> rangeKeys(byte[] start, byte @Nullable [] end) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void onlyOneOfManyMakesARecord() {
        List<CompletableFuture<@Nullable StoredRecord>> changes = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            byte[] value = {(byte) i};
            changes.add(store.change(
                    "token",
                    "t",
                    present -> present == null ? Change.put(value) : Change.KEEP,
                    Deadline.afterMillis(60_000)));
        }
        assertThat(changes.stream().map(host::await).filter(before -> before == null))
                .hasSize(1);
    }

    @Test
    void whatIsCommittedIsDoneThoughNotAllNodesConfirmIt() {
        confirmation = new CompletableFuture<>();
        CompletableFuture<@Nullable StoredRecord> change = put("a", "1");
        host.runUntilIdle();
        assertThat(change).isNotDone();
        confirmation.completeExceptionally(new RangeException(RangeException.Cause.OVERLOADED, "cut off"));
        host.await(change);
        assertThat(content(index)).containsEntry("a", "1");
    }

    @Test
    void aConfirmationThatNeverComesIsNotWaitedForUntilTheDeadline() {
        List<Deadline> confirmedBy = new ArrayList<>();
        RecordStore waiting = new RecordStore(
                () -> host,
                index,
                by -> {
                    confirmedBy.add(by);
                    return new CompletableFuture<>();
                },
                Optional::empty,
                host::execute);
        Deadline deadline = Deadline.afterMillis(2_000);
        CompletableFuture<@Nullable StoredRecord> change =
                waiting.change("ban", "a", present -> Change.put(new byte[1]), deadline);
        host.runUntilIdle();
        long now = System.nanoTime();
        assertThat(confirmedBy)
                .singleElement()
                .satisfies(by -> assertThat(by.remainingNanos(now)).isLessThan(deadline.remainingNanos(now)));
        assertThat(change).succeedsWithin(Duration.ofSeconds(60));
    }

    @Test
    void aStoreThatIsNotOpenSaysSo() {
        RecordStore closed = new RecordStore(() -> null, index, deadline -> confirmation, () -> lack, host::execute);
        assertThat(closed.change("ban", "a", present -> Change.DELETE, Deadline.afterMillis(1_000)))
                .isCompletedExceptionally();
        assertThatThrownBy(() -> host.await(put("a", "x".repeat(20_000))))
                .hasRootCauseInstanceOf(IllegalArgumentException.class);
    }

    /** The commit of a change whose decision was about an older record. */
    @Test
    void aRemovalOnANodeThatIsBehindAsksTheLeader() {
        RecordStore behind =
                new RecordStore(() -> host, new RecordIndex(), deadline -> confirmation, () -> lack, host::execute);
        host.await(put("a", "1"));
        StoredRecord removed =
                host.await(behind.change("ban", "a", present -> Change.DELETE, Deadline.afterMillis(60_000)));
        assertThat(removed).extracting(StoredRecord::value).isEqualTo("1".getBytes(UTF_8));
        assertThat(content(index)).isEmpty();
        assertThat(host.await(behind.change("ban", "a", present -> Change.DELETE, Deadline.afterMillis(60_000))))
                .isNull();
    }

    @Test
    void aNodeThatIsBehindKeepsNothingBecauseOfAnOldRecord() {
        RecordStore behind =
                new RecordStore(() -> host, new RecordIndex(), deadline -> confirmation, () -> lack, host::execute);
        host.await(put("a", "1"));
        List<@Nullable String> decidedAbout = new ArrayList<>();
        StoredRecord kept = host.await(behind.change(
                "ban",
                "a",
                present -> {
                    decidedAbout.add(present == null ? null : new String(present.value(), UTF_8));
                    return Change.KEEP;
                },
                Deadline.afterMillis(60_000)));
        assertThat(decidedAbout).containsExactly(null, "1");
        assertThat(kept).extracting(StoredRecord::value).isEqualTo("1".getBytes(UTF_8));
        assertThat(content(index)).containsEntry("a", "1");
    }

    /** A question is written to the log like a change, but frees nothing. */
    @Test
    void aQuestionIsNotWrittenToADiskThatIsNearlyFull() {
        host.await(put("a", "1"));
        long entries = host.appliedEntries();
        host.refuseAdditions();
        for (Change nothing : List.of(Change.DELETE, Change.KEEP)) {
            assertThatThrownBy(() ->
                            host.await(store.change("ban", "z", present -> nothing, Deadline.afterMillis(60_000))))
                    .hasRootCauseInstanceOf(RangeException.class);
        }
        assertThat(host.appliedEntries()).isEqualTo(entries);
        host.await(store.change("ban", "a", present -> Change.DELETE, Deadline.afterMillis(60_000)));
        assertThat(content(index)).as("a removal relieves the disk").isEmpty();
    }

    @Test
    void aChangeNamesMembersThatHaveNotConfirmedIt() {
        confirmation = CompletableFuture.completedFuture(List.of("b"));
        host.await(put("a", "1"));
        assertThat(host.await(store.changed("ban", "a", present -> Change.DELETE, Deadline.afterMillis(60_000)))
                        .unconfirmed())
                .containsExactly("b");
        confirmation = CompletableFuture.failedFuture(new IllegalStateException("not known"));
        assertThat(host.await(store.changed(
                                "ban", "a", present -> Change.put(new byte[1]), Deadline.afterMillis(60_000)))
                        .unconfirmed())
                .containsExactly(RecordStore.UNKNOWN_MEMBERS);
    }

    /** Listeners and the index must match the stored records, over restarts and any order of changes. */
    @Test
    void listenersAndTheIndexHaveWhatIsStored() {
        for (int seed = 0; seed < 30; seed++) {
            Random random = new Random(seed);
            SortedMap<String, String> expected = content(index);
            Listening listening = new Listening();
            index.listen("ban", listening);
            assertThat(listening.content).isEqualTo(expected);
            for (int i = 0; i < 60; i++) {
                String name = String.valueOf((char) ('a' + random.nextInt(10)));
                String value = "v" + random.nextInt();
                if (random.nextInt(3) == 0) {
                    host.await(store.change("ban", name, present -> Change.DELETE, Deadline.afterMillis(60_000)));
                    expected.remove(name);
                } else {
                    host.await(put(name, value));
                    expected.put(name, value);
                }
                assertThat(content(index)).as("seed %s", seed).isEqualTo(expected);
                assertThat(listening.content).as("seed %s", seed).isEqualTo(expected);
            }
            restart();
            assertThat(content(index)).as("seed %s", seed).isEqualTo(expected);
        }
    }

    private static final class Listening implements RecordIndex.Listener {
        private final SortedMap<String, String> content = new TreeMap<>();

        @Override
        public void stored(StoredRecord record) {
            content.put(record.name(), new String(record.value(), UTF_8));
        }

        @Override
        public void gone(String name) {
            assertThat(content.remove(name)).isNotNull();
        }
    }
}
