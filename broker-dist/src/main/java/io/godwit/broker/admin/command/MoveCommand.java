package io.godwit.broker.admin.command;

import io.godwit.broker.admin.action.Pauses;
import io.godwit.broker.admin.action.RangeActions;
import io.godwit.broker.admin.action.ReplicaMove;
import io.godwit.broker.admin.action.RestingBalancers;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.NodeNames;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Moves a replica; see {@link ReplicaMove}. */
@Command(
        name = "move",
        description = {
            "Moves a replica of a range from one node to another, and waits until it is done. The store's balancers",
            "rest meanwhile, because they would remove the additional voter again.",
            "Repeat the command to continue a move that was interrupted."
        })
public final class MoveCommand extends RangeChangeCommand {
    @Option(names = "--from", paramLabel = "NODE", required = true, description = "the node that gives it up")
    private String from = "";

    @Option(names = "--to", paramLabel = "NODE", required = true, description = "the node that gets it")
    private String to = "";

    @Option(
            names = "--reduce",
            description = "also if the other node is a voter already: the range then has one voter less")
    private boolean mayReduce;

    @Option(
            names = "--patience",
            paramLabel = "SECONDS",
            defaultValue = "3600",
            description = "how long all of it may take (default: 3600)")
    private int patienceSeconds = 3_600;

    public MoveCommand(NodeInvocation admin) {
        super(admin);
    }

    @Override
    void run(AdminClient client) throws AdminException {
        NodeNames names = client.nodes().names();
        String source = names.resolve(from);
        String target = names.resolve(to);
        Messages.Range range = client.range(store(), rangeId());
        new RangeActions(client, store()).checkMove(range, names, source, target, mayReduce);
        try (RestingBalancers resting = RestingBalancers.untilExit(client, store())) {
            resting.begin();
            Messages.Range moved = new ReplicaMove(
                            client,
                            names,
                            store(),
                            patienceSeconds,
                            admin()::progress,
                            millis -> pause(resting, millis))
                    .run(range, source, target);
            answer(
                    moved,
                    () -> admin().progress("range " + moved.id() + " of " + store() + " has its voters on "
                            + names.shortOf(moved.voters())));
        }
    }

    private static void pause(RestingBalancers resting, long millis) throws AdminException {
        resting.goOn();
        Pauses.sleep(millis);
    }
}
