package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.contract.Contract;
import io.godwit.api.contract.Operation;
import io.godwit.api.port.access.AuditSink;
import io.godwit.api.port.watch.EventTypes;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The served API and the document are the same. */
class ApiContractTest {
    private static ApiServer server(ApiPorts ports) {
        return new ApiServer(
                new ApiConfig("127.0.0.1", 0, Optional.empty(), Optional.<Path>empty(), true, ApiFixture.LIMITS),
                ports);
    }

    @Test
    void eachOperationOfTheDocumentIsAnsweredAndNoOther() {
        try (ApiServer server = server(ApiFixture.ports(new FakeNode(), ApiFixture.TRUSTED))) {
            assertThat(server.operations())
                    .extracting(Operation::id)
                    .containsExactlyInAnyOrderElementsOf(Contract.load().operations().stream()
                            .map(Operation::id)
                            .toList());
        }
    }

    @Test
    void withoutItsPortAnOperationIsNotThere() throws Exception {
        FakeNode node = new FakeNode();
        ApiPorts few = new ApiPorts(
                node,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                AuditSink.ofLogger(),
                node.counts,
                ApiFixture.TRUSTED,
                ApiFixture.ContentWatch::new);
        try (ApiServer server = server(few)) {
            assertThat(server.operations())
                    .extracting(Operation::id)
                    .containsExactlyInAnyOrder(
                            "live",
                            "ready",
                            "listNodes",
                            "listStores",
                            "listRanges",
                            "openApi",
                            "docs",
                            "docsFile",
                            "dashboard",
                            "dashboardFile",
                            "whoAmI");
        }
    }

    /** A streamed answer has a schema for each event, uses GET, and needs a role. */
    @Test
    void streamsSayWhatTheySend() {
        List<Operation> streams = Contract.load().operations().stream()
                .filter(operation ->
                        operation.answerErrors(200, "text/event-stream", "text").isEmpty())
                .toList();
        assertThat(streams)
                .extracting(Operation::id)
                .contains("streamEvents", "streamTrace")
                .containsExactlyElementsOf(Contract.load().operations().stream()
                        .filter(Operation::isStream)
                        .map(Operation::id)
                        .toList());
        assertThat(streams).allSatisfy(operation -> {
            assertThat(operation.method()).isEqualTo("GET");
            assertThat(operation.role()).isPresent();
            assertThat(operation.events()).containsKeys("node", "lost", "end");
            assertThat(operation.eventErrors("other", new JsonObject())).isNotEmpty();
            assertThat(operation.eventErrors("end", new JsonObject().put("reason", "duration")))
                    .isEmpty();
            assertThat(operation.eventErrors("end", new JsonObject().put("reason", "boredom")))
                    .isNotEmpty();
        });
    }

    @Test
    void eventsHaveTheNamesThatTheBrokerHas() {
        Operation events = Contract.load().operation("streamEvents");
        List<?> known = events.events()
                .get("event")
                .getJsonObject("properties")
                .getJsonObject("type")
                .getJsonArray("enum")
                .getList();
        assertThat(known).map(String::valueOf).containsExactlyElementsOf(EventTypes.all());
    }

    @Test
    void changesNeedMoreThanTheRoleViewer() {
        List<Operation> changing =
                Contract.load().operations().stream().filter(Operation::changes).toList();
        assertThat(changing)
                .isNotEmpty()
                .allSatisfy(
                        operation -> assertThat(operation.role().orElseThrow().spelled())
                                .as(operation.id())
                                .isNotEqualTo("viewer"));
    }

    @Test
    void onlyHealthDocumentAndEmptyDashboardNeedNoToken() {
        assertThat(Contract.load().operations())
                .filteredOn(operation -> operation.role().isEmpty())
                .extracting(Operation::id)
                .containsExactlyInAnyOrder(
                        "live", "ready", "openApi", "docs", "docsFile", "dashboard", "dashboardFile");
    }
}
