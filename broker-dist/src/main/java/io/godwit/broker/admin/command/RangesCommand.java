package io.godwit.broker.admin.command;

import io.godwit.broker.admin.action.Text;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.rpc.RangeNames;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.NodeNames;
import io.godwit.broker.admin.terminal.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code godwit-admin ranges}. */
@Command(
        name = "ranges",
        description = "Lists the ranges of a store: their keys, size, load, leader and voters, and how many "
                + "voters are wanted.")
public final class RangesCommand extends NodeCommand {
    @Parameters(paramLabel = "STORE", description = "inbox, dist or retain")
    private String store = "";

    public RangesCommand(NodeInvocation admin) {
        super(admin);
    }

    @Override
    void run(AdminClient client) throws AdminException {
        Messages.Ranges told = client.ranges(store);
        Messages.Ranges ranges = new Messages.Ranges(store, AdminClient.byKey(told), told.wantedVoters());
        NodeNames names = client.nodes().names();
        answer(ranges, () -> print(ranges, names));
    }

    private void print(Messages.Ranges ranges, NodeNames names) {
        Table table = new Table(
                "RANGE", "EPOCH", "START", "END", "SIZE", "OPS/S", "PEAK", "LEADER", "VOTERS", "LEARNERS", "CHANGE");
        RangeNames ids = new RangeNames(ranges);
        for (Messages.Range range : ranges.ranges()) {
            table.add(
                    ids.shortOf(range.id()),
                    range.epoch(),
                    Text.key(range.start()),
                    Text.key(range.end()),
                    Text.bytes(range.sizeBytes()),
                    Text.rate(range.operationsPerSecond()),
                    Text.rate(range.peakOperationsPerSecond()),
                    names.shortOf(range.leader()),
                    names.shortOf(range.voters()),
                    names.shortOf(range.learners()),
                    range.change());
        }
        table.print(admin().out());
        admin().out().println(Text.wanted(ranges));
        ranges.ranges()
                .forEach(range -> range.faults()
                        .forEach(fault ->
                                admin().out().println("range " + ids.shortOf(range.id()) + " fault: " + fault)));
    }
}
