package io.godwit.broker.admin;

import io.godwit.broker.admin.AdminException.Kind;
import io.godwit.broker.admin.Messages.ActionKind;
import io.godwit.kv.balance.ActionOutcome;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Moves a replica in steps, each of which the range survives a crash in: a learner on the new node, a voter there once
 * it has caught up, the leader handed over if the old node leads, the replica of the old node removed. Each step
 * follows from how the range is, so a move that was interrupted goes on when it is asked for again.
 */
@Command(
        name = "move",
        description = {
            "Moves a replica of a range from one node to another, and waits until it is done. The store's balancers",
            "rest meanwhile: they would take a voter too many away again.",
            "One that was interrupted goes on when it is asked for again."
        })
final class MoveCommand extends RangeCommand {
    private static final long LOOK_MILLIS = 500;

    @Option(names = "--from", paramLabel = "NODE", required = true, description = "the node that gives it up")
    private String from = "";

    @Option(names = "--to", paramLabel = "NODE", required = true, description = "the node that gets it")
    private String to = "";

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
        Messages.Range range = client.range(store(), rangeId());
        if (!has(range, source) && !range.voters().contains(target)) {
            throw new AdminException(
                    Kind.REFUSED, "range " + rangeId() + " has no replica on " + names.shortOf(source));
        }
        try (RestingBalancers resting = new RestingBalancers(client, store())) {
            resting.begin();
            Messages.Range moved = move(client, range, names, source, target);
            answer(
                    moved,
                    () -> admin().progress("range " + moved.id() + " of " + store() + " has its voters on "
                            + names.shortOf(moved.voters())));
        }
    }

    private Messages.Range move(AdminClient client, Messages.Range first, NodeNames names, String source, String target)
            throws AdminException {
        Messages.Range range = first;
        long giveUp = System.nanoTime() + Duration.ofSeconds(patienceSeconds).toNanos();
        String told = "";
        Optional<ActionKind> step = next(range, source, target);
        while (step.isPresent()) {
            String node = step.get() == ActionKind.REMOVE ? source : target;
            Messages.Result result =
                    client.call(AdminMethods.CARRY_OUT, action(client, store(), step.get(), range, null, node));
            if (result.outcome() == ActionOutcome.FAILED || System.nanoTime() - giveUp > 0) {
                check(result);
                throw new AdminException(
                        Kind.FAILED, "not done in " + patienceSeconds + " s; ask again and it goes on where it is");
            }
            String line = Messages.nameOf(step.get()) + " " + names.shortOf(node) + ": "
                    + Messages.nameOf(result.outcome())
                    + (result.detail().isEmpty() ? "" : " (" + result.detail() + ")");
            if (!line.equals(told)) {
                admin().progress(line);
                told = line;
            }
            pause(LOOK_MILLIS);
            range = client.range(store(), rangeId());
            step = next(range, source, target);
        }
        return range;
    }

    private static boolean has(Messages.Range range, String node) {
        return range.voters().contains(node) || range.learners().contains(node);
    }

    /** What is to be done next; empty when the replica has moved. */
    static Optional<ActionKind> next(Messages.Range range, String source, String target) {
        if (!range.voters().contains(target)) {
            return Optional.of(range.learners().contains(target) ? ActionKind.PROMOTE : ActionKind.ADD_LEARNER);
        }
        if (range.leader().equals(source)) {
            return Optional.of(ActionKind.MOVE_LEADER);
        }
        return has(range, source) ? Optional.of(ActionKind.REMOVE) : Optional.empty();
    }
}
