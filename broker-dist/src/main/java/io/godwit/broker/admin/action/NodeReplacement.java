package io.godwit.broker.admin.action;

import io.godwit.api.port.OperationException;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.AdminMethods;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.rpc.RangeNames;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.NodeNames;
import io.godwit.plugin.balance.Liveness;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Replaces a node that is gone for good: moves its voters to another node, its heir, range by range ({@link
 * ReplicaMove}), and then forgets it. {@link #check} refuses before anything has begun; {@link #run} lets the balancers
 * of each store rest during its moves. The state of the ranges determines the next move, so an interrupted replacement
 * can be continued on any node.
 *
 * <p>A range with a voter on the heir is left unchanged: when the node is forgotten, the balancers find another node
 * for its voter.
 *
 * <p>For one thread, which blocks; {@link #endRest} is for any.
 */
public final class NodeReplacement {
    /** Time limit for the move of one range. */
    private static final int PATIENCE_SECONDS = 3_600;
    /** The largest number of ranges named in a refusal. */
    private static final int MOST_NAMED = 10;

    /**
     * The progress.
     *
     * @param moved ranges whose voter this run has moved
     * @param left ranges whose voter is still to be moved
     * @param elsewhere ranges with a voter on the heir already
     */
    public record Count(int moved, int left, int elsewhere) {}

    /** Receives the progress, on the thread that runs the replacement. */
    public interface Told {
        void count(Count count);

        /** @param line a description for people */
        void step(String line);
    }

    private final AdminClient client;
    private final String gone;
    private final String heir;
    private final Told told;
    private final Pauses pace;
    private int moved;
    /** Volatile: written by the thread that runs this, closed by the closing thread. */
    private volatile @Nullable RestingBalancers resting;

    /**
     * @param gone store id of the node to replace
     * @param heir store id of the node that takes its place
     */
    public NodeReplacement(AdminClient client, String gone, String heir, Told told, Pauses pace) {
        this.client = client;
        this.gone = gone;
        this.heir = heir;
        this.told = told;
        this.pace = pace;
    }

    /**
     * Checks whether a replacement may begin; changes nothing.
     *
     * @return the work to do
     * @throws OperationException naming the wrong field of the request
     */
    public static Count check(AdminClient client, String gone, String heir) throws AdminException {
        Messages.Nodes known = client.nodes();
        known.whole(gone);
        if (gone.equals(heir)) {
            throw new OperationException(
                    OperationException.Kind.INVALID, "by", "must be another node than the one that is replaced");
        }
        if (node(known, heir).isEmpty()) {
            throw new OperationException(OperationException.Kind.INVALID, "by", "there is no node \"" + heir + "\"");
        }
        NodeNames names = known.names();
        if (node(known, gone).orElseThrow().liveness() == Liveness.ALIVE) {
            throw new OperationException(
                    OperationException.Kind.REFUSED,
                    "node",
                    "node " + names.shortOf(gone) + " is running: drain it, stop it and forget it");
        }
        checkHeir(known, heir);
        checkLeaders(client, known.stores(), gone);
        Count all = new Count(0, 0, 0);
        for (String store : known.stores()) {
            all = plus(all, client.ranges(store), gone, heir);
        }
        return all;
    }

    private static Optional<Messages.Node> node(Messages.Nodes known, String storeId) {
        return known.nodes().stream()
                .filter(node -> node.storeId().equals(storeId))
                .findFirst();
    }

    private static void checkHeir(Messages.Nodes known, String heir) {
        Optional<Messages.Node> to = node(known, heir);
        String why = to.isEmpty() || to.get().liveness() != Liveness.ALIVE
                ? "is not running"
                : to.get().isForgotten() ? "is forgotten" : to.get().isDraining() ? "is being drained" : "";
        if (!why.isEmpty()) {
            throw new OperationException(
                    OperationException.Kind.REFUSED,
                    "by",
                    "node " + known.names().shortOf(heir) + " " + why + ": it cannot take replicas");
        }
    }

    /** Refuses if a range of the gone node has no leader, which would have to change its voters. */
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
            throw new OperationException(
                    OperationException.Kind.REFUSED,
                    "node",
                    "not done: " + some(leaderless)
                            + " have no leader, so their voters cannot be changed: "
                            + "start the missing nodes. If they never come back, see \"recover\"");
        }
    }

    private static String some(List<String> names) {
        return names.size() <= MOST_NAMED
                ? String.join(", ", names)
                : String.join(", ", names.subList(0, MOST_NAMED)) + " and " + (names.size() - MOST_NAMED) + " more";
    }

    private static Count plus(Count before, Messages.Ranges ranges, String gone, String heir) {
        int left = 0;
        int elsewhere = 0;
        for (Messages.Range range : ranges.ranges()) {
            if (isToMove(range, ranges.wantedVoters(), gone, heir)) {
                left++;
            } else if (range.voters().contains(gone)) {
                elsewhere++;
            }
        }
        return new Count(before.moved(), before.left() + left, before.elsewhere() + elsewhere);
    }

    /**
     * With a voter on the heir, the other is only removed from a range that has too many voters: the last step of a
     * move.
     */
    private static boolean isToMove(Messages.Range range, int wanted, String gone, String heir) {
        return range.voters().contains(gone)
                && (!range.voters().contains(heir)
                        || wanted > 0 && range.voters().size() > wanted);
    }

    /**
     * Moves all voters, then forgets the node. Blocks until the end.
     *
     * @return a text for people
     * @throws AdminException when it ended early; another run continues there
     * @throws OperationException likewise, when the heir can take no more replicas
     */
    public String run() throws AdminException {
        Messages.Nodes known = client.nodes();
        for (String store : known.stores()) {
            told.count(count(known));
            replace(known, store);
        }
        told.count(count(known));
        Messages.Result result = client.call(AdminMethods.FORGET, new Messages.OfNode(gone));
        RangeActions.check(result);
        return result.detail();
    }

    private Count count(Messages.Nodes known) throws AdminException {
        Count all = new Count(moved, 0, 0);
        for (String store : known.stores()) {
            all = plus(all, client.ranges(store), gone, heir);
        }
        return all;
    }

    private void replace(Messages.Nodes known, String store) throws AdminException {
        Optional<Messages.Range> next = next(store);
        if (next.isEmpty()) {
            return;
        }
        try (RestingBalancers rest = RestingBalancers.untilClosed(client, store)) {
            resting = rest;
            rest.begin();
            while (next.isPresent()) {
                checkHeir(client.nodes(), heir);
                move(known.names(), store, next.get(), rest);
                moved++;
                told.count(count(known));
                next = next(store);
            }
        }
    }

    private Optional<Messages.Range> next(String store) throws AdminException {
        Messages.Ranges ranges = client.ranges(store);
        return AdminClient.byKey(ranges).stream()
                .filter(range -> isToMove(range, ranges.wantedVoters(), gone, heir))
                .findFirst();
    }

    private void move(NodeNames names, String store, Messages.Range range, RestingBalancers rest)
            throws AdminException {
        String name = "range " + range.id() + " of " + store;
        told.step(name + ": a voter on " + names.shortOf(heir) + " for the one on " + names.shortOf(gone));
        Pauses inSteps = millis -> {
            rest.goOn();
            pace.pause(millis);
        };
        new ReplicaMove(client, names, store, PATIENCE_SECONDS, line -> told.step(name + ": " + line), inSteps)
                .run(range, gone, heir);
    }

    /** Ends the rest of the balancers, even while the replacement still runs. Any thread. */
    public void endRest() {
        RestingBalancers rest = resting;
        if (rest != null) {
            rest.close();
        }
    }
}
