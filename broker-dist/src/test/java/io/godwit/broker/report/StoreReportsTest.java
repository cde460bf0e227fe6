package io.godwit.broker.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.store.StoreHealth;
import io.godwit.kv.store.StoreHealth.State;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.StoreFault;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreReportsTest {
    @TempDir
    Path data;

    private final List<BrokerEvent> events = new ArrayList<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private StoreReports reports;

    @BeforeEach
    void open() {
        reports = new StoreReports(new StatusFile(data), () -> false, events::add, meters);
    }

    private void report(State state, String detail) {
        reports.report(Map.of("inbox", new StoreHealth(state, detail)));
    }

    @Test
    void aStoreThatStartsAndServesRaisesNothing() {
        report(State.STARTING, "ranges are being opened");
        report(State.SERVING, "");
        report(State.SERVING, "");
        assertThat(events).isEmpty();
    }

    @Test
    void eachReasonIsReportedOnceAndTheRecoveryToo() {
        report(State.SERVING, "");
        report(State.NO_QUORUM, "inbox-1: 1 of 3 voters, missing b, c");
        report(State.NO_QUORUM, "inbox-1: 1 of 3 voters, missing b");
        report(State.READ_ONLY, "free disk is below 9 bytes");
        report(State.SERVING, "");
        report(State.FAILED, "range inbox-1: planted");

        assertThat(events)
                .containsExactly(
                        new BrokerEvent.StoreDegraded(
                                "inbox", StoreFault.NO_QUORUM, "inbox-1: 1 of 3 voters, missing b, c"),
                        new BrokerEvent.StoreDegraded("inbox", StoreFault.READ_ONLY, "free disk is below 9 bytes"),
                        new BrokerEvent.StoreRecovered("inbox"),
                        new BrokerEvent.StoreDegraded("inbox", StoreFault.FAILED, "range inbox-1: planted"));
        assertThat(meters.get("godwit.kv.stores.degraded").counter().count()).isEqualTo(3);
        assertThat(meters.get("godwit.kv.stores.recovered").counter().count()).isEqualTo(1);
    }
}
