package io.godwit.api.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SchemaCheckTest {
    private static final SchemaCheck CHECK = new SchemaCheck(new JsonObject("""
            {"type": "object", "additionalProperties": false, "required": ["level"], "properties": {
              "level": {"type": "string", "enum": ["a", "b"]},
              "count": {"type": "integer", "enum": [3, 4]},
              "list": {"type": "array", "items": {"type": "object", "additionalProperties": false,
                "required": ["x"], "properties": {"x": {"type": "integer", "maximum": 5}}}}}}
            """));

    private static String errors(String json) {
        return CHECK.errors(new JsonObject(json)).stream()
                .map(error -> error.field() + ": " + error.message())
                .sorted()
                .toList()
                .toString();
    }

    @Test
    void theInnermostFaultOfEachFieldIsTold() {
        assertThat(errors("{\"level\": \"a\", \"count\": 3, \"list\": [{\"x\": 1}]}"))
                .isEqualTo("[]");
        assertThat(CHECK.errors(new JsonObject().put("level", "a").put("count", 4L)))
                .isEmpty();
        assertThat(errors("{}")).isEqualTo("[level: is missing]");
        assertThat(errors("{\"level\": \"a\", \"more\": {\"y\": 1}}")).isEqualTo("[more: is no field of the body]");
        assertThat(errors("{\"level\": 1, \"more\": 1}"))
                .startsWith("[level: ")
                .contains("more: is no field of the body")
                .doesNotContain("level: is no field of the body");
        assertThat(errors("{\"level\": \"a\", \"list\": [{\"x\": 1}, {\"x\": 9}, {}, {\"x\": 1, \"y\": 2}]}"))
                .contains("list.1.x: ")
                .contains("list.2.x: is missing")
                .contains("list.3.y: is no field of the body");
    }

    /** A caller chooses how many. With a look at all faults for each it took minutes, on an event loop. */
    @Test
    void manyFaultsAreFoundInLinearTime() {
        JsonArray list = new JsonArray();
        for (int i = 0; i < 20_000; i++) {
            list.add(new JsonObject().put("x", 1).put("y", 0));
        }
        JsonObject body = new JsonObject().put("level", "a").put("list", list);
        assertTimeout(
                Duration.ofSeconds(20),
                () -> assertThat(CHECK.errors(body))
                        .hasSize(20)
                        .allSatisfy(error -> assertThat(error.message()).isEqualTo("is no field of the body")));
    }

    /** To Java a dollar sign is also the place before a line break at the end. */
    @Test
    void aPatternIsOfTheWholeText() {
        SchemaCheck check =
                new SchemaCheck(new JsonObject().put("type", "string").put("pattern", "^[a-z]{1,4}$"));
        assertThat(check.errors("ab")).isEmpty();
        assertThat(check.errors("ab\n")).isNotEmpty();
        assertThat(check.errors("ab\u2028")).isNotEmpty();
        SchemaCheck escaped =
                new SchemaCheck(new JsonObject().put("type", "string").put("pattern", "^a\\$"));
        assertThat(escaped.errors("a$b")).isEmpty();
    }

    @Test
    void referencesInACircleAreRefused() {
        JsonObject document = new JsonObject("{\"a\": {\"$ref\": \"#/a\"}}");
        assertThatThrownBy(() -> SchemaCheck.inlined(document, document, 0)).hasMessageContaining("circle");
        JsonObject lost = new JsonObject("{\"a\": {\"$ref\": \"#/b\"}}");
        assertThatThrownBy(() -> SchemaCheck.inlined(lost, lost, 0)).hasMessageContaining("#/b");
    }
}
