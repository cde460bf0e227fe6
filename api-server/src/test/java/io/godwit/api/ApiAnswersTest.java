package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.ApiFixture.Got;
import io.godwit.api.port.client.ClientReference;
import io.godwit.api.port.cluster.HealthView;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The answer of each route in the normal case. */
class ApiAnswersTest {
    private ApiFixture api;

    @BeforeEach
    void open() throws Exception {
        api = ApiFixture.open();
    }

    @AfterEach
    void close() {
        api.close();
    }

    private static List<String> texts(JsonArray items, String field) {
        return items.stream()
                .map(item -> ((JsonObject) item).getValue(field).toString())
                .toList();
    }

    @Test
    void healthSaysWhy() throws Exception {
        assertThat(api.get("/health/live").status()).isEqualTo(200);
        Got ready = api.get("/health/ready");
        assertThat(ready.status()).isEqualTo(200);
        assertThat(ready.json().getString("status")).isEqualTo("ok");

        api.node.health = new HealthView(List.of(), List.of("store inbox: READ_ONLY"));
        assertThat(api.get("/health/live").status()).isEqualTo(200);
        Got refused = api.get("/health/ready");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.json().getJsonArray("reasons")).containsExactly("store inbox: READ_ONLY");

        api.node.health = new HealthView(List.of("hangs"), List.of());
        assertThat(api.get("/health/live").status()).isEqualTo(503);
        assertThat(api.get("/health/ready").status()).isEqualTo(503);
    }

    @Test
    void headIsAnsweredAsGetWithoutBody() throws Exception {
        Got head = api.send("HEAD", "/health/live", null);
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.text()).isEmpty();
        Got large = api.send("HEAD", "/api/v1/docs/swagger-ui-bundle.js", null);
        assertThat(large.status()).isEqualTo(200);
        assertThat(large.text()).isEmpty();
        assertThat(large.header("Content-Length")).matches("\\d{7,}");
    }

    @Test
    void nodesAndStoresAreListed() throws Exception {
        Got nodes = api.get("/api/v1/nodes");
        assertThat(nodes.status()).isEqualTo(200);
        assertThat(texts(nodes.json().getJsonArray("items"), "id")).containsExactly("node-a", "node-b");
        assertThat(texts(nodes.json().getJsonArray("items"), "liveness")).containsExactly("alive", "down");
        assertThat(texts(api.get("/api/v1/stores").json().getJsonArray("items"), "name"))
                .containsExactly("dist", "inbox");
    }

    @Test
    void rangesComeInPages() throws Exception {
        List<String> seen = new ArrayList<>();
        String query = "?limit=3";
        while (true) {
            Got page = api.get("/api/v1/ranges" + query);
            assertThat(page.status()).isEqualTo(200);
            page.json().getJsonArray("items").stream()
                    .map(JsonObject.class::cast)
                    .forEach(range -> seen.add(range.getString("store") + range.getLong("id")));
            String next = page.json().getString("next");
            if (next == null) {
                break;
            }
            query = "?limit=3&cursor=" + next;
        }
        assertThat(seen).containsExactly("dist1", "dist2", "inbox1", "inbox2", "inbox3", "inbox4", "inbox5");
        assertThat(api.get("/api/v1/ranges?store=dist").json().getJsonArray("items"))
                .hasSize(2);
    }

    @Test
    void clientsComeInPagesOverTenants() throws Exception {
        for (int i = 0; i < 5; i++) {
            api.node.add("t1", "c\u00e9" + i, "u", 5, true, 0);
            api.node.add("t2", "d/" + i, "u", 4, false, 0);
        }
        List<String> seen = new ArrayList<>();
        String query = "?limit=4";
        while (true) {
            Got page = api.get("/api/v1/clients" + query);
            seen.addAll(texts(page.json().getJsonArray("items"), "clientId"));
            String next = page.json().getString("next");
            if (next == null) {
                break;
            }
            query = "?limit=4&cursor=" + next;
        }
        assertThat(seen)
                .containsExactly(
                        "c\u00e90", "c\u00e91", "c\u00e92", "c\u00e93", "c\u00e94", "d/0", "d/1", "d/2", "d/3", "d/4");
    }

    @Test
    void aPageWithoutItemsSaysWhereTheSearchGoesOn() throws Exception {
        api.node.add("default", "lamp-1", "ann", 5, true, 10);
        api.node.looksUpTo = new ClientReference("default", "lamp-0");
        Got nothing = api.get("/api/v1/clients");
        assertThat(nothing.json().getJsonArray("items")).isEmpty();
        Got rest = api.get("/api/v1/clients?cursor=" + nothing.json().getString("next"));
        assertThat(texts(rest.json().getJsonArray("items"), "clientId")).containsExactly("lamp-1");
        assertThat(rest.json().getString("next")).isNull();
    }

    @Test
    void clientsAreFiltered() throws Exception {
        api.node.add("default", "lamp-1", "ann", 5, true, 10);
        api.node.add("default", "lamp-2", "bob", 4, false, 20);
        api.node.add("other", "my-lamp", "ann", 4, true, 30);
        assertThat(found("tenant=other")).containsExactly("my-lamp");
        assertThat(found("clientIdPrefix=lamp")).containsExactly("lamp-1", "lamp-2");
        assertThat(found("clientIdContains=lamp")).containsExactly("lamp-1", "lamp-2", "my-lamp");
        assertThat(found("clientIdContains=.*")).isEmpty();
        assertThat(found("userName=ann")).containsExactly("lamp-1", "my-lamp");
        assertThat(found("protocol=4")).containsExactly("lamp-2", "my-lamp");
        assertThat(found("connected=false")).containsExactly("lamp-2");
        assertThat(found("minQueued=20")).containsExactly("lamp-2", "my-lamp");
        assertThat(found("address=192.0.2.7")).containsExactly("lamp-1", "my-lamp");
    }

    private List<String> found(String query) throws Exception {
        Got got = api.get("/api/v1/clients?" + query);
        assertThat(got.status()).as(got.text()).isEqualTo(200);
        return texts(got.json().getJsonArray("items"), "clientId");
    }

    @Test
    void fieldsLeaveOutTheRest() throws Exception {
        api.node.add("default", "lamp", "ann", 5, true, 10);
        JsonObject only = api.get("/api/v1/clients?fields=clientId,node")
                .json()
                .getJsonArray("items")
                .getJsonObject(0);
        assertThat(only.fieldNames()).containsExactlyInAnyOrder("clientId", "node");
        JsonObject one = api.get("/api/v1/clients/lamp?fields=connected").json().getJsonObject("item");
        assertThat(one.fieldNames()).containsExactly("connected");
    }

    @Test
    void aClientIsFoundByItsEncodedId() throws Exception {
        api.node.add("default", "a/b c+d%2F", "ann", 5, true, 10);
        Got got = api.get("/api/v1/clients/a%2Fb%20c+d%252F");
        assertThat(got.status()).as(got.text()).isEqualTo(200);
        assertThat(got.json().getJsonObject("item").getString("clientId")).isEqualTo("a/b c+d%2F");
    }

    @Test
    void aClientIsDisconnected() throws Exception {
        api.node.add("default", "lamp", "ann", 5, true, 10);
        api.node.add("other", "lamp", "ann", 5, true, 10);
        assertThat(api.send("DELETE", "/api/v1/clients/lamp", null).status()).isEqualTo(204);
        assertThat(api.send("DELETE", "/api/v1/clients/lamp?tenant=other&reasonCode=135", null)
                        .status())
                .isEqualTo(204);
        assertThat(api.node.disconnected).containsExactly("default/lamp 152", "other/lamp 135");
    }

    @Test
    void missingNodesAreNamed() throws Exception {
        api.node.add("default", "lamp", "ann", 5, true, 10);
        api.node.missing = List.of("node-b");
        assertThat(api.get("/api/v1/clients").json().getJsonArray("missingNodes"))
                .containsExactly("node-b");
        assertThat(api.get("/api/v1/clients/lamp").json().getJsonArray("missingNodes"))
                .containsExactly("node-b");
        JsonArray stats = new JsonArray(api.get("/api/v1/stats").text());
        assertThat(stats.getJsonObject(1).getJsonObject("node").getString("status"))
                .isEqualTo("No answer");
    }

    @Test
    void figuresHaveTheShapesOfRmqtt() throws Exception {
        JsonObject first = new JsonArray(api.get("/api/v1/stats").text()).getJsonObject(0);
        assertThat(first.getJsonObject("node").getMap())
                .containsEntry("id", "node-a")
                .containsEntry("name", "1@a")
                .containsEntry("status", "Running");
        assertThat(first.getJsonObject("stats").getMap())
                .containsEntry("connections.count", 7)
                .containsEntry("handshakings_rate.count", 1.25)
                .hasSize(2);
        assertThat(api.get("/api/v1/stats/node-a").json().getJsonObject("stats").getInteger("connections.count"))
                .isEqualTo(7);
        JsonObject sum = api.get("/api/v1/stats/sum").json();
        assertThat(sum.getJsonObject("nodes").getJsonObject("node-a").getString("name"))
                .isEqualTo("1@a");
        assertThat(sum.getJsonObject("stats").getInteger("connections.count")).isEqualTo(7);
        assertThat(new JsonArray(api.get("/api/v1/metrics").text())
                        .getJsonObject(0)
                        .getJsonObject("metrics")
                        .getInteger("messages.publish"))
                .isEqualTo(11);
        assertThat(api.get("/api/v1/metrics/sum").json().getInteger("messages.publish"))
                .isEqualTo(11);
        assertThat(api.get("/api/v1/metrics/node-a").status()).isEqualTo(200);
    }

    /** The format cannot name missing nodes, and a sum without them would drop. */
    @Test
    void aSumOfCountersLacksNoNode() throws Exception {
        api.node.missing = List.of("node-b");
        Got sum = api.get("/api/v1/metrics/sum");
        assertThat(sum.status()).isEqualTo(503);
        assertThat(sum.problem()).isEqualTo("nodes-missing");
        assertThat(sum.json().getJsonArray("missingNodes")).containsExactly("node-b");
        assertThat(api.get("/api/v1/stats/sum").json().getJsonObject("nodes").getJsonObject("node-b"))
                .as("the answer lists each missing node")
                .isNotNull();
    }

    @Test
    void metricsComeInTheFormThatIsAskedForAndAreNotMadeForEachCaller() throws Exception {
        Got plain = api.get("/metrics");
        assertThat(plain.text()).isEqualTo("godwit_up 1\n");
        assertThat(plain.header("Content-Type")).startsWith("text/plain; version=0.0.4");
        assertThat(api.get("/metrics", "Accept", "application/openmetrics-text; version=1.0.0")
                        .type())
                .isEqualTo("application/openmetrics-text");
        for (int i = 0; i < 20; i++) {
            api.get("/metrics");
        }
        assertThat(api.node.scrapes.get()).isLessThan(15);
    }

    @Test
    void logLevelsAreSeenAndSet() throws Exception {
        Got put = api.send(
                "PUT", "/api/v1/log-levels/io.godwit.kv", "{\"level\":\"trace\"}", "Content-Type", "application/json");
        assertThat(put.status()).isEqualTo(204);
        assertThat(texts(api.get("/api/v1/log-levels").json().getJsonArray("items"), "logger"))
                .containsExactly("io.godwit", "io.godwit.kv");
    }

    @Test
    void theDocumentAndItsPageAreServedWithoutAnythingFromElsewhere() throws Exception {
        assertThat(api.get("/api/v1/openapi.yaml").text()).startsWith("openapi: 3.1.0");
        Got page = api.get("/api/v1/docs");
        assertThat(page.text())
                .doesNotContain("http://")
                .doesNotContain("https://")
                .doesNotContain("<script>");
        assertThat(page.header("Content-Security-Policy"))
                .contains("script-src 'self'")
                .doesNotContain("unsafe");
        for (String file : List.of("page.js", "swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png")) {
            Got got = api.get("/api/v1/docs/" + file);
            assertThat(got.status()).as(file).isEqualTo(200);
            assertThat(got.text()).as(file).isNotEmpty();
        }
    }

    @Test
    void answersTellBrowsersToBeCareful() throws Exception {
        Got got = api.get("/api/v1/nodes");
        assertThat(got.header("Content-Security-Policy")).isEqualTo("default-src 'none'; frame-ancestors 'none'");
        assertThat(got.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(got.header("Cache-Control")).isEqualTo("no-store");
        assertThat(got.header("Access-Control-Allow-Origin")).isEmpty();
    }
}
