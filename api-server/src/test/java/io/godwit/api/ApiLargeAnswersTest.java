package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.ApiFixture.Got;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import io.godwit.testing.Await;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Large answers do not hold up those of others. */
class ApiLargeAnswersTest {
    private static final String RETAINED = "/api/v1/retained";

    /** Each character takes six in JSON. */
    private static final String WIDE = "\u0001".repeat(60_000);

    /** Threads that are seen at making JSON while {@code work} goes on. */
    private static Set<String> encodersDuring(CompletableFuture<?> work) throws Exception {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        Await.until("the answers are there", () -> {
            for (Map.Entry<Thread, StackTraceElement[]> each :
                    Thread.getAllStackTraces().entrySet()) {
                for (StackTraceElement frame : each.getValue()) {
                    if (frame.getClassName().contains("jackson.core.json")
                            || frame.getClassName().equals("java.util.Base64$Encoder")) {
                        seen.add(each.getKey().getName());
                    }
                }
            }
            return work.isDone();
        });
        return seen;
    }

    private static CompletableFuture<List<Got>> ask(ApiFixture api, String path, int times) {
        return CompletableFuture.supplyAsync(() -> {
            List<Got> all = new ArrayList<>();
            for (int i = 0; i < times; i++) {
                try {
                    all.add(api.get(path));
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
            return all;
        });
    }

    private static Message message(String topic, byte[] payload, int properties) {
        List<UserProperty> user = new ArrayList<>();
        for (int i = 0; i < properties; i++) {
            user.add(new UserProperty("p", WIDE));
        }
        return new Message(
                topic,
                payload,
                Qos.AT_LEAST_ONCE,
                true,
                1_790_000_000_000L,
                new MessageProperties(-1, -1, null, null, null, user));
    }

    @Test
    void theLargestMessageIsMadeTextOffTheEventLoop() throws Exception {
        try (ApiFixture api = ApiFixture.open()) {
            api.node.messages.retained.put("a", message("a", new byte[1 << 20], 40));
            CompletableFuture<List<Got>> asked = ask(api, RETAINED + "/a", 4);
            Set<String> encoders = encodersDuring(asked);
            assertThat(asked.join()).allSatisfy(got -> {
                assertThat(got.status()).isEqualTo(200);
                JsonObject item = got.json().getJsonObject("item");
                assertThat(item.getJsonObject("properties").getJsonArray("userProperties"))
                        .hasSize(40);
            });
            assertThat(encoders).isNotEmpty().noneMatch(name -> name.contains("eventloop"));
        }
    }

    @Test
    void aListOfTheLongestTopicsIsMadeTextOffTheEventLoop() throws Exception {
        try (ApiFixture api = ApiFixture.open()) {
            for (int i = 0; i < 100; i++) {
                String topic = i + WIDE;
                api.node.messages.retained.put(topic, message(topic, new byte[0], 0));
            }
            CompletableFuture<List<Got>> asked = ask(api, RETAINED + "?filter=%23&fields=topic,qos", 2);
            Set<String> encoders = encodersDuring(asked);
            assertThat(asked.join()).allSatisfy(got -> {
                assertThat(got.status()).isEqualTo(200);
                assertThat(got.json().getJsonArray("items")).hasSize(100);
                assertThat(got.json().getJsonArray("items").getJsonObject(0).fieldNames())
                        .containsExactlyInAnyOrder("topic", "qos");
            });
            assertThat(encoders).isNotEmpty().noneMatch(name -> name.contains("eventloop"));
        }
    }

    @Test
    void anAnswerThatIsTooLargeIsRefusedBeforeItIsMade() throws Exception {
        try (ApiFixture api = ApiFixture.open()) {
            for (int i = 0; i < 250; i++) {
                String topic = 1_000 + i + WIDE;
                api.node.messages.retained.put(topic, message(topic, new byte[0], 0));
            }
            Got refused = api.get(RETAINED + "?filter=%23&limit=1000");
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.json().getString("detail")).contains("ask for less");
            assertThat(api.get(RETAINED + "?filter=%23&limit=10").status()).isEqualTo(200);
        }
    }
}
