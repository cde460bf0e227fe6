package io.godwit.mqtt.transport.report;

import io.godwit.plugin.event.MemoryKind;
import java.util.concurrent.atomic.LongAdder;

/** Counts what happens to the node as a whole: its memory, the certificates of its listeners. Any thread. */
final class NodeMetrics {
    // counters with an event
    final KindCounters<MemoryKind> memoryShortages;
    final KindCounters<MemoryKind> memoryRecoveries;
    final LongAdder reloadedCertificates;
    final LongAdder rejectedCertificates;

    NodeMetrics(MqttCounters counters) {
        memoryShortages =
                counters.byKind("memory.shortages", "times that memory became short", "kind", MemoryKind.class);
        memoryRecoveries =
                counters.byKind("memory.recoveries", "times that memory was no longer short", "kind", MemoryKind.class);
        reloadedCertificates = counters.counter("certificates.reloaded", "changed certificates taken into use");
        rejectedCertificates = counters.counter("certificates.rejected", "changed certificates that cannot be used");
    }
}
