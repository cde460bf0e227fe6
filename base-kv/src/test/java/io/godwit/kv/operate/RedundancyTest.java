package io.godwit.kv.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.operate.NodeOperations.NodeInfo;
import io.godwit.kv.operate.StoreOperations.RangeInfo;
import io.godwit.plugin.balance.Liveness;
import io.godwit.plugin.balance.RangeLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RedundancyTest {
    private final List<NodeInfo> nodes = new ArrayList<>();
    private final List<RangeInfo> ranges = new ArrayList<>();
    private final Set<String> told = new TreeSet<>(Set.of("inbox"));
    private final Set<String> silent = new TreeSet<>();
    private final Set<String> longGone = new TreeSet<>();
    private boolean hasGap;
    private boolean isOpen = true;

    @Test
    void aNodeThatNoRangeNeedsMayBeForgotten() {
        nodes("a", "b", "-c");
        range(1, "a", List.of("a", "b", "c"));
        assertThat(need("c")).isEmpty();
    }

    @Test
    void aVoterThatHasStoppedIsNotCountedOn() {
        nodes("a", "b", "-c");
        range(1, "a", List.of("a", "b", "c"), "b: damaged");
        assertThat(need("c")).contains("inbox-1 needs its vote", "only [a]");
    }

    /** Without a leader it is uncertain which other nodes are voters, and what they have. */
    @Test
    void aRangeWithoutALeaderKeepsItsVoters() {
        nodes("a", "b", "-c");
        range(1, "", List.of("a", "b", "c"));
        assertThat(need("c")).contains("inbox-1 has no leader");
    }

    @Test
    void aNodeIsNotGivenUpWhileInformationIsMissing() {
        nodes("a", "b", "-c");
        range(1, "a", List.of("a", "b"));
        hasGap = true;
        assertThat(need("c")).contains("some keys of inbox have no range");
        hasGap = false;
        silent.add("b");
        assertThat(need("c")).contains("[b] are running, but have not reported");
        silent.clear();
        told.add("retain");
        assertThat(need("c")).contains("[retain] are not open on this node yet");
        told.clear();
        isOpen = false;
        assertThat(need("c")).contains("are not open on this node yet");
        assertThat(redundancy().without("b")).get().asString().contains("not open", "--reduce");
    }

    /**
     * Two nodes of four that are cut off from the others see no majority, whether or not the node in question counts.
     */
    @Test
    void halfOfTheNodesMayBeCutOff() {
        nodes("a", "b", "-c", "-d");
        range(1, "a", List.of("a", "b", "c"));
        range(2, "", List.of("b", "d"));
        assertThat(need("c")).contains("reaches 2 of 4 nodes", "cut off itself");
    }

    /** Such as the former ids of nodes that have lost their disks. */
    @Test
    void nodesThatAreGoneForLongAreNotWaitedFor() {
        nodes("a", "b", "-c", "-d", "-e");
        range(1, "a", List.of("a", "b", "c"));
        range(2, "", List.of("d", "e"));
        assertThat(need("c")).contains("reaches 2 of 5 nodes");
        longGone.addAll(Set.of("c", "d", "e"));
        assertThat(need("c")).isEmpty();
    }

    @Test
    void rangesHaveTheNamesThatOperatorsHaveOfThem() {
        nodes("a", "-b");
        range(123_456_789_012L, "", List.of("b"));
        range(123_459_000_000L, "a", List.of("a"));
        assertThat(need("b")).startsWith("inbox-123456 has its only voter");
    }

    private String need(String storeId) {
        return redundancy().needOf(storeId).orElse("");
    }

    private Redundancy redundancy() {
        List<Redundancy.Store> stores =
                isOpen ? List.of(new Redundancy.Store("inbox", 3, true, ranges, hasGap)) : List.of();
        return new Redundancy(nodes, stores, new Redundancy.Unheard(told, silent, longGone));
    }

    private void nodes(String... ids) {
        Stream.of(ids).forEach(id -> nodes.add(node(id)));
    }

    /** A node; a minus before its name means that it is down. */
    private static NodeInfo node(String id) {
        Liveness liveness = id.startsWith("-") ? Liveness.DOWN : Liveness.ALIVE;
        return new NodeInfo(id.replace("-", ""), 1, "", "", "", liveness, false, 1, 0, 1, 1, false);
    }

    private void range(long id, String leader, List<String> voters, String... faults) {
        ranges.add(new RangeInfo(
                id, new byte[0], null, 1, voters, List.of(), leader, 1, 0, RangeLoad.UNKNOWN, "", List.of(faults)));
    }
}
