package io.godwit.broker.admin.command;

import io.godwit.broker.admin.action.RangeActions;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.NodeNames;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code godwit-admin transfer}. */
@Command(name = "transfer", description = "Makes another voter of a range its leader, and waits until it serves.")
public final class TransferCommand extends RangeChangeCommand {
    @Option(names = "--to", paramLabel = "NODE", required = true, description = "a voter of the range")
    private String to = "";

    public TransferCommand(NodeInvocation admin) {
        super(admin);
    }

    @Override
    void run(AdminClient client) throws AdminException {
        NodeNames names = client.nodes().names();
        String node = names.resolve(to);
        Messages.Range range = client.range(store(), rangeId());
        Messages.Result result = new RangeActions(client, store()).transfer(range, names, node);
        told(result, "range " + rangeId() + " of " + store() + " is led by " + names.shortOf(node));
    }
}
