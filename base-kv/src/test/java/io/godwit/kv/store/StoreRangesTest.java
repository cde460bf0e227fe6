package io.godwit.kv.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.raft.RaftGroups;
import io.godwit.kv.raft.log.SharedRaftLog;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.data.RocksResources;
import io.godwit.kv.range.replica.DiskRoom;
import io.godwit.kv.range.replica.RangeEnvironment;
import io.godwit.kv.range.replica.RangeSettings;
import io.godwit.kv.range.state.RangeState;
import io.godwit.kv.testing.AppendCoprocessor;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
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

/** Replicas that come by splits and by requests of other nodes, on real files. No Raft group is started. */
class StoreRangesTest {
    private static final RaftGroup.Membership MEMBERS = new RaftGroup.Membership(List.of("me", "other"), List.of());
    private static final RangeState CHILD =
            RangeState.settled(7, 2, new RangeBounds("m".getBytes(UTF_8), null), MEMBERS);

    @TempDir
    Path data;

    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    private RocksResources rocks;
    private SharedRaftLog log;
    private RangeDb parent;
    private StoreRanges ranges;
    private @Nullable Runnable whileMade;

    @BeforeEach
    void open() throws Exception {
        rocks = new RocksResources(8 << 20, 4 << 20);
        log = SharedRaftLog.open(data.resolve("raft-log"), (what, cause) -> {
            throw new AssertionError(what, cause);
        });
        RangeState all = RangeState.settled(1, 1, new RangeBounds(new byte[0], null), MEMBERS);
        RangeDb.open(data.resolve("parent"), all, rocks, true).close();
        parent = RangeDb.open(data.resolve("parent"), all, rocks, false);
        RaftGroups noGroups = (RaftGroups) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {RaftGroups.class}, (proxy, method, args) -> {
                    throw new AssertionError(method.getName());
                });
        Executor here = Runnable::run;
        RangeEnvironment environment = new RangeEnvironment(
                noGroups,
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
}
