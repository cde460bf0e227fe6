package io.godwit.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonWeightTest {
    private static JsonObject of(String text) {
        return new JsonObject(Map.of("items", new JsonArray(List.of(new JsonObject().put("name", text), 5, true))));
    }

    /** The size as text is never larger than the count, for any text. */
    @Test
    void aCountIsNotLessThanTheText() {
        for (String each : List.of("", "a", "\u0001", "\u007f", "\u00e9", "\u2028", "\ud83d\ude00", "\ud800", "/")) {
            JsonObject json = of(each.repeat(1_000));
            long counted = JsonWeight.bytes(json, Long.MAX_VALUE);
            assertThat(counted)
                    .as(each)
                    .isGreaterThanOrEqualTo(Json.encodeToBuffer(json).length());
            assertThat(JsonWeight.isSmall(json, counted - 1)).as(each).isFalse();
        }
        JsonObject withNull = new JsonObject().putNull("nothing").put("quote", "\"\\".repeat(2));
        assertThat(JsonWeight.bytes(withNull, 1_000))
                .isGreaterThanOrEqualTo(withNull.encode().length());
    }

    @Test
    void aCountEndsSoonBehindItsBound() {
        JsonArray many = new JsonArray();
        for (int i = 0; i < 1_000; i++) {
            many.add(new JsonArray(List.of("x".repeat(100))));
        }
        assertThat(JsonWeight.bytes(many, 1_000)).isBetween(1_001L, 1_200L);
        assertThat(JsonWeight.isSmall(many, 1_000)).isFalse();
        assertThat(JsonWeight.isSmall(new JsonObject(), 16)).isTrue();
    }
}
