package io.godwit.broker.admin;

import io.godwit.broker.admin.AdminException.Kind;
import io.godwit.broker.admin.Messages.ActionKind;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "transfer", description = "Makes another voter of a range its leader.")
final class TransferCommand extends RangeCommand {
    @Option(names = "--to", paramLabel = "NODE", required = true, description = "a voter of the range")
    private String to = "";

    TransferCommand(Admin admin) {
        super(admin);
    }

    @Override
    void run(AdminClient client) throws AdminException {
        NodeNames names = new NodeNames(client.nodes());
        String node = names.resolve(to);
        Messages.Range range = client.range(store(), rangeId());
        if (!range.voters().contains(node)) {
            throw new AdminException(
                    Kind.REFUSED,
                    "node " + names.shortOf(node) + " is no voter of range " + rangeId() + ", only "
                            + names.shortOf(range.voters()) + " are");
        }
        carryOut(
                client,
                action(client, store(), ActionKind.MOVE_LEADER, range, null, node),
                "range " + rangeId() + " of " + store() + " is led by " + names.shortOf(node));
    }
}
