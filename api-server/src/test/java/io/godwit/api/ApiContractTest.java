package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.contract.Contract;
import io.godwit.api.contract.Operation;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is served and what is written down are the same. */
class ApiContractTest {
    private static ApiServer server(ApiPorts ports) {
        return new ApiServer(
                new ApiConfig("127.0.0.1", 0, Optional.empty(), Optional.<Path>empty(), true, ApiFixture.LIMITS),
                ports);
    }

    @Test
    void eachOperationOfTheDocumentIsAnsweredAndNoOther() {
        try (ApiServer server = server(ApiFixture.ports(new FakeNode(), (here, there) -> true))) {
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
                (here, there) -> true,
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

    @Test
    void whatChangesSomethingNeedsMoreThanAViewer() {
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
    void onlyHealthTheDocumentAndTheEmptyDashboardNeedNobody() {
        assertThat(Contract.load().operations())
                .filteredOn(operation -> operation.role().isEmpty())
                .extracting(Operation::id)
                .containsExactlyInAnyOrder(
                        "live", "ready", "openApi", "docs", "docsFile", "dashboard", "dashboardFile");
    }
}
