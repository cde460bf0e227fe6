package io.godwit.api.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OperationTest {
    /** A query may have a hundred thousand commas. */
    @Test
    void aListThatIsTooLongIsNotMade() {
        Operation operation = Contract.load().operation("listNodes");
        assertThatThrownBy(() -> operation.parameters(List.of(Map.entry("fields", "id" + ",id".repeat(50))), Map.of()))
                .isInstanceOfSatisfying(
                        InvalidRequestException.class,
                        wrong -> assertThat(wrong.errors())
                                .containsExactly(new FieldError("fields", "has more than 50 parts")));
        assertThatCode(() -> operation.parameters(List.of(Map.entry("fields", "id" + ",id".repeat(49))), Map.of()))
                .doesNotThrowAnyException();
    }

    /** The message must not read as an unknown tenant. */
    @Test
    void anUnknownFieldOfABodyIsCalledSo() {
        Operation publish = Contract.load().operation("publishMessage");
        JsonObject body = new JsonObject().put("topic", "t").put("payload", "x");
        assertThatCode(() -> publish.checkBody(body)).doesNotThrowAnyException();
        body.put("tenant", "birds").put("topics", "t");
        assertThatThrownBy(() -> publish.checkBody(body))
                .isInstanceOfSatisfying(
                        InvalidRequestException.class,
                        wrong -> assertThat(wrong.errors())
                                .containsExactlyInAnyOrder(
                                        new FieldError(
                                                "tenant", "is no field of the body, but a parameter of the address"),
                                        new FieldError("topics", "is no field of the body")));
    }

    /** They are read when an answer is first compared, which few brokers do. */
    @Test
    void answersOfTheDocumentHaveSchemasThatCanBeUsed() {
        AtomicInteger schemas = new AtomicInteger();
        for (Operation operation : Contract.load().operations()) {
            assertThat(operation.answers()).as(operation.id()).isNotEmpty();
            operation
                    .answers()
                    .forEach((status, byType) -> byType.forEach((type, schema) -> {
                        assertThatCode(() -> new SchemaCheck(schema).errors("a text"))
                                .as("%s %s %s", operation.id(), status, type)
                                .doesNotThrowAnyException();
                        schemas.incrementAndGet();
                    }));
        }
        assertThat(schemas.get()).isGreaterThan(30);
    }

    /** Each of them asks all nodes, or may read much, whatever its parameters are. */
    @Test
    void readsOfAllNodesAreSearches() {
        assertThat(Contract.load().operations().stream()
                        .filter(Operation::isSearch)
                        .map(Operation::id))
                .contains(
                        "listClients",
                        "history",
                        "topSlowSubscribers",
                        "topClients",
                        "topTopics",
                        "configuration",
                        "listPlugins",
                        "listBalancers",
                        "listReplicas",
                        "drainState")
                .doesNotContain("getClient", "disconnectClient", "publishMessage", "streamEvents");
    }
}
