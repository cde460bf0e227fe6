package io.godwit.api.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.audit.AuditLog;
import io.godwit.api.audit.RecordBudget;
import io.godwit.api.auth.Principal;
import io.godwit.api.auth.Role;
import io.godwit.api.contract.Contract;
import io.godwit.api.contract.Operation;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** The line of a change, and what it costs its caller. */
class AuditTest {
    private static final Principal ONE = token("one", "birds");

    private final Operation disconnect = Contract.load().operation("disconnectClient");
    private final RecordBudget budget = new RecordBudget(new RecordBudget.Bounds(300, 1_000_000), () -> 0);

    private static Principal token(String name, String tenant) {
        return new Principal(name, Role.OPERATOR, Optional.of(tenant), Principal.Kind.TOKEN, "file:12ab");
    }

    private IntFunction<String> line(Principal who, String clientId) {
        JsonObject parameters = new JsonObject().put("clientId", clientId);
        return Audit.line(budget, who, "192.0.2.7", disconnect, parameters, new JsonObject());
    }

    @Test
    void aLineNamesTheCallerTheChangeAndItsOutcome() {
        assertThat(line(ONE, "lamp").apply(204))
                .isEqualTo("by=one kind=token role=operator tenant=birds source=file:12ab address=192.0.2.7"
                        + " operation=disconnectClient parameters={\"clientId\":\"lamp\"} body={} status=204");
    }

    @Test
    void aChangeWhoseEndNobodySawHasAnUnknownOutcome() {
        assertThat(line(ONE, "lamp").apply(AuditLog.UNKNOWN)).endsWith(" status=unknown");
    }

    /** A caller that leaves before its turn writes nothing. */
    @Test
    void onlyALineThatIsMadeIsCharged() {
        for (int i = 0; i < 100; i++) {
            line(ONE, "x".repeat(1_000));
        }
        assertThat(budget.room(ONE.share())).isEqualTo(RecordBudget.Room.WHOLE);
        assertThat(line(ONE, "x".repeat(1_000)).apply(204)).isNotEmpty();
        assertThat(budget.room(ONE.share())).isEqualTo(RecordBudget.Room.SHORT);
    }

    @Test
    void theTokensOfATenantAreChargedTogether() {
        String clientId = "x".repeat(1_000);
        assertThat(line(ONE, clientId).apply(204)).contains(clientId);
        assertThat(line(token("two", "birds"), clientId).apply(204))
                .startsWith("by=two ")
                .contains("... of 1015 sha256=")
                .doesNotContain(clientId);
        assertThat(line(token("one", "fish"), clientId).apply(204)).contains(clientId);
    }
}
