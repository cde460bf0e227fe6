package io.godwit.broker.admin.command;

import io.godwit.broker.admin.action.DrainActions;
import io.godwit.broker.admin.action.Pauses;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.NodeNames;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code godwit-admin drain}. */
@Command(
        name = "drain",
        description = {
            "Moves leaders and replicas off a node, and waits until it is safe to stop it for good.",
            "The node stays marked until --cancel, also after restarts. Refused without --reduce if ranges would keep",
            "fewer voters."
        })
public final class DrainCommand extends NodeCommand {
    private static final long LOOK_MILLIS = 1_000;
    private static final long REPORT_MILLIS = 30_000;

    @Parameters(paramLabel = "NODE", description = "the node to drain")
    private String name = "";

    @Option(names = "--cancel", description = "the node stays, and may be given leaders and replicas again")
    private boolean isCancel;

    @Option(names = "--reduce", description = "also if too few nodes are left for the voters that ranges have")
    private boolean mayReduce;

    @Option(names = "--no-wait", description = "only mark it; repeat the command to see how far it is")
    private boolean isNoWait;

    @Option(
            names = "--patience",
            paramLabel = "SECONDS",
            defaultValue = "3600",
            description = "how long to wait (default: 3600)")
    private int patienceSeconds = 3_600;

    public DrainCommand(NodeInvocation admin) {
        super(admin);
    }

    @Override
    void run(AdminClient client) throws AdminException {
        NodeNames names = client.nodes().names();
        String node = names.resolve(name);
        DrainActions drains = new DrainActions(client, Pauses::sleep);
        Messages.Result result = drains.mark(node, !isCancel, mayReduce);
        if (!result.detail().isEmpty()) {
            admin().progress(result.detail());
        }
        Messages.DrainState state = drains.noted(node, !isCancel, REPORT_MILLIS);
        if (!isCancel && !isNoWait) {
            state = await(drains, node, state);
        }
        Messages.DrainState last = state;
        answer(
                last,
                () -> admin().progress("node " + names.shortOf(node) + (isCancel ? " stays" : ": " + describe(last))));
    }

    private Messages.DrainState await(DrainActions drains, String node, Messages.DrainState first)
            throws AdminException {
        long giveUp = System.nanoTime() + Duration.ofSeconds(patienceSeconds).toNanos();
        Messages.DrainState state = first;
        String told = "";
        while (!state.isSafeToStop()) {
            if (System.nanoTime() - giveUp > 0) {
                throw new AdminException(
                        Kind.FAILED,
                        "not done in " + patienceSeconds + " s, it still has " + describe(state)
                                + "; are there enough other nodes, with room, to take them?");
            }
            if (!describe(state).equals(told)) {
                told = describe(state);
                admin().progress(told);
            }
            Pauses.sleep(LOOK_MILLIS);
            state = drains.state(node);
        }
        return state;
    }

    private static String describe(Messages.DrainState state) {
        if (state.isSafeToStop()) {
            return "nothing is left on it, it is safe to stop";
        }
        String unclear = state.unclear();
        return state.leaders() + " leaders and " + state.replicas() + " replicas are left"
                + (unclear == null || unclear.isEmpty() ? "" : ", as far as can be told: " + unclear);
    }
}
