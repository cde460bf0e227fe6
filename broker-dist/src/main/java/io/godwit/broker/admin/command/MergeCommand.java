package io.godwit.broker.admin.command;

import io.godwit.broker.admin.action.RangeActions;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.terminal.AdminException;
import picocli.CommandLine.Command;

/** {@code godwit-admin merge}. */
@Command(name = "merge", description = "Joins a range with the one to its right; both must have the same voters.")
public final class MergeCommand extends RangeChangeCommand {
    public MergeCommand(NodeInvocation admin) {
        super(admin);
    }

    @Override
    void run(AdminClient client) throws AdminException {
        RangeActions ranges = new RangeActions(client, store());
        Messages.Range left = client.range(store(), rangeId());
        Messages.Range right = ranges.rightOf(left);
        Messages.Result result = ranges.merge(left, right);
        told(result, "range " + right.id() + " of " + store() + " is joined to range " + left.id());
    }
}
