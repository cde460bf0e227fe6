package io.godwit.broker.admin.action;

import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.AdminMethods;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import java.util.concurrent.TimeUnit;

/** Starts or cancels the drain of a node, for the command and the API. Calls block. */
public final class DrainActions {
    private static final long REPORT_LOOK_MILLIS = 100;

    private final AdminClient client;
    private final Pauses pace;

    public DrainActions(AdminClient client, Pauses pace) {
        this.client = client;
        this.pace = pace;
    }

    /**
     * Marks the node, or removes the mark.
     *
     * @return the result of the node; its detail may say what is given up
     */
    public Messages.Result mark(String node, boolean isToGo, boolean mayReduce) throws AdminException {
        Messages.Result result = client.call(AdminMethods.DRAIN, new Messages.Drain(node, isToGo, mayReduce));
        RangeActions.check(result);
        return result;
    }

    /** The state once the asked node has learned of the change from the other node's report. */
    public Messages.DrainState noted(String node, boolean isToGo, long patienceMillis) throws AdminException {
        long giveUp = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
        Messages.DrainState state = state(node);
        while (state.isDraining() != isToGo) {
            if (System.nanoTime() - giveUp > 0) {
                throw new AdminException(
                        Kind.FAILED, "the node has agreed, but has not reported since; repeat the command to see more");
            }
            pace.pause(REPORT_LOOK_MILLIS);
            state = state(node);
        }
        return state;
    }

    public Messages.DrainState state(String node) throws AdminException {
        return client.call(AdminMethods.DRAIN_STATE, new Messages.OfNode(node));
    }
}
