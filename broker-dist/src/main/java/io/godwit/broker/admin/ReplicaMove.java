package io.godwit.broker.admin;

import io.godwit.broker.admin.Messages.ActionKind;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.NodeNames;
import io.godwit.kv.balance.ActionOutcome;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Moves a replica in steps, each of which the range survives a crash in: a learner on the new node, a voter there once
 * it has caught up, the leader handed over if the old node leads, the replica of the old node removed. Each step
 * follows from how the range is, so a move that was interrupted goes on when it is asked for again.
 */
final class ReplicaMove {
    private static final long LOOK_MILLIS = 500;

    private final AdminClient client;
    private final NodeNames names;
    private final String store;
    private final int patienceSeconds;
    private final Consumer<String> told;
    private final Pace pace;

    /**
     * @param patienceSeconds how long one move may take
     * @param told a line for each step that is taken, or not yet
     */
    ReplicaMove(
            AdminClient client, NodeNames names, String store, int patienceSeconds, Consumer<String> told, Pace pace) {
        this.client = client;
        this.names = names;
        this.store = store;
        this.patienceSeconds = patienceSeconds;
        this.told = told;
        this.pace = pace;
    }

    /** Returns when the replica has moved; the range as it is then. */
    Messages.Range run(Messages.Range first, String source, String target) throws AdminException {
        Messages.Range range = first;
        long giveUp = System.nanoTime() + Duration.ofSeconds(patienceSeconds).toNanos();
        RangeActions ranges = new RangeActions(client, store);
        String last = "";
        Optional<ActionKind> step = next(range, source, target);
        while (step.isPresent()) {
            String node = step.get() == ActionKind.REMOVE ? source : target;
            Messages.Result result = client.call(AdminMethods.CARRY_OUT, ranges.action(step.get(), range, null, node));
            if (result.outcome() == ActionOutcome.FAILED || System.nanoTime() - giveUp > 0) {
                RangeActions.check(result);
                throw new AdminException(
                        Kind.FAILED, "not done in " + patienceSeconds + " s; ask again and it goes on where it is");
            }
            String line = Messages.nameOf(step.get()) + " " + names.shortOf(node) + ": "
                    + Messages.nameOf(result.outcome())
                    + (result.detail().isEmpty() ? "" : " (" + result.detail() + ")");
            if (!line.equals(last)) {
                told.accept(line);
                last = line;
            }
            pace.pause(LOOK_MILLIS);
            range = client.range(store, first.id());
            step = next(range, source, target);
        }
        return range;
    }

    static boolean has(Messages.Range range, String node) {
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
