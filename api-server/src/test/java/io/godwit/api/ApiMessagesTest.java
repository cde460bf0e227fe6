package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.godwit.api.ApiFixture.Got;
import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.message.DelayedAdmin.DelayedView;
import io.godwit.api.port.message.MessagePublisher.Outcome;
import io.godwit.api.port.message.MessagePublisher.Outgoing;
import io.godwit.api.port.message.MessagePublisher.TooFastException;
import io.godwit.api.port.message.MessagePublisher.TooLargeException;
import io.godwit.api.port.message.MessagePublisher.WrongFieldException;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Publishing, and retained messages. */
class ApiMessagesTest {
    private static final String RETAINED = "/api/v1/retained";

    private ApiFixture api;
    private FakeMessages fake;

    @BeforeEach
    void open() throws Exception {
        api = ApiFixture.open();
        fake = api.node.messages;
    }

    @AfterEach
    void close() {
        api.close();
    }

    private Got publish(String query, JsonObject body) throws Exception {
        return api.send("POST", "/api/v1/publish" + query, body.encode(), "Content-Type", "application/json");
    }

    private Outgoing published() {
        return fake.published.get(fake.published.size() - 1).message();
    }

    @Test
    void aMessageIsPublishedAsItIsSaid() throws Exception {
        JsonObject plain = new JsonObject().put("topic", "a/\u00e9").put("payload", "\u00fc\0");
        Got got = publish("", plain);
        assertThat(got.status()).as(got.text()).isEqualTo(200);
        assertThat(got.json().getString("outcome")).isEqualTo("delivered");
        assertThat(fake.published.get(0).tenant()).isEqualTo("default");
        assertThat(published().topic()).isEqualTo("a/\u00e9");
        assertThat(published().payload()).isEqualTo("\u00fc\0".getBytes(StandardCharsets.UTF_8));
        assertThat(published().qos()).isEqualTo(Qos.AT_MOST_ONCE);
        assertThat(published().retain()).isFalse();
        assertThat(published().properties()).isSameAs(MessageProperties.NONE);

        JsonObject rich = new JsonObject()
                .put("topic", "a")
                .put("payload", "AP8=")
                .put("encoding", "base64")
                .put("qos", 2)
                .put("retain", true)
                .put(
                        "properties",
                        new JsonObject()
                                .put("payloadFormat", 0)
                                .put("messageExpirySeconds", 4_294_967_295L)
                                .put("contentType", "t")
                                .put("responseTopic", "r/1")
                                .put("correlationData", "AQ==")
                                .put(
                                        "userProperties",
                                        new JsonArray().add(new JsonObject(Map.of("name", "k", "value", "v")))));
        fake.outcome = Outcome.NO_SUBSCRIBERS;
        assertThat(publish("?tenant=t1", rich).json().getString("outcome")).isEqualTo("no-subscribers");
        assertThat(fake.published.get(1).tenant()).isEqualTo("t1");
        assertThat(published().payload()).containsExactly(0, 255);
        assertThat(published().qos()).isEqualTo(Qos.EXACTLY_ONCE);
        assertThat(published().retain()).isTrue();
        MessageProperties properties = published().properties();
        assertThat(properties.payloadFormat()).isZero();
        assertThat(properties.messageExpirySeconds()).isEqualTo(4_294_967_295L);
        assertThat(properties.contentType()).isEqualTo("t");
        assertThat(properties.responseTopic()).isEqualTo("r/1");
        assertThat(properties.correlationData()).containsExactly(1);
        assertThat(properties.userProperties()).containsExactly(new UserProperty("k", "v"));
    }

    private void isWrong(String body, String field) throws Exception {
        Got got = api.send("POST", "/api/v1/publish", body, "Content-Type", "application/json");
        assertThat(got.status()).as(body).isEqualTo(400);
        assertThat(got.field()).as(body).isEqualTo(field);
        assertThat(fake.published).isEmpty();
    }

    @Test
    void valuesThatNoPacketCanHaveAreRefused() throws Exception {
        isWrong("{}", "topic");
        for (String topic : List.of("a/+", "#", "a\\u0000b", "\\ud800", "x\\udc00")) {
            isWrong("{\"topic\":\"" + topic + "\"}", "topic");
        }
        isWrong("{\"topic\":\"a\",\"payload\":\"\\ud800\"}", "payload");
        isWrong("{\"topic\":\"a\",\"payload\":\"%\",\"encoding\":\"base64\"}", "payload");
        isWrong("{\"topic\":\"a\",\"qos\":3}", "qos");
        isWrong("{\"topic\":\"a\",\"ttl\":3}", "ttl");
        isWrong("{\"topic\":\"a\",\"properties\":{\"responseTopic\":\"+\"}}", "properties.responseTopic");
        isWrong("{\"topic\":\"a\",\"properties\":{\"contentType\":\"\\u0000\"}}", "properties.contentType");
        isWrong("{\"topic\":\"a\",\"properties\":{\"correlationData\":\"*\"}}", "properties.correlationData");
        isWrong(
                "{\"topic\":\"a\",\"properties\":{\"userProperties\":[{\"name\":\"\\ud800\",\"value\":\"\"}]}}",
                "properties.userProperties.0.name");
        isWrong(
                "{\"topic\":\"a\",\"payload\":\"/w==\",\"encoding\":\"base64\",\"properties\":{\"payloadFormat\":1}}",
                "payload");
        isWrong(
                "{\"topic\":\"a\",\"properties\":{\"messageExpirySeconds\":4294967296}}",
                "properties.messageExpirySeconds");
    }

    @Test
    void theOutcomeIsToldAsItIs() throws Exception {
        JsonObject body = new JsonObject().put("topic", "a");
        fake.outcome = Outcome.OVERLOADED;
        Got full = publish("", body);
        assertThat(full.status()).isEqualTo(503);
        assertThat(full.problem()).isEqualTo("unavailable");
        fake.outcome = Outcome.NOT_STORED;
        Got lost = publish("", body);
        assertThat(lost.status()).isEqualTo(503);
        assertThat(lost.problem()).isEqualTo("not-stored");
        Got forbidden = publish("", new JsonObject().put("topic", "$SYS/broker/x"));
        assertThat(forbidden.status()).isEqualTo(403);
    }

    @Test
    void aMessageThatTheTenantMayNotPublishIsRefusedWithTheSetting() throws Exception {
        JsonObject body = new JsonObject().put("topic", "a").put("qos", 2);
        fake.refusal = new WrongFieldException("qos", "is too high: maxQos of the tenant is 1");
        Got wrong = publish("", body);
        assertThat(wrong.status()).isEqualTo(400);
        assertThat(wrong.field()).isEqualTo("qos");
        assertThat(wrong.text()).contains("maxQos of the tenant is 1");
        fake.refusal = new TooLargeException("maxPayloadBytes");
        Got large = publish("", body);
        assertThat(large.status()).isEqualTo(413);
        assertThat(large.problem()).isEqualTo("too-large");
        fake.refusal = new TooFastException("maxTenantPublishRate", Duration.ofMillis(2_001));
        Got fast = publish("", body);
        assertThat(fast.status()).isEqualTo(429);
        assertThat(fast.problem()).isEqualTo("too-many-requests");
        assertThat(fast.header("Retry-After")).isEqualTo("3");
        fake.refusal = new TooFastException("maxTenantPublishRate", Duration.ZERO);
        assertThat(publish("", body).header("Retry-After")).isEqualTo("1");
        fake.refusal = new LimitReachedException("maxRetainedMessages");
        Got full = publish("", body);
        assertThat(full.status()).isEqualTo(409);
        assertThat(full.problem()).isEqualTo("limit-reached");
        assertThat(full.text()).contains("maxRetainedMessages");
        assertThat(fake.published).isEmpty();
    }

    @Test
    void theAuditHasNoPayload() throws Exception {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger audit = (Logger) LoggerFactory.getLogger("io.godwit.audit");
        audit.addAppender(lines);
        audit.setLevel(Level.INFO);
        try {
            publish("", new JsonObject().put("topic", "a").put("payload", "secret"));
        } finally {
            audit.detachAppender(lines);
            audit.setLevel(null);
        }
        assertThat(lines.list).hasSize(1);
        assertThat(lines.list.get(0).getFormattedMessage())
                .contains("operation=publishMessage", "\"topic\":\"a\"", "status=200")
                .doesNotContain("secret");
    }

    private void retain(String topic, byte[] payload, MessageProperties properties) {
        fake.retained.put(topic, new Message(topic, payload, Qos.AT_LEAST_ONCE, true, 1_000, properties));
    }

    @Test
    void retainedMessagesComeInPagesWithoutPayloads() throws Exception {
        for (int i = 0; i < 5; i++) {
            retain("t" + i, new byte[i + 1], new MessageProperties(-1, 60, null, null, null, List.of()));
        }
        List<String> topics = new ArrayList<>();
        String cursor = "";
        while (cursor != null) {
            Got page = api.get(RETAINED + "?filter=%23&limit=2" + (cursor.isEmpty() ? "" : "&cursor=" + cursor));
            assertThat(page.status()).as(page.text()).isEqualTo(200);
            page.json().getJsonArray("items").forEach(item -> topics.add(((JsonObject) item).getString("topic")));
            assertThat(page.json().getJsonArray("items").getJsonObject(0).getLong("expiresAtMillis"))
                    .isEqualTo(61_000);
            cursor = page.json().getString("next");
        }
        assertThat(topics).containsExactly("t0", "t1", "t2", "t3", "t4");
        assertThat(api.get(RETAINED).field()).isEqualTo("filter");
        assertThat(api.get(RETAINED + "?filter=a/%23/b").field()).isEqualTo("filter");
        Got wrong = api.get(RETAINED + "?filter=%23&cursor=none");
        assertThat(wrong.status()).isEqualTo(400);
        assertThat(wrong.field()).isEqualTo("cursor");
    }

    @Test
    void oneRetainedMessageIsToldByItsEncodedTopicAndCleared() throws Exception {
        MessageProperties all =
                new MessageProperties(1, 60, "t", "r", new byte[] {1}, List.of(new UserProperty("k", "v")));
        retain("/a b/../c%2F", "\u00fc".getBytes(StandardCharsets.UTF_8), all);
        String path = RETAINED + "/%2Fa%20b%2F..%2Fc%252F";
        Got got = api.get(path);
        assertThat(got.status()).as(got.text()).isEqualTo(200);
        JsonObject item = got.json().getJsonObject("item");
        assertThat(item.getString("payload")).isEqualTo("\u00fc");
        assertThat(item.getString("encoding")).isEqualTo("text");
        assertThat(item.getJsonObject("properties").getJsonArray("userProperties"))
                .hasSize(1);
        assertThat(item.getJsonObject("properties").getString("correlationData"))
                .isEqualTo("AQ==");

        retain("bin", new byte[] {(byte) 255}, MessageProperties.NONE);
        assertThat(api.get(RETAINED + "/bin").json().getJsonObject("item").getString("payload"))
                .isEqualTo("/w==");
        retain("large", new byte[(1 << 20) + 1], MessageProperties.NONE);
        JsonObject large = api.get(RETAINED + "/large").json().getJsonObject("item");
        assertThat(large.containsKey("payload")).isFalse();
        assertThat(large.getInteger("payloadBytes")).isEqualTo((1 << 20) + 1);

        assertThat(api.get(RETAINED + "/none").status()).isEqualTo(404);
        assertThat(api.get(RETAINED + "/a%2F%23").field()).isEqualTo("topic");
        assertThat(api.get(path + "?tenant=t1").status()).isEqualTo(404);
        assertThat(api.send("DELETE", path + "?tenant=t1", null).status()).isEqualTo(404);
        assertThat(api.send("DELETE", path, null).status()).isEqualTo(204);
        assertThat(api.send("DELETE", path, null).status()).isEqualTo(404);
    }

    @Test
    void thoseThatMatchAreClearedInPartsThatAreTold() throws Exception {
        for (int i = 0; i < 3; i++) {
            retain("t" + i, new byte[1], MessageProperties.NONE);
        }
        Got first = api.send("DELETE", RETAINED + "?filter=%23&limit=2", null);
        assertThat(first.json().getMap()).containsEntry("messages", 2).containsEntry("next", "t1");
        Got second = api.send("DELETE", RETAINED + "?filter=%23&limit=2&cursor=t1", null);
        assertThat(second.json().getMap()).containsOnlyKeys("messages");
        assertThat(api.send("DELETE", RETAINED, null).field()).isEqualTo("filter");
    }

    @Test
    void messagesThatWaitAreListedAndDiscarded() throws Exception {
        for (int i = 0; i < 3; i++) {
            api.node.delayed.waiting.add(new DelayedView("id" + i, "rooms/" + i, "lamp", 1, 5, 1_000));
        }
        Got page = api.get("/api/v1/delayed?limit=2");
        assertThat(page.json().getJsonArray("items")).hasSize(2);
        assertThat(page.json().getString("next")).isEqualTo("at2");
        assertThat(api.get("/api/v1/delayed?filter=rooms/1").json().getJsonArray("items"))
                .hasSize(1);
        assertThat(api.get("/api/v1/delayed?filter=%23/a").field()).isEqualTo("filter");
        assertThat(api.get("/api/v1/delayed?cursor=nothing").field()).isEqualTo("cursor");
        Got count = api.get("/api/v1/delayed/count");
        assertThat(count.json().getMap()).containsEntry("messages", 3).containsEntry("complete", true);
        assertThat(api.send("DELETE", "/api/v1/delayed/id1", null).status()).isEqualTo(204);
        assertThat(api.send("DELETE", "/api/v1/delayed/id1", null).status()).isEqualTo(404);
        assertThat(api.send("DELETE", "/api/v1/delayed", null).field()).isEqualTo("filter");
        Got all = api.send("DELETE", "/api/v1/delayed?filter=%23", null);
        assertThat(all.json().getInteger("messages")).isEqualTo(2);
        assertThat(api.node.delayed.waiting).isEmpty();
    }
}
