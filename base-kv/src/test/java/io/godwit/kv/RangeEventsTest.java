package io.godwit.kv;

import static io.godwit.kv.SplitTest.append;
import static io.godwit.kv.SplitTest.config;
import static io.godwit.kv.SplitTest.key;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.godwit.kv.client.RangeReports;
import io.godwit.kv.client.StoreMeasures;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeWrites;
import io.godwit.kv.member.StartProgress;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.change.ChangeOutcome;
import io.godwit.kv.store.StoreSpec;
import io.godwit.kv.testing.AppendCoprocessor;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.BrokerEvent.RangeLeadershipBegan;
import io.godwit.plugin.event.BrokerEvent.RangeLeadershipEnded;
import io.godwit.plugin.event.BrokerEvent.RangeReplicasChanged;
import io.godwit.plugin.event.LeadershipEndCause;
import io.godwit.testing.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What happens to ranges is counted and reported, on the node that leads. */
@Timeout(120)
class RangeEventsTest {
    @TempDir
    Path directory;

    private final Queue<BrokerEvent> events = new ConcurrentLinkedQueue<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    private KvNode open() throws Exception {
        return KvNode.open(
                config(directory.resolve("data")),
                StartProgress.NONE,
                StoreMeasures.NONE,
                new RangeReports(events::add, meters, List.of("test")));
    }

    private static KvStore open(KvNode node, Supplier<RangeCoprocessor> coprocessors) throws Exception {
        KvStore store = node.open(new StoreSpec("test", coprocessors, List.of()));
        store.ready().get(30, TimeUnit.SECONDS);
        return store;
    }

    private static <T extends BrokerEvent> List<T> of(Class<T> kind, Queue<BrokerEvent> events) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private double count(String name) {
        return meters.get("godwit.kv." + name).tags("store", "test").counter().count();
    }

    @Test
    void anElectionASplitAMergeAndTheEndOfTheNodeAreReported() throws Exception {
        try (KvNode node = open()) {
            KvStore store = open(node, AppendCoprocessor::new);
            append(store.client(), 10, "a").get(30, TimeUnit.SECONDS);
            append(store.client(), 30, "b").get(30, TimeUnit.SECONDS);
            assertThat(SplitTest.split(store, 1, 1, key(20))).isEqualTo(ChangeOutcome.DONE);
            List<BrokerEvent.RangeSplit> splits = of(BrokerEvent.RangeSplit.class, events);
            assertThat(splits).hasSize(1);
            long child = splits.get(0).newRangeId();
            assertThat(splits).containsExactly(new BrokerEvent.RangeSplit("test", 1, child, 2));
            Range left = store.ranges().find(1);
            Range right = store.ranges().find(child);
            assertThat(left).isNotNull();
            assertThat(right).isNotNull();
            left.ready().get(30, TimeUnit.SECONDS);
            right.ready().get(30, TimeUnit.SECONDS);
            assertThat(of(RangeLeadershipBegan.class, events))
                    .extracting(RangeLeadershipBegan::rangeId, RangeLeadershipBegan::epoch)
                    .containsExactly(tuple(1L, 1L), tuple(child, 2L));

            assertThat(store.ranges().merge(1, 2, child, 2).get(30, TimeUnit.SECONDS))
                    .isEqualTo(ChangeOutcome.DONE);
            assertThat(of(BrokerEvent.RangesMerged.class, events))
                    .singleElement()
                    .satisfies(merged -> {
                        assertThat(merged.rangeId()).isEqualTo(1);
                        assertThat(merged.mergedRangeId()).isEqualTo(child);
                        assertThat(merged.epoch()).isGreaterThan(2);
                    });
            assertThat(of(RangeLeadershipEnded.class, events))
                    .as("the node still leads what it led")
                    .noneMatch(ended -> ended.rangeId() == 1);
        }
        List<RangeLeadershipBegan> begun = of(RangeLeadershipBegan.class, events);
        List<RangeLeadershipEnded> ended = of(RangeLeadershipEnded.class, events);
        long term = begun.get(0).term();
        assertThat(ended).contains(new RangeLeadershipEnded("test", 1, term, LeadershipEndCause.STOPPED));
        assertThat(ended)
                .as("each leadership ends once")
                .extracting(each -> each.rangeId() + " in " + each.term())
                .containsExactlyInAnyOrderElementsOf(begun.stream()
                        .map(each -> each.rangeId() + " in " + each.term())
                        .toList());
        assertThat(of(BrokerEvent.ReplicaStopped.class, events)).isEmpty();
        assertThat(count("splits")).isEqualTo(1);
        assertThat(count("merges")).isEqualTo(1);
        assertThat(count("leaderships")).isEqualTo(begun.size());
        assertThat(count("leaderships.ended")).isEqualTo(ended.size());
        assertThat(count("replica.faults")).isZero();
    }

    @Test
    void aReplicaThatStopsAfterAFaultIsReportedWithItsLeadership() throws Exception {
        AppendCoprocessor failing = new AppendCoprocessor() {
            @Override
            public List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit) {
                if (new String(mutations.get(0), UTF_8).endsWith("bad")) {
                    throw new IllegalStateException("planted");
                }
                return super.apply(writes, mutations, afterCommit);
            }
        };
        try (KvNode node = open()) {
            KvStore store = open(node, () -> failing);
            assertThat(append(store.client(), 1, "bad")).failsWithin(30, TimeUnit.SECONDS);
            Await.until(
                    "it is told",
                    () -> !of(BrokerEvent.ReplicaStopped.class, events).isEmpty());
        }
        assertThat(of(BrokerEvent.ReplicaStopped.class, events)).singleElement().satisfies(stopped -> {
            assertThat(stopped.store()).isEqualTo("test");
            assertThat(stopped.rangeId()).isEqualTo(1);
            assertThat(stopped.cause()).contains("planted");
        });
        assertThat(of(RangeLeadershipEnded.class, events))
                .as("once, not again when the node is closed")
                .extracting(RangeLeadershipEnded::cause)
                .containsExactly(LeadershipEndCause.FAILED);
        assertThat(count("replica.faults")).isEqualTo(1);
    }

    @Test
    @Tag("slow")
    void changesOfReplicasAreReportedOnceInTheClusterAndHandOversByBothNodes() throws Exception {
        Map<Integer, Queue<BrokerEvent>> byNode = new ConcurrentHashMap<>();
        try (KvCluster cluster = new KvCluster(directory) {
            @Override
            RangeReports reports(int number) {
                Queue<BrokerEvent> heard = byNode.computeIfAbsent(number, none -> new ConcurrentLinkedQueue<>());
                return new RangeReports(heard::add, new SimpleMeterRegistry(), List.of(STORE));
            }
        }) {
            cluster.startAll();
            cluster.replicate();
            List<String> ids = List.of(cluster.id(1), cluster.id(2), cluster.id(3));
            List<RangeReplicasChanged> all = byNode.values().stream()
                    .flatMap(heard -> of(RangeReplicasChanged.class, heard).stream())
                    .toList();
            assertThat(all)
                    .as("two nodes were added as learners and became voters")
                    .hasSize(4)
                    .extracting(RangeReplicasChanged::epoch)
                    .doesNotHaveDuplicates();
            assertThat(all)
                    .filteredOn(change ->
                            change.learners().isEmpty() && change.voters().size() == 3)
                    .singleElement()
                    .satisfies(last -> assertThat(last.voters()).containsExactlyInAnyOrderElementsOf(ids));

            int from = cluster.leader(1);
            int to = from == 2 ? 3 : 2;
            cluster.moveLeader(from, to);
            KvCluster.eventually(
                    "the old leader tells of it",
                    () -> of(RangeLeadershipEnded.class, byNode.get(from)).stream()
                            .anyMatch(ended -> ended.cause() == LeadershipEndCause.HANDED_OVER));
            KvCluster.eventually(
                    "the new leader tells of it",
                    () -> !of(RangeLeadershipBegan.class, byNode.get(to)).isEmpty());
        }
    }
}
