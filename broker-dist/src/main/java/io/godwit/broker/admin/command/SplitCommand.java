package io.godwit.broker.admin.command;

import io.godwit.broker.admin.action.RangeActions;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.terminal.AdminException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code godwit-admin split}. */
@Command(name = "split", description = "Cuts a range in two.")
public final class SplitCommand extends RangeChangeCommand {
    @Option(
            names = "--at",
            paramLabel = "KEY",
            description =
                    "the first key of the right part, in hexadecimal or as \"ranges\" shows it (default: where it "
                            + "halves the bytes)")
    private @Nullable String key;

    public SplitCommand(NodeInvocation admin) {
        super(admin);
    }

    @Override
    void run(AdminClient client) throws AdminException {
        Messages.Range range = client.range(store(), rangeId());
        Messages.Result result = new RangeActions(client, store()).split(range, key);
        told(result, "range " + rangeId() + " of " + store() + " is cut in two");
    }
}
