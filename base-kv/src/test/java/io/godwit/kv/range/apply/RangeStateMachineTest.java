package io.godwit.kv.range.apply;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Iterator;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.coprocessor.RangeWrites;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.data.RocksResources;
import io.godwit.kv.range.state.RangeEntry;
import io.godwit.kv.range.state.RangeState;
import io.godwit.kv.testing.AppendCoprocessor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Entries driven by hand, on the files that a crash would leave: memtables are lost, both data and index. */
class RangeStateMachineTest {
    private static final RangeState ALL = RangeState.first(1, new RangeBounds(new byte[0], null), List.of("me"));

    @TempDir
    Path directory;

    private final RocksResources resources = new RocksResources(8 << 20, 4 << 20);
    private final List<String> events = new ArrayList<>();
    private final List<RangeDb> opened = new ArrayList<>();
    private RangeDb db;

    @BeforeEach
    void open() throws Exception {
        db = RangeDb.open(directory.resolve("db"), ALL, resources, true);
        opened.add(db);
    }

    @AfterEach
    void close() {
        opened.forEach(RangeDb::close);
        resources.close();
    }

    @Test
    void aCrashTakesDataAndIndexBackTogetherAndTheLogBringsThemForward() throws Exception {
        machine(new AppendCoprocessor()).onApply(new Entries(1, "k=a", "k=b"));
        assertThat(value("k")).isEqualTo("ab");
        assertThat(db.appliedIndex()).isEqualTo(2);

        crash();
        assertThat(value("k")).isEmpty();
        assertThat(db.appliedIndex()).isZero();

        machine(new AppendCoprocessor()).onApply(new Entries(1, "k=a", "k=b", "k=c"));
        assertThat(value("k")).isEqualTo("abc");
    }

    @Test
    void entriesThatComeAgainAreSkipped() {
        machine(new AppendCoprocessor()).onApply(new Entries(1, "k=a", "k=b"));
        machine(new AppendCoprocessor()).onApply(new Entries(1, "k=a", "k=b", "k=c"));
        assertThat(value("k")).isEqualTo("abc");
        assertThat(db.appliedIndex()).isEqualTo(3);
    }

    @Test
    void whatAThrowingEntryWroteIsDroppedWithItsBatchAndNobodyIsTold() {
        AppendCoprocessor failing = new AppendCoprocessor() {
            @Override
            public List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit) {
                afterCommit.accept(() -> events.add("effect"));
                List<byte[]> replies = super.apply(writes, mutations, afterCommit);
                if (new String(mutations.get(0), UTF_8).endsWith("=bad")) {
                    throw new IllegalStateException("planted");
                }
                return replies;
            }
        };
        RangeStateMachine machine = machine(failing);
        Entries entries = new Entries(1, "k=a", "k=bad", "k=c");
        machine.onApply(entries);

        assertThat(value("k")).isEmpty();
        assertThat(db.appliedIndex()).isZero();
        assertThat(entries.failed).isTrue();
        assertThat(events).containsExactly("fault apply entry group=test-1 appliedIndex=0");

        Entries later = new Entries(2, "k=d");
        machine.onApply(later);
        assertThat(later.failed).isTrue();
        assertThat(value("k")).isEmpty();
    }

    /** JRaft goes on after an error and repeats the same entries: they would count as applied. */
    @Test
    void memoryThatIsOutStopsTheRangeAsAnyOtherFailureDoes() {
        AppendCoprocessor failing = new AppendCoprocessor() {
            @Override
            public List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit) {
                if (new String(mutations.get(0), UTF_8).endsWith("=bad")) {
                    throw new OutOfMemoryError("planted");
                }
                return super.apply(writes, mutations, afterCommit);
            }
        };
        RangeStateMachine machine = machine(failing);
        Entries entries = new Entries(1, "k=a", "k=bad", "k=c");
        machine.onApply(entries);
        assertThat(entries.failed).isTrue();
        assertThat(events).containsExactly("fault apply entry group=test-1 appliedIndex=0");
        Entries again = new Entries(1, "k=a", "k=bad", "k=c");
        machine.onApply(again);
        assertThat(again.failed).isTrue();
        assertThat(value("k")).isEmpty();
    }

    /** Only a leader that nobody has deposed should stand again. */
    @Test
    void leaderThatIsUnheardIsToldFromOneThatIsDeposed() {
        RangeStateMachine machine = machine(new AppendCoprocessor());
        machine.onLeaderStop(new Status(RaftError.EHIGHERTERMREQUEST, "deposed"));
        machine.onLeaderStop(new Status(RaftError.ERAFTTIMEDOUT, "majority dies"));
        assertThat(events).containsExactly("leads no more, unheard=false", "leads no more, unheard=true");
    }

    @Test
    void effectsRunAfterTheCommitAndBeforeTheReplies() {
        RangeCoprocessor telling = new AppendCoprocessor() {
            @Override
            public List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit) {
                afterCommit.accept(() -> events.add("effect sees " + value("k")));
                return super.apply(writes, mutations, afterCommit);
            }
        };
        Entries entries = new Entries(1, "k=a", "k=b");
        entries.lead();
        machine(telling).onApply(entries);

        assertThat(events).containsExactly("effect sees ab", "effect sees ab", "replies a", "replies ab", "log grew");
    }

    @Test
    void aSnapshotThatIsNoNewerLeavesTheDatabaseAlone() throws Exception {
        RangeStateMachine machine = machine(new AppendCoprocessor());
        machine.onApply(new Entries(1, "k=a", "k=b"));
        assertThat(machine.onSnapshotLoad(new Snapshot(directory.resolve("nowhere"), 2)))
                .isTrue();
        assertThat(value("k")).isEqualTo("ab");
    }

    @Test
    void aNewerSnapshotReplacesTheDatabaseAndTheCoprocessorIsOpenedAgain() throws Exception {
        RangeStateMachine machine = machine(new AppendCoprocessor());
        machine.onApply(new Entries(1, "k=a", "k=b", "k=c"));
        Path snapshot = Files.createDirectories(directory.resolve("snapshot"));
        db.checkpoint(snapshot.resolve("db"));

        RangeDb other = RangeDb.open(directory.resolve("other"), ALL, resources, true);
        opened.add(other);
        db = other;
        List<String> seen = new ArrayList<>();
        RangeStateMachine behind = machine(new AppendCoprocessor() {
            @Override
            public void open(RangeBounds bounds, RangeReader reader) {
                seen.add(text(reader.get("k".getBytes(UTF_8))));
            }
        });
        behind.onApply(new Entries(1, "k=old"));
        assertThat(behind.onSnapshotLoad(new Snapshot(snapshot, 3))).isTrue();

        assertThat(seen).containsExactly("abc");
        assertThat(db.appliedIndex()).isEqualTo(3);
        behind.onApply(new Entries(3, "k=c", "k=d"));
        assertThat(value("k")).isEqualTo("abcd");
    }

    private RangeStateMachine machine(RangeCoprocessor coprocessor) {
        RangeStateMachine.Listener listener = new RangeStateMachine.Listener() {
            @Override
            public void applied(List<RangeStateMachine.AppliedEntry> entries) {
                entries.forEach(
                        entry -> events.add("replies " + text(entry.replies().get(0))));
            }

            @Override
            public void changed(RangeStateMachine.Changed change) {
                events.add((change.isApplied() ? "changed to epoch " : "still of epoch ")
                        + change.state().epoch());
            }

            @Override
            public void wrote(byte[] sample, int keys, long nanos) {}

            @Override
            public void leads(long term) {}

            @Override
            public void leadsNoMore(boolean isUnheard) {
                events.add("leads no more, unheard=" + isUnheard);
            }

            @Override
            public void splits() {}

            @Override
            public void bears(RangeState child) {
                throw new AssertionError("no split here makes a child: " + child);
            }

            @Override
            public void logGrew(long bytes) {
                events.add("log grew");
            }
        };
        events.clear();
        return new RangeStateMachine(
                "test-1", db, coprocessor, listener, (what, cause) -> events.add("fault " + what), Runnable::run);
    }

    /** Continues with a copy of the present files, which is what a killed process leaves. */
    private void crash() throws IOException {
        Path copy = directory.resolve("copy" + opened.size());
        Files.createDirectories(copy);
        try (Stream<Path> files = Files.list(db.directory())) {
            for (Path file : files.filter(path -> !path.endsWith("LOCK")).toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        db = RangeDb.open(copy, ALL, resources, false);
        opened.add(db);
    }

    private String value(String key) {
        return text(db.latest().get(key.getBytes(UTF_8)));
    }

    private static String text(byte @Nullable [] value) {
        return value == null ? "" : new String(value, UTF_8);
    }

    /** Committed entries of one mutation each, as JRaft passes them. */
    private static final class Entries implements Iterator {
        private final long firstIndex;
        private final List<byte[]> mutations = new ArrayList<>();
        private int at;
        private boolean leads;
        private boolean failed;

        Entries(long firstIndex, String... mutations) {
            this.firstIndex = firstIndex;
            for (String mutation : mutations) {
                this.mutations.add(mutation.getBytes(UTF_8));
            }
        }

        void lead() {
            leads = true;
        }

        @Override
        public boolean hasNext() {
            return at < mutations.size();
        }

        @Override
        public ByteBuffer next() {
            ByteBuffer data = getData();
            at++;
            return data;
        }

        @Override
        public ByteBuffer getData() {
            return ByteBuffer.wrap(RangeEntry.encode(List.of(mutations.get(at))));
        }

        @Override
        public long getIndex() {
            return firstIndex + at;
        }

        @Override
        public @Nullable Closure done() {
            if (!leads) {
                return null;
            }
            SealedEntry entry = new SealedEntry(List.of(), List.of(mutations.get(at)), 1);
            return new RangeStateMachine.EntryClosure() {
                @Override
                public SealedEntry entry() {
                    return entry;
                }

                @Override
                public void run(Status status) {}
            };
        }

        @Override
        public void setErrorAndRollback(long ntail, Status status) {
            failed = true;
        }

        @Override
        public void setAutoCommitPerLog(boolean status) {}

        @Override
        public long getTerm() {
            return 1;
        }

        @Override
        public boolean commit() {
            return false;
        }

        @Override
        public void commitAndSnapshotSync(Closure done) {}
    }

    /** A snapshot of an index in a directory. */
    private static final class Snapshot extends SnapshotReader {
        private final Path path;
        private final long index;

        Snapshot(Path path, long index) {
            this.path = path;
            this.index = index;
        }

        @Override
        public SnapshotMeta load() {
            return SnapshotMeta.newBuilder()
                    .setLastIncludedIndex(index)
                    .setLastIncludedTerm(1)
                    .build();
        }

        @Override
        public String getPath() {
            return path.toString();
        }

        @Override
        public String generateURIForCopy() {
            return "";
        }

        @Override
        public Set<String> listFiles() {
            return Set.of();
        }

        @Override
        public com.google.protobuf.@Nullable Message getFileMeta(String fileName) {
            return null;
        }

        @Override
        public boolean init(Void unused) {
            return true;
        }

        @Override
        public void shutdown() {}

        @Override
        public void close() {}
    }
}
