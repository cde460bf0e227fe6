package io.godwit.broker.admin;

import io.godwit.broker.admin.AdminException.Kind;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Moves a replica; see {@link ReplicaMove}. */
@Command(
        name = "move",
        description = {
            "Moves a replica of a range from one node to another, and waits until it is done. The store's balancers",
            "rest meanwhile: they would take a voter too many away again.",
            "One that was interrupted goes on when it is asked for again."
        })
final class MoveCommand extends RangeCommand {
    @Option(names = "--from", paramLabel = "NODE", required = true, description = "the node that gives it up")
    private String from = "";

    @Option(names = "--to", paramLabel = "NODE", required = true, description = "the node that gets it")
    private String to = "";

    @Option(
            names = "--reduce",
            description = "give the replica up also where the other node is a voter already: one voter less")
    private boolean mayReduce;

    @Option(
            names = "--patience",
            paramLabel = "SECONDS",
            defaultValue = "3600",
            description = "how long all of it may take (default: 3600)")
    private int patienceSeconds = 3_600;

    MoveCommand(Admin admin) {
        super(admin);
    }

    @Override
    void run(AdminClient client) throws AdminException {
        NodeNames names = new NodeNames(client.nodes());
        String source = names.resolve(from);
        String target = names.resolve(to);
        Messages.Ranges ranges = client.ranges(store());
        Messages.Range range = client.range(store(), rangeId());
        if (source.equals(target)) {
            throw new AdminException(Kind.REFUSED, "--from and --to are the same node");
        }
        if (!ReplicaMove.has(range, source) && !range.voters().contains(target)) {
            throw new AdminException(
                    Kind.REFUSED, "range " + rangeId() + " has no replica on " + names.shortOf(source));
        }
        checkReduction(ranges.wantedVoters(), range, names, source, target);
        try (RestingBalancers resting = new RestingBalancers(client, store())) {
            resting.begin();
            Messages.Range moved =
                    new ReplicaMove(admin(), client, names, store(), patienceSeconds).run(range, source, target);
            answer(
                    moved,
                    () -> admin().progress("range " + moved.id() + " of " + store() + " has its voters on "
                            + names.shortOf(moved.voters())));
        }
    }

    /** With a voter on the target, all that is left is to give up the other: the end of a move, or a loss. */
    private void checkReduction(int wanted, Messages.Range range, NodeNames names, String source, String target)
            throws AdminException {
        int voters = range.voters().size();
        if (!mayReduce
                && range.voters().contains(target)
                && range.voters().contains(source)
                && (wanted == 0 || voters <= wanted)) { // 0: of a release that does not tell
            throw new AdminException(
                    Kind.REFUSED,
                    "not done: node " + names.shortOf(target) + " is a voter of range " + rangeId()
                            + " already, so nothing would move and the range would keep " + (voters - 1)
                            + (voters == 2 ? " voter of " : " voters of ") + voters + " (wanted: " + wanted
                            + "); name a node without a replica, or say --reduce");
        }
    }
}
