package io.godwit.broker.admin.command;

import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.AdminMethods;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.NodeNames;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code godwit-admin recover}. */
@Command(
        name = "recover",
        description = {
            "Lets the surviving voters continue ranges of a store that have lost the majority of their voters for",
            "ever. What only the lost voters had is lost, so use it as a last resort. Without --yes it only tells what",
            "it would do."
        })
public final class RecoverCommand extends NodeCommand {
    @Parameters(paramLabel = "STORE", description = "inbox, dist or retain")
    private String store = "";

    @Option(
            names = "--lost",
            paramLabel = "NODE",
            required = true,
            split = ",",
            description = "the nodes that will never come back with their data; all of them")
    private List<String> lost = List.of();

    @Option(names = "--yes", description = "do it")
    private boolean isMeant;

    public RecoverCommand(NodeInvocation admin) {
        super(admin);
    }

    @Override
    void run(AdminClient client) throws AdminException {
        NodeNames names = client.nodes().names();
        List<String> nodes = new ArrayList<>();
        for (String name : lost) {
            nodes.add(names.resolve(name));
        }
        Messages.Recovery recovery = client.call(AdminMethods.RECOVER, new Messages.Recover(store, nodes, !isMeant));
        answer(recovery, () -> print(recovery));
        if (!recovery.errors().isEmpty()) {
            throw new AdminException(Kind.REFUSED, String.join("; ", recovery.errors()));
        }
    }

    private void print(Messages.Recovery recovery) {
        recovery.steps().forEach(step -> admin().out().println(step));
        if (recovery.errors().isEmpty()) {
            String what = recovery.steps().isEmpty() ? "no range of " + store + " needs it" : "";
            if (what.isEmpty()) {
                what = isMeant ? "done" : "nothing was done yet: this is what --yes does";
            }
            admin().progress(what);
        }
    }
}
