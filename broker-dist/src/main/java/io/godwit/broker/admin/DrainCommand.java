package io.godwit.broker.admin;

import io.godwit.broker.admin.AdminException.Kind;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "drain",
        description = {
            "Has leaders and replicas moved off a node, and waits until it is safe to stop it for good.",
            "It stays marked, over restarts too, until --cancel. Refused where ranges would keep fewer voters, without",
            "--reduce."
        })
final class DrainCommand extends NodeCommand {
    private static final long LOOK_MILLIS = 1_000;
    private static final long REPORT_LOOK_MILLIS = 100;
    private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(30);

    @Parameters(paramLabel = "NODE", description = "the node that is to go")
    private String name = "";

    @Option(names = "--cancel", description = "the node stays, and may be given leaders and replicas again")
    private boolean isCancel;

    @Option(names = "--reduce", description = "also when too few nodes are left for as many voters as ranges have")
    private boolean mayReduce;

    @Option(names = "--no-wait", description = "only mark it; the same command tells later how far it is")
    private boolean isNoWait;

    @Option(
            names = "--patience",
            paramLabel = "SECONDS",
            defaultValue = "3600",
            description = "how long to wait (default: 3600)")
    private int patienceSeconds = 3_600;

    DrainCommand(Admin admin) {
        super(admin);
    }

    @Override
    void run(AdminClient client) throws AdminException {
        NodeNames names = new NodeNames(client.nodes());
        String node = names.resolve(name);
        Messages.Result result = client.call(AdminMethods.DRAIN, new Messages.Drain(node, !isCancel, mayReduce));
        RangeCommand.check(result);
        if (!result.detail().isEmpty()) {
            admin().progress(result.detail());
        }
        Messages.DrainState state = noted(client, node);
        if (!isCancel && !isNoWait) {
            state = await(client, node, state);
        }
        Messages.DrainState last = state;
        answer(
                last,
                () -> admin().progress("node " + names.shortOf(node) + (isCancel ? " stays" : ": " + describe(last))));
    }

    /** The state once the node that is asked knows by the other's report what that one has just agreed to. */
    private Messages.DrainState noted(AdminClient client, String node) throws AdminException {
        long giveUp = System.nanoTime() + REPORT_NANOS;
        Messages.DrainState state = state(client, node);
        while (state.isDraining() == isCancel) {
            if (System.nanoTime() - giveUp > 0) {
                throw new AdminException(
                        Kind.FAILED,
                        "the node has agreed, but nothing was heard of it since; the same command again tells more");
            }
            pause(REPORT_LOOK_MILLIS);
            state = state(client, node);
        }
        return state;
    }

    private Messages.DrainState await(AdminClient client, String node, Messages.DrainState first)
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
            pause(LOOK_MILLIS);
            state = state(client, node);
        }
        return state;
    }

    private static Messages.DrainState state(AdminClient client, String node) throws AdminException {
        return client.call(AdminMethods.DRAIN_STATE, new Messages.OfNode(node));
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
