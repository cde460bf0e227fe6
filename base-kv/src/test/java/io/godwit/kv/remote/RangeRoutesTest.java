package io.godwit.kv.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.plugin.balance.RangeLoad;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RangeRoutesTest {
    @Test
    void leaderOfTheHighestTermCounts() {
        RangeRoutes routes =
                RangeRoutes.of(Map.of("a", List.of(led(1, 5, "", null, 3)), "b", List.of(led(1, 5, "", null, 4))));
        assertThat(route(routes, "k").leader()).isEqualTo("b");
        assertThat(routes.isComplete()).isTrue();
    }

    @Test
    void rangeWhoseLeaderIsBehindHasNone() {
        RangeRoutes routes =
                RangeRoutes.of(Map.of("a", List.of(led(1, 5, "", null, 3)), "b", List.of(followed(1, 6, "", "m"))));
        assertThat(route(routes, "k").leader()).isEmpty();
        assertThat(routes.of("z".getBytes(UTF_8))).isNull();
        assertThat(routes.isComplete()).isFalse();
    }

    @Test
    void ofTwoThatOverlapTheEarlierEpochIsOver() {
        ReplicaReport whole = led(1, 5, "", null, 3);
        ReplicaReport left = led(1, 6, "", "m", 3);
        ReplicaReport right = led(2, 6, "m", null, 1);
        RangeRoutes cut =
                RangeRoutes.of(Map.of("a", List.of(left), "b", List.of(right), "c", List.of(withoutLeading(whole))));
        assertThat(route(cut, "a").rangeId()).isEqualTo(1);
        assertThat(route(cut, "z").rangeId()).isEqualTo(2);
        assertThat(cut.isComplete()).isTrue();

        ReplicaReport merged = led(1, 7, "", null, 3);
        RangeRoutes one = RangeRoutes.of(Map.of("a", List.of(merged), "b", List.of(right)));
        assertThat(one.all()).hasSize(1);
        assertThat(route(one, "z").rangeId()).isEqualTo(1);
    }

    /** It had applied changes that no other node knows of; the others went on without it. */
    @Test
    void whatANodeHasToldThatIsGoneDoesNotOutrankWhatIsLeft() {
        RouteTable table = new RouteTable();
        table.told("lost", List.of(led(1, 9, "", null, 3)));
        table.told("left", List.of(followed(1, 5, "", null)));
        table.gone("lost");
        assertThat(table.routes().isComplete()).isFalse();

        table.told("left", List.of(led(1, 6, "", null, 4)));

        assertThat(route(table.routes(), "k").leader()).isEqualTo("left");
        assertThat(table.routes().isComplete()).isTrue();
    }

    @Test
    void aCutThatOnlyANodeKnewThatIsGoneDoesNotOutrankWhatIsLeft() {
        RouteTable table = new RouteTable();
        table.told("lost", List.of(led(1, 6, "", "m", 3), led(2, 6, "m", null, 1)));
        table.told("left", List.of(led(1, 5, "", null, 4)));
        assertThat(table.routes().isComplete()).isFalse();

        table.gone("lost");

        assertThat(route(table.routes(), "z").leader()).isEqualTo("left");
        assertThat(table.routes().all()).hasSize(1);
        assertThat(table.routes().isComplete()).isTrue();

        table.told("lost", List.of(led(1, 6, "", "m", 3), led(2, 6, "m", null, 1)));
        assertThat(route(table.routes(), "z").leader())
                .as("the node has returned with its range")
                .isEqualTo("lost");
    }

    /** An operator can see what was lost. */
    @Test
    void whatOnlyANodeHadThatIsGoneIsKnown() {
        RangeRoutes routes = RangeRoutes.of(
                Map.of(
                        "lost",
                        List.of(led(1, 9, "", "m", 3), led(2, 9, "m", null, 3)),
                        "left",
                        List.of(led(2, 4, "m", null, 4))),
                Set.of("lost"));
        assertThat(route(routes, "a").leader()).isEmpty();
        assertThat(route(routes, "z").leader()).isEqualTo("left");
        assertThat(routes.isComplete()).isFalse();
    }

    @Test
    void gapIsAskedForAsOneRange() {
        RangeRoutes routes = RangeRoutes.of(Map.of("a", List.of(led(1, 1, "", "f", 1), led(3, 1, "p", null, 1))));
        assertThat(routes.isComplete()).isFalse();
        assertThat(routes.rangeKeys("a".getBytes(UTF_8), null).stream().map(key -> new String(key, UTF_8)))
                .containsExactly("a", "f", "p");
        assertThat(routes.rangeKeys("a".getBytes(UTF_8), "f".getBytes(UTF_8))).hasSize(1);
    }

    @Test
    void nodeThatIsGoneLeadsNothing() {
        RouteTable table = new RouteTable();
        table.told("a", List.of(led(1, 1, "", null, 1)));
        assertThat(table.routes().isComplete()).isTrue();
        table.gone("a");
        assertThat(route(table.routes(), "k").leader()).isEmpty();
    }

    private static RangeRoutes.Route route(RangeRoutes routes, String key) {
        RangeRoutes.Route route = routes.of(key.getBytes(UTF_8));
        if (route == null) {
            throw new AssertionError("no route of " + key);
        }
        return route;
    }

    private static RangeBounds bounds(String start, @Nullable String end) {
        return new RangeBounds(start.getBytes(UTF_8), end == null ? null : end.getBytes(UTF_8));
    }

    static ReplicaReport led(long id, long epoch, String start, @Nullable String end, long term) {
        return new ReplicaReport(
                id,
                epoch,
                bounds(start, end),
                List.of("a", "b"),
                List.of(),
                "",
                0,
                0,
                "",
                false,
                Optional.of(new ReplicaReport.Leading(term, 1, 0, RangeLoad.UNKNOWN, Optional.empty(), "", 0)));
    }

    private static ReplicaReport followed(long id, long epoch, String start, @Nullable String end) {
        return withoutLeading(led(id, epoch, start, end, 0));
    }

    private static ReplicaReport withoutLeading(ReplicaReport report) {
        return report.withoutLeader();
    }
}
