package io.godwit.broker.admin.command;

import io.godwit.broker.admin.action.RangeActions;
import io.godwit.broker.admin.action.Text;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.AdminMethods;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.terminal.AdminException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code godwit-admin replicas}. */
@Command(
        name = "replicas",
        description = {
            "Tells how many voters each range of a store is to have, or changes that for the whole cluster. A lower",
            "number in the configuration of nodes does not undo it. Fewer voters need --yes; without it the command",
            "tells what would be lost."
        })
public final class ReplicasCommand extends NodeCommand {
    @Parameters(index = "0", paramLabel = "STORE", description = "inbox, dist or retain")
    private String store = "";

    @Parameters(index = "1", paramLabel = "COUNT", arity = "0..1", description = "voters of each range from now on")
    private @Nullable Integer count;

    @Option(names = "--yes", description = "also when that is fewer than now")
    private boolean isMeant;

    public ReplicasCommand(NodeInvocation admin) {
        super(admin);
    }

    @Override
    void run(AdminClient client) throws AdminException {
        Integer wanted = count;
        if (wanted == null) {
            Messages.Ranges ranges = client.ranges(store);
            answer(ranges, () -> admin().out().println(Text.wanted(ranges)));
            return;
        }
        Messages.Result result = client.call(AdminMethods.WANT_VOTERS, new Messages.WantVoters(store, wanted, isMeant));
        RangeActions.check(result);
        answer(result, () -> admin().progress(result.detail()));
    }
}
