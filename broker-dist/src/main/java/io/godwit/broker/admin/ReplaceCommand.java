package io.godwit.broker.admin;

import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.plugin.balance.Liveness;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The replicas of a dead node are made anew on one node, range by range; then the dead one is forgotten. */
@Command(
        name = "replace",
        description = {
            "Makes the voters of a node that is gone for good anew on another node, and forgets the first when that",
            "is done. One that was interrupted goes on when it is asked for again."
        })
final class ReplaceCommand extends NodeCommand {
    @Parameters(paramLabel = "NODE", description = "the node that is gone for good")
    private String name = "";

    @Option(names = "--by", paramLabel = "NODE", required = true, description = "the node that takes its place")
    private String by = "";

    @Option(
            names = "--patience",
            paramLabel = "SECONDS",
            defaultValue = "3600",
            description = "how long the copy of one range may take (default: 3600)")
    private int patienceSeconds = 3_600;

    ReplaceCommand(Admin admin) {
        super(admin);
    }

    @Override
    void run(AdminClient client) throws AdminException {
        Messages.Nodes known = client.nodes();
        NodeNames names = new NodeNames(known);
        String gone = names.resolve(name);
        String heir = names.resolve(by);
        if (nodeOf(known, gone).liveness() == Liveness.ALIVE) {
            throw new AdminException(
                    Kind.REFUSED, "node " + names.shortOf(gone) + " is running: drain it, stop it and forget it");
        }
        Messages.Node to = nodeOf(known, heir);
        if (to.liveness() != Liveness.ALIVE || to.isDraining() || to.isForgotten()) {
            throw new AdminException(
                    Kind.REFUSED, "node " + names.shortOf(heir) + " is not running, or is to go: it can take nothing");
        }
        checkLeaders(client, known.stores(), gone);
        for (String store : known.stores()) {
            replace(client, names, store, gone, heir);
        }
        Messages.Result result = client.call(AdminMethods.FORGET, new Messages.OfNode(gone));
        RangeActions.check(result);
        answer(result, () -> admin().progress(result.detail()));
    }

    private static Messages.Node nodeOf(Messages.Nodes known, String storeId) throws AdminException {
        return known.nodes().stream()
                .filter(node -> node.storeId().equals(storeId))
                .findFirst()
                .orElseThrow(() -> new AdminException(Kind.UNKNOWN, "there is no node " + storeId));
    }

    /** Who would change the voters? Before anything is begun. */
    private static void checkLeaders(AdminClient client, List<String> stores, String gone) throws AdminException {
        List<String> leaderless = new ArrayList<>();
        for (String store : stores) {
            Messages.Ranges ranges = client.ranges(store);
            RangeNames ids = new RangeNames(ranges);
            ranges.ranges().stream()
                    .filter(range ->
                            range.voters().contains(gone) && range.leader().isEmpty())
                    .forEach(range -> leaderless.add(store + "-" + ids.shortOf(range.id())));
        }
        if (!leaderless.isEmpty()) {
            throw new AdminException(
                    Kind.REFUSED,
                    "not done: " + String.join(", ", leaderless)
                            + " have no leader, so their voters cannot be changed: "
                            + "start the nodes that are away, or, if they never come back, see \"recover\"");
        }
    }

    private void replace(AdminClient client, NodeNames names, String store, String gone, String heir)
            throws AdminException {
        Messages.Ranges ranges = client.ranges(store);
        RangeNames ids = new RangeNames(ranges);
        List<Messages.Range> concerned = ranges.ranges().stream()
                .filter(range -> range.voters().contains(gone))
                .toList();
        if (concerned.isEmpty()) {
            return;
        }
        try (RestingBalancers resting = RestingBalancers.untilExit(client, store)) {
            resting.begin();
            for (Messages.Range range : concerned) {
                boolean isVoter = range.voters().contains(heir);
                admin().progress("range " + ids.shortOf(range.id()) + " of " + store
                        + (isVoter
                                ? ": " + names.shortOf(heir) + " is a voter already, another node gets this one"
                                : ": a voter on " + names.shortOf(heir) + " for the one on " + names.shortOf(gone)));
                if (!isVoter) {
                    new ReplicaMove(client, names, store, patienceSeconds, admin()::progress, NodeCommand::pause)
                            .run(range, gone, heir);
                }
            }
        }
    }
}
