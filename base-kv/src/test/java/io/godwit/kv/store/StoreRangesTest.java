package io.godwit.kv.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.LogId;
import com.alipay.sofa.jraft.entity.PeerId;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.raft.RaftGroups;
import io.godwit.kv.raft.log.SharedLogStorage;
import io.godwit.kv.raft.log.SharedRaftLog;
import io.godwit.kv.raft.log.SharedRaftMeta;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.data.BufferedWrites;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.data.RocksResources;
import io.godwit.kv.range.replica.DiskRoom;
import io.godwit.kv.range.replica.RangeEnvironment;
import io.godwit.kv.range.replica.RangeSettings;
import io.godwit.kv.range.state.RangeState;
import io.godwit.kv.testing.AppendCoprocessor;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replicas that come by splits and by requests of other nodes, on real files. Their Raft groups do nothing. */
class StoreRangesTest {
    private static final RaftGroup.Membership MEMBERS = new RaftGroup.Membership(List.of("me", "other"), List.of());
    private static final RangeState CHILD =
            RangeState.settled(7, 2, new RangeBounds("m".getBytes(UTF_8), null), MEMBERS);

    private static final RangeDescriptor EMPTY =
            RangeDescriptor.of("test", CHILD).joinedAt(3);

    @TempDir
    Path data;

    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    private RocksResources rocks;
    private SharedRaftLog log;
    private RangeDb parent;
    private StoreRanges ranges;
    private final List<String> started = new ArrayList<>();
    private @Nullable Runnable whileMade;
    private Runnable whileClosed = () -> {};

    @BeforeEach
    void open() throws Exception {
        rocks = new RocksResources(8 << 20, 4 << 20);
        log = SharedRaftLog.open(data.resolve("raft-log"), (what, cause) -> {
            throw new AssertionError(what, cause);
        });
        RangeState all = RangeState.settled(1, 1, new RangeBounds(new byte[0], null), MEMBERS);
        RangeDb.open(data.resolve("parent"), all, rocks, true).close();
        parent = RangeDb.open(data.resolve("parent"), all, rocks, false);
        RaftGroups groups = (RaftGroups) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {RaftGroups.class}, (proxy, method, args) -> {
                    if (!method.getName().equals("start")) {
                        throw new AssertionError(method.getName());
                    }
                    started.add((String) args[0]);
                    return group((String) args[0]);
                });
        Executor here = Runnable::run;
        RangeEnvironment environment = new RangeEnvironment(
                groups,
                here,
                here,
                here,
                here,
                timers,
                System::nanoTime,
                () -> DiskRoom.AMPLE,
                new LongAdder(),
                RangeSettings.DEFAULT);
        ranges = new StoreRanges(
                new StoreSpec("test", this::coprocessor, List.of()),
                new StoreFiles(data, data.resolve("raft-log"), log, rocks, "me", false),
                environment,
                (what, cause) -> {
                    throw new AssertionError(what, cause);
                });
    }

    private RaftGroup group(String groupId) {
        return (RaftGroup) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {RaftGroup.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "lastLogIndex" -> log.lastIndex(groupId);
                    case "close" -> {
                        whileClosed.run();
                        yield null;
                    }
                    default -> throw new AssertionError(method.getName());
                });
    }

    /** Made for a replica whose files exist and which is not in the list yet. */
    private RangeCoprocessor coprocessor() {
        Runnable task = whileMade;
        whileMade = null;
        if (task != null) {
            task.run();
        }
        return new AppendCoprocessor();
    }

    @AfterEach
    void close() {
        parent.close();
        timers.shutdownNow();
        log.close();
        rocks.close();
    }

    /** Members that have applied a split call a node that is late with it, and it asks for a replica. */
    @Test
    void noRequestMakesAReplicaThatASplitIsMaking() throws Exception {
        RangeDescriptor descriptor = RangeDescriptor.of("test", CHILD);
        Throwable[] refusal = {null};
        whileMade = () -> refusal[0] = catchThrowable(() -> ranges.join(descriptor));
        Range child = Objects.requireNonNull(ranges.bear(CHILD, parent));
        assertThat(refusal[0]).isInstanceOf(IOException.class).hasMessageContaining("is being made by a split here");
        assertThat(ranges.find(7)).isSameAs(child);
        assertThatCode(() -> ranges.join(descriptor))
                .as("a request when it is here")
                .doesNotThrowAnyException();
        assertThat(ranges.find(7)).isSameAs(child);
        child.close();
    }

    private Range makeEmpty() throws IOException {
        ranges.join(EMPTY);
        return Objects.requireNonNull(ranges.find(7));
    }

    private SharedRaftMeta votes() {
        return new SharedRaftMeta(log, "test-7", true);
    }

    private void append(long index) {
        LogEntry entry = new LogEntry(EntryType.ENTRY_TYPE_DATA);
        entry.setId(new LogId(index, 5));
        entry.setData(ByteBuffer.allocate(1));
        assertThat(new SharedLogStorage(log, "test-7", true).appendEntry(entry)).isTrue();
    }

    /** The other members have called this node for more than three seconds before it applies the split. */
    @Test
    void aSplitMakesABlankReplicaAgainWithTheData() throws Exception {
        BufferedWrites writes = parent.newWrites();
        writes.put("p".getBytes(UTF_8), "value".getBytes(UTF_8));
        parent.commit(writes, 1);
        Range blank = makeEmpty();
        assertThat(votes().setTermAndVotedFor(5, PeerId.emptyPeer())).isTrue();

        Range child = Objects.requireNonNull(ranges.bear(CHILD, parent));

        assertThat(child).isNotSameAs(blank);
        assertThat(ranges.find(7)).isSameAs(child);
        assertThat(blank.ended()).as("requests that waited go to the new one").isNotNull();
        assertThat(child.state()).isEqualTo(CHILD);
        assertThat(child.hasAppliedNothing()).isFalse();
        assertThat(log.lastIndex("test-7")).isEqualTo(1);
        assertThat(votes().getTerm()).as("terms do not fall").isEqualTo(5);
        assertThat(votes().getVotedFor().isEmpty()).isTrue();
        assertThat(registered()).containsExactly(EMPTY.toString());
        assertThat(data.resolve("test/range-7/snapshot/snapshot_1")).isDirectory();
        ranges.start(child);
        assertThat(started).containsExactly("test-7", "test-7");
        assertThat(ranges.bear(CHILD, parent)).as("a replayed split").isNull();
        assertThat(ranges.find(7)).isSameAs(child);
        child.close();
    }

    private List<String> registered() throws IOException {
        List<String> all = new ArrayList<>();
        for (var entry : log.descriptors()) {
            all.add(RangeDescriptor.decode(entry.getValue()).toString());
        }
        return all;
    }

    private void assertIsNotReplaced(Range before) throws IOException {
        assertThat(ranges.bear(CHILD, parent)).isNull();
        assertThat(ranges.find(7)).isSameAs(before);
        assertThat(before.ended()).isNull();
        assertThat(registered()).containsExactly(EMPTY.toString());
        before.close();
    }

    /** It could vote a second time in the same term. */
    @Test
    void aReplicaThatHasVotedIsNotReplaced() throws Exception {
        Range voted = makeEmpty();
        assertThat(votes().setTermAndVotedFor(5, PeerId.parsePeer("other:0"))).isTrue();
        assertIsNotReplaced(voted);
        assertThat(votes().getVotedFor()).isEqualTo(PeerId.parsePeer("other:0"));
    }

    /** It may have helped to commit the entry. */
    @Test
    void aReplicaWithAnEntryIsNotReplaced() throws Exception {
        Range stored = makeEmpty();
        append(1);
        assertIsNotReplaced(stored);
        assertThat(log.lastIndex("test-7")).isEqualTo(1);
    }

    @Test
    void aReplicaWithASnapshotIsNotReplaced() throws Exception {
        Range copied = makeEmpty();
        Path snapshot = Files.createDirectories(data.resolve("test/range-7/snapshot/snapshot_9"));
        assertIsNotReplaced(copied);
        assertThat(snapshot).exists();
    }

    /** The replica before it may have voted, and its votes are forgotten. */
    @Test
    void aReplicaThatComesAfterAnotherOneIsNotReplaced() throws Exception {
        makeEmpty();
        ranges.leave(7, 3).join();
        assertThat(ranges.find(7)).isNull();
        assertThat(ranges.bear(CHILD, parent)).isNull();
        assertIsNotReplaced(makeEmpty());
    }

    /** What comes until the group has stopped counts: then the replica goes on as it is. */
    @Test
    void aReplicaThatGetsAnEntryAtTheLastMomentGoesOn() throws Exception {
        Range stopped = makeEmpty();
        whileClosed = () -> {
            whileClosed = () -> {};
            append(1);
        };
        assertThat(ranges.bear(CHILD, parent)).isNull();
        Range again = Objects.requireNonNull(ranges.find(7));
        assertThat(again).isNotSameAs(stopped);
        assertThat(started).containsExactly("test-7", "test-7");
        assertThat(log.lastIndex("test-7")).isEqualTo(1);
        assertThat(registered()).containsExactly(EMPTY.toString());
        assertThat(again.ended()).isNull();
        again.close();
    }
}
