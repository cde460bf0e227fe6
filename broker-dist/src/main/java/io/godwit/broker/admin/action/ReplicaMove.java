package io.godwit.broker.admin.action;

import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.AdminMethods;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.rpc.Messages.ActionKind;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.NodeNames;
import io.godwit.kv.balance.ActionOutcome;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Moves a replica in steps: a learner on the new node; a voter there once it has caught up; another leader if the old
 * node leads; removal of the old replica. The range survives a crash at each step. The state of the range determines
 * the next step, so an interrupted move continues when it is requested again.
 */
public final class ReplicaMove {
    private static final long LOOK_MILLIS = 500;

    private final AdminClient client;
    private final NodeNames names;
    private final String store;
    private final int patienceSeconds;
    private final Consumer<String> told;
    private final Pauses pace;

    /**
     * @param patienceSeconds time limit of one move
     * @param told receives a line for each attempt at a step, if it differs from the last
     */
    public ReplicaMove(
            AdminClient client,
            NodeNames names,
            String store,
            int patienceSeconds,
            Consumer<String> told,
            Pauses pace) {
        this.client = client;
        this.names = names;
        this.store = store;
        this.patienceSeconds = patienceSeconds;
        this.told = told;
        this.pace = pace;
    }

    /**
     * Blocks until the replica has moved.
     *
     * @return the range after the move
     */
    public Messages.Range run(Messages.Range first, String source, String target) throws AdminException {
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
                        Kind.FAILED, "not done in " + patienceSeconds + " s; repeat the command to continue");
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

    /** The next step; empty when the replica has moved. */
    static Optional<ActionKind> next(Messages.Range range, String source, String target) {
        if (!range.voters().contains(target)) {
            return Optional.of(range.learners().contains(target) ? ActionKind.PROMOTE : ActionKind.ADD_LEARNER);
        }
        if (range.leader().equals(source)) {
            return Optional.of(ActionKind.MOVE_LEADER);
        }
        return range.hasReplica(source) ? Optional.of(ActionKind.REMOVE) : Optional.empty();
    }
}
