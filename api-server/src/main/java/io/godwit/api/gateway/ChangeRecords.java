package io.godwit.api.gateway;

import io.godwit.api.audit.AuditLog;
import io.godwit.api.audit.RecordBudget;
import io.godwit.api.auth.Principal;
import io.godwit.api.contract.Operation;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Records changes, and refused attempts to change something, as far as the budget of each caller allows. Confined to
 * the event loop; other threads write the log.
 */
public final class ChangeRecords {
    private final AuditLog log;
    private final RecordBudget budget;

    /**
     * @param log records each change
     * @param budget how much each caller may have recorded
     */
    public ChangeRecords(AuditLog log, RecordBudget budget) {
        this.log = log;
        this.budget = budget;
    }

    /** Whether the caller may have nothing more recorded in this hour. */
    boolean isFull(Principal caller) {
        return budget.room(caller.share()) == RecordBudget.Room.NONE;
    }

    /** Records a refused attempt; only counts it if the caller may have nothing more recorded. */
    void refused(int status, Principal caller, String address, Operation operation, JsonObject parameters) {
        if (isFull(caller)) {
            log.skip();
        } else {
            log.note(status, Audit.line(budget, caller, address, operation, parameters, new JsonObject()));
        }
    }

    /** Begins the record of a change; null if it cannot be written now. */
    AuditLog.@Nullable Entry begin(
            Principal caller, String address, Operation operation, JsonObject parameters, JsonObject body) {
        return log.begin(Audit.line(budget, caller, address, operation, parameters, body));
    }
}
