package io.godwit.api.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.access.AuditSink;
import io.godwit.testing.Await;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AuditLogTest {
    private static final long CLOSE_MILLIS = 500;

    /** Writes as many records as it may; fails while it is told to. */
    private static final class Disk implements AuditSink {
        final Semaphore writes = new Semaphore(0);
        final List<String> lines = new CopyOnWriteArrayList<>();
        final AtomicInteger failed = new AtomicInteger();
        final AtomicInteger refused = new AtomicInteger();
        final AtomicInteger lost = new AtomicInteger();
        volatile boolean fails;

        @Override
        public void write(String record) throws IOException {
            writes.acquireUninterruptibly();
            if (fails) {
                writes.release();
                failed.incrementAndGet();
                throw new IOException("full");
            }
            lines.add(record);
        }

        @Override
        public void refused() {
            refused.incrementAndGet();
        }

        @Override
        public void lost(int records) {
            lost.addAndGet(records);
        }
    }

    private final Disk disk = new Disk();
    private final AuditLog log = new AuditLog(disk, 10, CLOSE_MILLIS);

    private AuditLog.Entry begin(String name) {
        AuditLog.Entry entry = log.begin(status -> name + " " + status);
        assertThat(entry).as(name).isNotNull();
        return entry;
    }

    @Test
    void recordsAreInTheOrderInWhichChangesEnd() {
        disk.writes.release(1_000);
        log.start();
        AuditLog.Entry first = begin("first");
        AuditLog.Entry second = begin("second");
        CompletableFuture<Void> kept = second.ended(201);
        first.ended(200);
        first.ended(500); // does nothing
        log.close();
        assertThat(kept).isCompleted();
        assertThat(disk.lines).containsExactly("second 201", "first 200");
        assertThat(disk.lost).hasValue(0);
    }

    /** A change that has begun has a place, however long the disk takes. */
    @Test
    void noChangeBeginsIfItCannotBeRecorded() {
        log.start();
        List<AuditLog.Entry> all = new ArrayList<>();
        for (int i = 0; i < AuditLog.MOST; i++) {
            all.add(begin("n" + i));
        }
        assertThat(log.begin(status -> "more")).isNull();
        all.forEach(each -> each.ended(204));
        assertThat(log.begin(status -> "more")).isNull();
        assertThat(disk.refused).hasValue(2);
        log.note(403, status -> "stranger");
        assertThat(disk.lost).hasValue(1);
        disk.writes.release(1);
        Await.until("one place", () -> log.begin(status -> "late " + status) != null);
        disk.writes.release(AuditLog.MOST);
        log.close();
        assertThat(disk.lines).hasSize(AuditLog.MOST + 1).last().isEqualTo("late 0");
    }

    @Test
    void nothingBeginsWhileARecordCannotBeKept() {
        disk.writes.release(1_000);
        disk.fails = true;
        log.start();
        AuditLog.Entry before = begin("before");
        AuditLog.Entry lateOne = begin("late");
        CompletableFuture<Void> kept = before.ended(204);
        Await.until("the failure is seen", () -> log.begin(status -> "no") == null);
        lateOne.ended(204);
        assertThat(kept).isNotDone();
        disk.fails = false;
        Await.until("both are kept", () -> disk.lines.size() == 2);
        begin("again").ended(200);
        log.close();
        assertThat(disk.lines.subList(0, 2)).containsExactly("before 204", "late 204");
        assertThat(disk.lines).contains("again 200");
    }

    /** The caller's budget is charged each time a record is made. */
    @Test
    void aRecordIsMadeOnceHoweverOftenItIsWritten() {
        AtomicInteger made = new AtomicInteger();
        disk.writes.release(1_000);
        disk.fails = true;
        log.start();
        AuditLog.Entry entry = log.begin(status -> "record " + made.incrementAndGet());
        assertThat(entry).isNotNull();
        entry.ended(204);
        Await.until("several writes have failed", () -> disk.failed.get() >= 3);
        disk.fails = false;
        log.close();
        assertThat(disk.lines).containsExactly("record 1");
        assertThat(made).hasValue(1);
    }

    @Test
    void aChangeWhoseEndIsNotSeenIsRecordedAtStop() {
        disk.writes.release(1_000);
        log.start();
        AuditLog.Entry entry = begin("open");
        log.close();
        entry.ended(200);
        assertThat(log.begin(status -> "closed")).isNull();
        assertThat(disk.lines).containsExactly("open 0");
    }

    /** It gives up after its time, and reports that. */
    @Test
    void aStopWaitsForADiskThatHangsForSomeTimeOnly() {
        log.start();
        begin("a").ended(200);
        begin("b").ended(200);
        long begun = System.nanoTime();
        log.close();
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(CLOSE_MILLIS * 900_000);
        assertThat(disk.lost).hasValue(2);
        disk.writes.release(10);
    }

    @Test
    void aLogThatWasNeverStartedCanBeClosed() {
        log.close();
        assertThat(disk.lines).isEmpty();
    }
}
