package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.figure.NodeHistory;
import io.godwit.api.port.figure.NodeHistory.Sample;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The route of the last hour, and how nodes are added up. */
class ApiHistoryTest {
    private static final List<Double> BOUNDS = List.of(1.0, 10.0, 100.0);

    private static Sample sample(long step, double rate, Map<String, Double> dropped, Long... latencies) {
        return new Sample(step * 10_000, rate * 10, rate, rate * 2, dropped, List.of(latencies));
    }

    private static JsonObject history(ApiFixture api, String query, NodeHistory... nodes) throws Exception {
        api.node.history = List.of(nodes);
        ApiFixture.Got got = api.get("/api/v1/history" + query);
        assertThat(got.status()).as(got.text()).isEqualTo(200);
        return got.json();
    }

    private static List<Object> values(JsonArray points, String field) {
        return points.stream()
                .map(point -> ((JsonObject) point).getValue(field))
                .toList();
    }

    @Test
    void nodesAreAddedStepByStep() throws Exception {
        try (ApiFixture api = ApiFixture.open()) {
            JsonObject json = history(
                    api,
                    "",
                    new NodeHistory(
                            "a",
                            "a:1",
                            BOUNDS,
                            List.of(
                                    sample(1, 5, Map.of("expired", 1.0), 10L, 0L, 0L, 0L),
                                    sample(2, 6, Map.of(), 90L, 10L, 0L, 0L))),
                    new NodeHistory(
                            "b", "b:1", BOUNDS, List.of(sample(2, 1, Map.of("expired", 0.125), 0L, 0L, 0L, 100L))));
            assertThat(json.getInteger("stepSeconds")).isEqualTo(10);
            assertThat(values(json.getJsonArray("items"), "id")).containsExactly("a", "b");
            JsonArray sum = json.getJsonArray("sum");
            assertThat(values(sum, "atMillis")).containsExactly(10_000, 20_000);
            assertThat(values(sum, "inPerSecond")).containsExactly(5.0, 7.0);
            assertThat(values(sum, "outPerSecond")).containsExactly(10.0, 14.0);
            assertThat(values(sum, "connections")).containsExactly(50.0, 70.0);
            assertThat(values(sum, "droppedPerSecond"))
                    .containsExactly(new JsonObject().put("expired", 1.0), new JsonObject().put("expired", 0.13));
            // of 200: 90 up to 1 ms, 10 up to 10 ms, 100 beyond all bounds
            assertThat(values(sum, "latencyMillis").get(1))
                    .isEqualTo(
                            new JsonObject().put("p50", 10.0).put("p95", 100.0).put("p99", 100.0));
        }
    }

    /** Else the sum would drop at its end whenever a node is asked just before its next sample. */
    @Test
    void theSumEndsWithWhatAllNodesHaveTold() throws Exception {
        try (ApiFixture api = ApiFixture.open()) {
            NodeHistory ahead =
                    new NodeHistory("a", "", BOUNDS, List.of(sample(7, 1, Map.of()), sample(8, 1, Map.of())));
            NodeHistory behind = new NodeHistory("b", "", BOUNDS, List.of(sample(7, 1, Map.of())));
            assertThat(values(history(api, "", ahead, behind).getJsonArray("sum"), "atMillis"))
                    .containsExactly(70_000);
            NodeHistory hangs = new NodeHistory("c", "", BOUNDS, List.of(sample(4, 1, Map.of())));
            assertThat(values(history(api, "?since=10000", ahead, hangs).getJsonArray("sum"), "atMillis"))
                    .as("the sum does not wait for a node that is far behind")
                    .containsExactly(40_000, 70_000, 80_000);
            NodeHistory none = new NodeHistory("d", "", List.of(), List.of());
            assertThat(values(history(api, "?since=20000", none, ahead).getJsonArray("sum"), "atMillis"))
                    .containsExactly(70_000, 80_000);
            assertThat(history(api, "?since=30000", none).getJsonArray("sum")).isEmpty();
        }
    }

    @Test
    void onlyNewSamplesAreSent() throws Exception {
        try (ApiFixture api = ApiFixture.open()) {
            NodeHistory node =
                    new NodeHistory("a", "", BOUNDS, List.of(sample(7, 1, Map.of()), sample(8, 1, Map.of())));
            assertThat(values(history(api, "?since=70000", node).getJsonArray("sum"), "atMillis"))
                    .containsExactly(80_000);
            assertThat(api.get("/api/v1/history?since=-1").status()).isEqualTo(400);
            assertThat(api.get("/api/v1/history?since=x").status()).isEqualTo(400);
            assertThat(api.get("/api/v1/history?until=1").status()).isEqualTo(400);
            api.node.missing = List.of("b");
            assertThat(history(api, "", node).getJsonArray("missingNodes")).containsExactly("b");
        }
    }

    /** Nodes of another version may have other buckets, which cannot be added. */
    @Test
    void latenciesOfOtherBucketsAreLeftOut() throws Exception {
        try (ApiFixture api = ApiFixture.open()) {
            JsonObject json = history(
                    api,
                    "",
                    new NodeHistory("a", "", BOUNDS, List.of(sample(1, 1, Map.of(), 4L, 0L, 0L, 0L))),
                    new NodeHistory("b", "", List.of(7.0), List.of(sample(1, 1, Map.of(), 0L, 9_000L))));
            assertThat(values(json.getJsonArray("sum"), "latencyMillis"))
                    .containsExactly(
                            new JsonObject().put("p50", 0.5).put("p95", 0.95).put("p99", 0.99));
            assertThat(values(json.getJsonArray("sum"), "inPerSecond")).containsExactly(2.0);
        }
    }

    @Test
    void meNamesTheCaller() throws Exception {
        try (ApiFixture api = ApiFixture.open()) {
            assertThat(api.get("/api/v1/me").json())
                    .isEqualTo(new JsonObject()
                            .put("name", "local")
                            .put("role", "admin")
                            .put("kind", "local"));
        }
    }
}
