package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.ApiFixture.Got;
import io.godwit.api.port.client.ClientReference;
import io.godwit.api.port.client.SubscriptionAdmin.Subscription;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Stored sessions, their queues, and subscriptions. */
class ApiSessionsTest {
    private static final String SESSIONS = "/api/v1/sessions";

    private ApiFixture api;
    private FakeSessions fake;

    @BeforeEach
    void open() throws Exception {
        api = ApiFixture.open();
        fake = api.node.sessions;
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

    /** The ids on all pages. */
    private List<String> all(String query) throws Exception {
        List<String> ids = new ArrayList<>();
        String cursor = "";
        while (cursor != null) {
            Got page = api.get(SESSIONS + "?" + query + (cursor.isEmpty() ? "" : "&cursor=" + cursor));
            assertThat(page.status()).as(page.text()).isEqualTo(200);
            ids.addAll(texts(page.json().getJsonArray("items"), "clientId"));
            cursor = page.json().getString("next");
        }
        return ids;
    }

    @Test
    void sessionsComeInPagesAndAreFiltered() throws Exception {
        for (int i = 0; i < 5; i++) {
            fake.add("default", "lamp-" + i, i % 2 == 0, 10L * i);
        }
        fake.add("other", "my-lamp", false, 0);
        assertThat(all("limit=2")).hasSize(6).doesNotHaveDuplicates();
        assertThat(all("limit=2&tenant=other")).containsExactly("my-lamp");
        assertThat(all("limit=2&clientIdPrefix=lamp")).hasSize(5);
        assertThat(all("limit=2&clientIdContains=y-l")).containsExactly("my-lamp");
        assertThat(all("limit=2&onlyDisconnected=true")).containsExactly("lamp-1", "lamp-3", "my-lamp");
        assertThat(all("minQueued=30")).containsExactly("lamp-3", "lamp-4");
    }

    @Test
    void aSearchThatFindsNothingInTimeGoesOn() throws Exception {
        fake.add("default", "lamp", false, 0);
        fake.isSlow = true;
        Got page = api.get(SESSIONS);
        assertThat(page.json().getJsonArray("items")).isEmpty();
        assertThat(page.json().getString("next")).isNotEmpty();
        fake.isSlow = true;
        assertThat(all("limit=1")).containsExactly("lamp");
    }

    @Test
    void aCursorThatIsNoneIsNamed() throws Exception {
        for (String path : List.of(SESSIONS + "?cursor=nothing", "/api/v1/clients/c/subscriptions?cursor=bm90aGluZw")) {
            Got got = api.get(path);
            assertThat(got.status()).isEqualTo(400);
            assertThat(got.problem()).isEqualTo("invalid-request");
            assertThat(got.field()).isEqualTo("cursor");
        }
    }

    @Test
    void oneSessionIsToldEndedAndItsQueueEmptied() throws Exception {
        String id = "a/b c+d%2F\u00e9";
        String path = SESSIONS + "/a%2Fb%20c+d%252F%C3%A9";
        fake.add("t1", id, false, 9);
        assertThat(api.get(path).status()).isEqualTo(404);
        JsonObject item = api.get(path + "?tenant=t1").json().getJsonObject("item");
        assertThat(item.getString("clientId")).isEqualTo(id);
        assertThat(item.getLong("queuedMessages")).isEqualTo(9);
        assertThat(item.getString("home")).isEqualTo("node-a");

        assertThat(api.send("DELETE", path + "/queue", null).status()).isEqualTo(404);
        Got purged = api.send("DELETE", path + "/queue?tenant=t1", null);
        assertThat(purged.status()).isEqualTo(200);
        assertThat(purged.json().getMap()).containsEntry("messages", 8).containsEntry("kept", 1);

        assertThat(api.send("DELETE", path + "?tenant=t1", null).status()).isEqualTo(204);
        assertThat(api.send("DELETE", path + "?tenant=t1", null).status()).isEqualTo(404);
        assertThat(fake.calls)
                .containsExactly("purge default " + id, "purge t1 " + id, "delete t1 " + id, "delete t1 " + id);
    }

    @Test
    void theSubscriptionsOfAClientComeInPages() throws Exception {
        List<Subscription> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            all.add(new Subscription("a/" + i + "/+", i % 3, true, false, i));
        }
        fake.subscribed.put(new ClientReference("default", "c/1"), all);
        List<String> filters = new ArrayList<>();
        String cursor = "";
        while (cursor != null) {
            Got page = api.get(
                    "/api/v1/clients/c%2F1/subscriptions?limit=2" + (cursor.isEmpty() ? "" : "&cursor=" + cursor));
            filters.addAll(texts(page.json().getJsonArray("items"), "filter"));
            cursor = page.json().getString("next");
        }
        assertThat(filters).containsExactly("a/0/+", "a/1/+", "a/2/+", "a/3/+", "a/4/+");
        assertThat(api.get("/api/v1/clients/nobody/subscriptions").status()).isEqualTo(404);
        fake.missing = List.of("node-b");
        Got open = api.get("/api/v1/clients/nobody/subscriptions");
        assertThat(open.status()).isEqualTo(503);
        assertThat(open.json().getJsonArray("missingNodes")).containsExactly("node-b");
    }

    @Test
    void subscribersOfAFilterAndReceiversOfATopicAreListed() throws Exception {
        Got got = api.get("/api/v1/subscriptions?filter=a/%2B/%23");
        assertThat(got.status()).isEqualTo(200);
        assertThat(got.json().getLong("total")).isEqualTo(7);
        assertThat(texts(got.json().getJsonArray("items"), "sharedFilter")).containsExactly("$share/g/a/+");
        assertThat(api.get("/api/v1/subscriptions/matching?topic=a/b&tenant=t1").status())
                .isEqualTo(200);
        assertThat(fake.calls).containsExactly("filter default a/+/#", "topic t1 a/b");

        assertThat(api.get("/api/v1/subscriptions").field()).isEqualTo("filter");
        Got wrong = api.get("/api/v1/subscriptions/matching?topic=a/%23");
        assertThat(wrong.status()).isEqualTo(400);
        assertThat(wrong.field()).isEqualTo("topic");
    }

    @Test
    void aClientIsSubscribedAndUnsubscribedInItsStead() throws Exception {
        String path = "/api/v1/clients/c%2F1/subscriptions";
        String[] json = {"Content-Type", "application/json"};
        String body = "{\"subscriptions\":[{\"filter\":\"a/#\",\"qos\":1,\"noLocal\":true,\"retainHandling\":2},"
                + "{\"filter\":\"b\"}],\"subscriptionId\":7}";
        assertThat(api.send("POST", path, body, json).status()).isEqualTo(404);
        fake.add("default", "c/1", true, 0);
        Got got = api.send("POST", path, body, json);
        assertThat(got.status()).as(got.text()).isEqualTo(200);
        assertThat(texts(got.json().getJsonArray("items"), "filter")).containsExactly("a/#", "b");
        assertThat(texts(got.json().getJsonArray("items"), "reasonCode")).containsExactly("1", "1");
        Got gone = api.send("DELETE", path + "?filter=a/%23", null);
        assertThat(texts(gone.json().getJsonArray("items"), "reasonCode")).containsExactly("17");
        assertThat(fake.calls).last().isEqualTo("unsubscribe default c/1 [a/#]");
        assertThat(fake.calls)
                .element(1)
                .isEqualTo("subscribe default c/1 7 [Wanted[filter=a/#, qos=1, noLocal=true, retainAsPublished=false, "
                        + "retainHandling=2], Wanted[filter=b, qos=0, noLocal=false, retainAsPublished=false, "
                        + "retainHandling=0]]");

        assertThat(api.send("POST", path, "{\"subscriptions\":[]}", json).field())
                .isEqualTo("subscriptions");
        assertThat(api.send("POST", path, "{\"subscriptions\":[{\"filter\":\"a\",\"qos\":3}]}", json)
                        .field())
                .isEqualTo("subscriptions.0.qos");
        assertThat(api.send("POST", path, "{\"subscriptions\":[{\"filter\":\"#/#\"}]}", json)
                        .field())
                .isEqualTo("subscriptions");
        assertThat(api.send("POST", path, "{\"subscriptions\":[{\"filter\":\"\\u0000\"}]}", json)
                        .field())
                .isEqualTo("subscriptions.0.filter");
        fake.missing = List.of("node-b");
        Got open = api.send("DELETE", "/api/v1/clients/nobody/subscriptions?filter=a", null);
        assertThat(open.status()).isEqualTo(503);
    }

    @Test
    void sharedGroupsComeInPagesWithTheirMembers() throws Exception {
        List<String> filters = new ArrayList<>();
        String cursor = "";
        while (cursor != null) {
            Got page = api.get("/api/v1/groups?limit=1" + (cursor.isEmpty() ? "" : "&cursor=" + cursor));
            assertThat(page.status()).as(page.text()).isEqualTo(200);
            filters.addAll(texts(page.json().getJsonArray("items"), "sharedFilter"));
            cursor = page.json().getString("next");
        }
        assertThat(filters).containsExactly("$queue/a", "$share/g/a/+", "$share/h/a/+");
        JsonObject one =
                api.get("/api/v1/groups?group=g").json().getJsonArray("items").getJsonObject(0);
        assertThat(one.getMap())
                .containsEntry("live", 2)
                .containsEntry("stored", 3)
                .containsEntry("sharing", "shared");
        assertThat(api.get("/api/v1/groups?filter=a/%2B").json().getJsonArray("items"))
                .hasSize(2);
        assertThat(api.get("/api/v1/groups?cursor=bm90aGluZw").field()).isEqualTo("cursor");

        Got members = api.get("/api/v1/groups/%24share%2Fg%2Fa%2F%2B/members?tenant=t1");
        assertThat(members.json().getLong("total")).isEqualTo(7);
        assertThat(fake.calls).containsExactly("filter t1 $share/g/a/+");
        assertThat(api.get("/api/v1/groups/a/members").field()).isEqualTo("sharedFilter");
    }
}
