package io.godwit.broker.admin.command;

import io.godwit.broker.admin.action.RangeActions;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.AdminMethods;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.terminal.AdminException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code godwit-admin forget}. */
@Command(
        name = "forget",
        description = {
            "Removes a node that is not running and will not come back with its data. Other nodes replace its replicas",
            "at once. If the node comes back with its data, it stops: to join again it needs an empty data directory.",
            "Refused while a range needs the node's vote."
        })
public final class ForgetCommand extends NodeCommand {
    @Parameters(paramLabel = "NODE", description = "the node that is gone for good")
    private String name = "";

    public ForgetCommand(NodeInvocation admin) {
        super(admin);
    }

    @Override
    void run(AdminClient client) throws AdminException {
        String node = client.nodes().names().resolve(name);
        Messages.Result result = client.call(AdminMethods.FORGET, new Messages.OfNode(node));
        RangeActions.check(result);
        answer(result, () -> admin().progress(result.detail()));
    }
}
