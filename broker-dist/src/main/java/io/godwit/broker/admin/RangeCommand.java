package io.godwit.broker.admin;

import io.godwit.broker.admin.AdminException.Kind;
import io.godwit.broker.admin.Messages.ActionKind;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Parameters;

/** A command that changes one range. It goes by the epoch that the range has when it is asked for. */
abstract class RangeCommand extends NodeCommand {
    @Parameters(index = "0", paramLabel = "STORE", description = "inbox, dist or retain")
    private String store = "";

    @Parameters(index = "1", paramLabel = "RANGE", description = "the range's number, as \"ranges\" lists it")
    private long rangeId;

    RangeCommand(Admin admin) {
        super(admin);
    }

    String store() {
        return store;
    }

    long rangeId() {
        return rangeId;
    }

    /** Has it carried out and prints what became of it. */
    void carryOut(AdminClient client, Messages.Action action, String done) throws AdminException {
        Messages.Result result = client.call(AdminMethods.CARRY_OUT, action);
        check(result);
        answer(result, () -> admin().progress(done));
    }

    static void check(Messages.Result result) throws AdminException {
        switch (result.outcome()) {
            case DONE -> {}
            case STALE -> throw new AdminException(Kind.STALE, "not done, the range has changed: " + result.detail());
            case REFUSED -> throw new AdminException(Kind.REFUSED, "not done: " + result.detail());
            case FAILED ->
                throw new AdminException(
                        Kind.FAILED, "failed, it may have taken effect in part or do so later: " + result.detail());
        }
    }

    /** @param to the node concerned; empty for none */
    static Messages.Action action(
            AdminClient client, String store, ActionKind kind, Messages.Range range, @Nullable String key, String to) {
        return new Messages.Action(
                store,
                kind,
                range.id(),
                range.epoch(),
                key,
                0,
                0,
                to,
                client.timeout().toMillis());
    }
}
