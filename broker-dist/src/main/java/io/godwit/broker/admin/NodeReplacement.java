package io.godwit.broker.admin;

import io.godwit.api.port.OperationException;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.NodeNames;
import io.godwit.plugin.balance.Liveness;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes the voters of a node that is gone for good anew on another one, its heir, range by range, and forgets the first
 * when that is done. {@link #check} refuses before anything is begun. Then for each store {@link #run} lets its
 * balancers rest and moves one replica after the other ({@link ReplicaMove}). Which is next follows from how the ranges
 * are, so one that was interrupted goes on when it is run again, on whichever node.
 *
 * <p>A range that has the heir as a voter already is left as it is: when the node is forgotten, its balancers find
 * another node for that voter.
 *
 * <p>For one thread, which blocks; {@link #endRest} is for any.
 */
final class NodeReplacement {
    /** How long the copy of one range may take. */
    private static final int PATIENCE_SECONDS = 3_600;
    /** Ranges in a refusal. */
    private static final int MOST_NAMED = 10;

    /**
     * What is done and what is left.
     *
     * @param moved ranges whose voter was moved by this run
     * @param left ranges whose voter is still to be moved
     * @param elsewhere ranges that have the heir as a voter already
     */
    record Count(int moved, int left, int elsewhere) {}

    /** Is told how far it is, by the thread that runs it. */
    interface Told {
        void count(Count count);

        /** @param line for people */
        void step(String line);
    }

    private final AdminClient client;
    private final String gone;
    private final String heir;
    private final Told told;
    private final Pace pace;
    private int moved;
    /** Volatile: of the thread that runs this, ended by whoever closes. */
    private volatile @Nullable RestingBalancers resting;

    /**
     * @param gone store id of the node that is replaced
     * @param heir store id of the node that takes its place
     */
    NodeReplacement(AdminClient client, String gone, String heir, Told told, Pace pace) {
        this.client = client;
        this.gone = gone;
        this.heir = heir;
        this.told = told;
        this.pace = pace;
    }

    /**
     * Whether it may begin; changes nothing.
     *
     * @return what there is to do
     * @throws OperationException that names the field of the request which is wrong
     */
    static Count check(AdminClient client, String gone, String heir) throws AdminException {
        Messages.Nodes known = client.nodes();
        StoreSteering.node(known, gone);
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
                    "node " + known.names().shortOf(heir) + " " + why + ": it can take nothing");
        }
    }

    /** Who would change the voters? */
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
                            + "start the nodes that are away, or, if they never come back, see \"recover\"");
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

    /** With the heir as a voter, the other is given up only where there are more than enough: a move's last step. */
    private static boolean isToMove(Messages.Range range, int wanted, String gone, String heir) {
        return range.voters().contains(gone)
                && (!range.voters().contains(heir)
                        || wanted > 0 && range.voters().size() > wanted);
    }

    /**
     * Blocks until it is done.
     *
     * @return for people
     * @throws AdminException when it is not done to its end; run again, it goes on where it is
     * @throws OperationException the same, when the heir can take nothing any more
     */
    String run() throws AdminException {
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
        Pace inSteps = millis -> {
            rest.goOn();
            pace.pause(millis);
        };
        new ReplicaMove(client, names, store, PATIENCE_SECONDS, line -> told.step(name + ": " + line), inSteps)
                .run(range, gone, heir);
    }

    /** Balancers rest no more, though it may still run. Any thread. */
    void endRest() {
        RestingBalancers rest = resting;
        if (rest != null) {
            rest.close();
        }
    }
}
