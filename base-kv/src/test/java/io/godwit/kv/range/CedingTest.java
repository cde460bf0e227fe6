package io.godwit.kv.range;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.raft.RaftGroups;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.data.RocksResources;
import io.godwit.kv.range.replica.DiskRoom;
import io.godwit.kv.range.replica.RangeEnvironment;
import io.godwit.kv.range.replica.RangeSettings;
import io.godwit.kv.range.request.RangeRouter;
import io.godwit.kv.range.state.RangeState;
import io.godwit.kv.testing.AppendCoprocessor;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A range whose keys move on while requests for them still come from a third range. The test runs the executors. */
class CedingTest {
    @TempDir
    Path data;

    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    private final Deque<Runnable> tasksOfGiver = new ArrayDeque<>();
    private final Deque<Runnable> tasksOfTaker = new ArrayDeque<>();
    private RocksResources rocks;
    private Range giver;
    private Range taker;

    @BeforeEach
    void open() throws Exception {
        rocks = new RocksResources(8 << 20, 4 << 20);
        giver = range(1, tasksOfGiver);
        taker = range(2, tasksOfTaker);
        giver.hold();
        taker.hold();
    }

    @SuppressWarnings("unchecked") // the proxies are of these types
    private Range range(long id, Deque<Runnable> tasks) throws Exception {
        RangeState born = RangeState.first(id, new RangeBounds(new byte[0], null), List.of("me"));
        Path directory = data.resolve("range-" + id);
        RangeDb.open(directory, born, rocks, true).close();
        RangeEnvironment environment = new RangeEnvironment(
                unused(RaftGroups.class),
                tasks::add,
                tasks::add,
                tasks::add,
                tasks::add,
                timers,
                System::nanoTime,
                () -> DiskRoom.AMPLE,
                new LongAdder(),
                RangeSettings.DEFAULT);
        return new Range(
                "test-" + id,
                (RangeFamily<Range>) unused(RangeFamily.class),
                new RangeRouter(System::nanoTime),
                RangeDb.open(directory, born, rocks, false),
                new AppendCoprocessor(),
                environment,
                (what, cause) -> {
                    throw new AssertionError(what, cause);
                });
    }

    private static <T> T unused(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            throw new AssertionError(method.getName());
        }));
    }

    @AfterEach
    void close() {
        giver.close();
        taker.close();
        timers.shutdownNow();
        rocks.close();
    }

    /** A range that waits has nothing to run: each of a few rounds is a batch of many tasks. */
    private void runAll() {
        for (int round = 0; !tasksOfGiver.isEmpty(); round++) {
            assertThat(round).as("rounds without an end").isLessThan(10);
            tasksOfGiver.remove().run();
        }
    }

    @Test
    void aRangeThatIsHeldWaitsWithoutRunning() {
        giver.requests().cedePart(taker.requests());
        giver.requests().cede(taker.requests());
        runAll();
        assertThat(tasksOfTaker).as("not released yet").isEmpty();

        giver.requests().release();
        runAll();
        assertThat(tasksOfTaker).as("released").hasSize(1);
    }

    @Test
    void theEndOfARangeReleasesTheOther() {
        giver.requests().cede(taker.requests());
        runAll();
        giver.requests().refuseAll(new RangeException(RangeException.Cause.CLOSED, "for the test"));
        runAll();
        assertThat(tasksOfTaker).hasSize(1);
    }
}
