package io.godwit.broker.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.watch.question.EventQuestion;
import io.godwit.broker.watch.question.TraceQuestion;
import io.godwit.broker.watch.question.WatchQuestion;
import io.godwit.broker.watch.tap.EventTap;
import io.godwit.broker.watch.tap.TraceTap;
import io.godwit.broker.watch.tap.WatchQueue;
import io.godwit.mqtt.trace.Tracing;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Operators that watch this node, and leave. {@link ClusterWatchTest} has the parts of tenants. */
class OwnWatchesTest {
    private static final Optional<String> BIRDS = Optional.of("birds");
    private static final BrokerEvent CONNECTED = new BrokerEvent.ClientConnected(
            new ClientInfo(TenantId.DEFAULT, new ClientId("c"), null, "192.0.2.7:4000", 5), false);

    private final EventTap events = new EventTap(EventListener.NONE, () -> 0);
    private final Tracing tracing = new Tracing();
    private final TraceTap traces = new TraceTap(tracing, () -> 0);
    private final OwnWatches watches = new OwnWatches(events, traces, () -> 0);

    private static EventQuestion question(Optional<String> tenant) {
        return new EventQuestion(Set.of(), Optional.empty(), tenant);
    }

    private static TraceQuestion trace(Optional<String> tenant) {
        return new TraceQuestion(Optional.of("c"), Optional.empty(), Optional.empty(), tenant);
    }

    private List<WatchQueue> open(WatchQuestion question, int count) throws TooManyWatchesException {
        List<WatchQueue> opened = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            opened.add(watches.open(question));
        }
        return opened;
    }

    private void refused(WatchQuestion question) {
        assertThatThrownBy(() -> watches.open(question)).isInstanceOf(TooManyWatchesException.class);
    }

    @Test
    void nothingIsToldToAWatcherThatHasLeftAndTheOthersGoOn() throws Exception {
        WatchQueue leaves = watches.open(question(Optional.empty()));
        WatchQueue stays = watches.open(question(Optional.empty()));
        events.onEvent(CONNECTED);
        assertThat(leaves.poll()).isNotNull();
        watches.close(leaves);
        events.onEvent(CONNECTED);
        assertThat(leaves.poll()).isNull();
        assertThat(leaves.takeLost()).isZero();
        assertThat(stays.poll()).isNotNull();
        assertThat(stays.poll()).isNotNull();

        watches.close(stays);
        assertThat(events.watchers()).isZero();
        assertThat(events.isListening(BrokerEvent.ClientConnected.class)).isFalse();
    }

    /** The messages of the node cost nothing then. */
    @Test
    void theLastTraceThatLeavesEndsTheTracing() throws Exception {
        List<WatchQueue> both = open(trace(Optional.empty()), 2);
        watches.close(both.get(0));
        assertThat(tracing.active()).isNotNull();
        assertThat(traces.traces()).isEqualTo(1);
        watches.close(both.get(1));
        assertThat(tracing.active()).isNull();
        assertThat(events.watchers())
                .as("a trace has the events of its client too")
                .isZero();
    }

    @Test
    void theOperatorsOfAllNodesHaveABoundAndALeaverGivesItsPlaceBackOnce() throws Exception {
        List<WatchQueue> all = open(question(Optional.empty()), OwnWatches.MAX_EVENT_WATCHES);
        refused(question(Optional.empty()));
        watches.close(all.get(7));
        watches.close(all.get(7));
        WatchQueue next = watches.open(question(Optional.empty()));
        refused(question(Optional.empty()));
        watches.close(next);
        assertThat(events.watchers()).isEqualTo(OwnWatches.MAX_EVENT_WATCHES - 1);
    }

    @Test
    void whatIsRefusedTakesNothing() throws Exception {
        List<WatchQueue> ofEvents = open(question(BIRDS), OwnWatches.MAX_EVENT_WATCHES_OF_TENANT);
        List<WatchQueue> ofTraces = open(trace(BIRDS), OwnWatches.MAX_TRACES_OF_TENANT);
        int watchers = events.watchers();
        for (int i = 0; i < 10; i++) {
            refused(question(BIRDS));
            refused(trace(BIRDS));
        }
        assertThat(events.watchers()).isEqualTo(watchers);
        assertThat(traces.traces()).isEqualTo(OwnWatches.MAX_TRACES_OF_TENANT);

        watches.close(ofEvents.get(0));
        refused(trace(BIRDS));
        watches.open(question(BIRDS));
        watches.close(ofTraces.get(0));
        refused(question(BIRDS));
        watches.open(trace(BIRDS));
        assertThat(events.watchers()).isEqualTo(watchers);
    }

    @Test
    void aWatchThatIsNotOpenLeavesNothing() throws Exception {
        open(trace(BIRDS), OwnWatches.MAX_TRACES_OF_TENANT);
        watches.close(new WatchQueue(() -> 0));
        refused(trace(BIRDS));
        assertThat(traces.traces()).isEqualTo(OwnWatches.MAX_TRACES_OF_TENANT);
    }
}
