package io.godwit.api;

import io.godwit.api.port.access.AuditSink;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/** Writes like the logger, while its disk has space. Thread-safe. */
final class FakeAudit implements AuditSink {
    private final AuditSink logger = AuditSink.ofLogger();
    volatile boolean isFull;
    final AtomicInteger refused = new AtomicInteger();
    final AtomicInteger lost = new AtomicInteger();

    @Override
    public void write(String record) throws IOException {
        if (isFull) {
            throw new IOException("No space left on device");
        }
        logger.write(record);
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
