package io.godwit.kv.range.request;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.range.data.BufferedWrites;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.data.RocksResources;
import io.godwit.kv.range.leader.ReadIndex;
import io.godwit.kv.range.state.RangeState;
import io.godwit.kv.testing.AppendCoprocessor;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadGateTest {
    @TempDir
    Path directory;

    private final RocksResources resources = new RocksResources(8 << 20, 4 << 20);
    private final Deque<ReadIndex.Done> asked = new ArrayDeque<>();
    private final Deque<Runnable> later = new ArrayDeque<>();
    private RangeDb db;
    private ReadGate gate;

    @BeforeEach
    void open() throws Exception {
        db = RangeDb.open(
                directory.resolve("db"),
                RangeState.first(1, new RangeBounds(new byte[0], null), List.of("me")),
                resources,
                true);
        BufferedWrites writes = db.newWrites();
        writes.put("k".getBytes(UTF_8), "v".getBytes(UTF_8));
        db.commit(writes, 1);
        ReadIndex readIndex = new ReadIndex() {
            @Override
            public void request(ReadIndex.Done then) {
                asked.add(then);
            }

            @Override
            public void later(long delayMillis, Runnable task) {
                later.add(task);
            }
        };
        gate = new ReadGate(
                readIndex,
                db,
                new AppendCoprocessor(),
                Runnable::run,
                Runnable::run,
                (what, cause) -> {},
                new ReadGate.Listener() {
                    @Override
                    public void elsewhere(ReadGate.Query query) {
                        throw new AssertionError("all keys are here");
                    }

                    @Override
                    public void answered(ReadGate.Query query, long nanos) {}
                });
    }

    @AfterEach
    void close() {
        db.close();
        resources.close();
    }

    @Test
    void queriesThatComeWhileOneIsUnderWayShareTheNext() {
        ReadGate.Query first = query();
        gate.flush();
        ReadGate.Query second = query();
        ReadGate.Query third = query();
        gate.flush();
        assertThat(asked).hasSize(1);

        asked.remove().done(true);
        assertThat(first.answer().join()).isEqualTo("v".getBytes(UTF_8));
        assertThat(second.answer()).isNotDone();
        gate.flush();
        assertThat(asked).hasSize(1);
        asked.remove().done(true);
        assertThat(second.answer()).isCompleted();
        assertThat(third.answer()).isCompleted();
    }

    @Test
    void withoutALeaderItAsksAgainUntilThereIsOne() {
        ReadGate.Query first = query();
        gate.flush();
        asked.remove().done(false);
        ReadGate.Query second = query();
        gate.flush();
        assertThat(asked).isEmpty(); // after a pause

        later.remove().run();
        gate.flush();
        asked.remove().done(true);
        assertThat(first.answer()).isCompleted();
        assertThat(second.answer()).isCompleted();
    }

    @Test
    void aFailureThatIsToldTwiceIsHeardOnce() {
        query();
        gate.flush();
        ReadIndex.Done told = asked.remove();
        told.done(false);
        told.done(false);
        assertThat(later).hasSize(1);

        later.remove().run();
        gate.flush();
        told.done(false);
        assertThat(later).isEmpty();
        assertThat(asked).hasSize(1);
        ReadGate.Query second = query();
        asked.remove().done(true);
        gate.flush();
        asked.remove().done(true);
        assertThat(second.answer()).isCompleted();
    }

    @Test
    void anExpiredQueryIsNotRun() {
        ReadGate.Query query = query();
        gate.flush();
        query.expire();
        asked.remove().done(true);
        assertThat(reason(query)).isEqualTo(Cause.TIMEOUT);
    }

    @Test
    void closingFailsWhatWaitsAndWhatComes() {
        ReadGate.Query waiting = query();
        gate.close(new RangeException(Cause.CLOSED, "closing"));
        assertThat(reason(waiting)).isEqualTo(Cause.CLOSED);
        assertThat(reason(query())).isEqualTo(Cause.CLOSED);
    }

    @Test
    void aReadOfAClosedDatabaseSaysSo() {
        ReadGate.Query query = query();
        gate.flush();
        db.close();
        asked.remove().done(true);
        assertThat(reason(query)).isEqualTo(Cause.CLOSED);
    }

    private ReadGate.Query query() {
        ReadGate.Query query =
                ReadGate.Query.of("k".getBytes(UTF_8), "k".getBytes(UTF_8), Deadline.afterMillis(10_000));
        gate.add(query);
        return query;
    }

    private static Cause reason(ReadGate.Query query) {
        return query.answer()
                .handle((reply, failure) -> failure instanceof RangeException known ? known.reason() : null)
                .join();
    }
}
