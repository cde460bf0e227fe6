package io.godwit.broker.admin.steering;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.cluster.StoreAdmin;
import io.godwit.broker.admin.action.BalancerActions;
import io.godwit.broker.admin.action.DrainActions;
import io.godwit.broker.admin.action.Pauses;
import io.godwit.broker.admin.action.RangeActions;
import io.godwit.broker.admin.action.Text;
import io.godwit.broker.admin.backup.Backup;
import io.godwit.broker.admin.backup.Backups;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.AdminMethods;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.NodeNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * What {@code godwit-admin} does with ranges, nodes and stores, for the API, by the same calls. Closed before {@link
 * OperatorCalls}, together with the moves and backups under way.
 */
public final class StoreSteering implements StoreAdmin, AutoCloseable {
    private static final long CLOSE_SECONDS = 5;

    private final OperatorCalls calls;
    private final Moves moves;
    private final Replacements replacements;
    private final Backups backups;

    public StoreSteering(OperatorCalls calls) {
        this.calls = calls;
        this.moves = new Moves(calls.client());
        this.replacements = new Replacements(calls.client(), System::nanoTime);
        this.backups = new Backups(calls.client());
    }

    /** By the whole number: after a split, its first digits might mean another range. */
    private static Messages.Range range(AdminClient within, RangeName name) throws AdminException {
        Messages.Range found = within.ranges(name.store()).ranges().stream()
                .filter(range -> range.id() == name.rangeId())
                .findFirst()
                .orElseThrow(() ->
                        new AdminException(Kind.UNKNOWN, "store " + name.store() + " has no range " + name.rangeId()));
        return RangeActions.at(found, name.epoch());
    }

    private static Done done(Messages.Result result, String text) {
        return new Done(result.detail().isEmpty() ? text : result.detail());
    }

    @Override
    public CompletableFuture<Done> split(RangeName name, Optional<String> key, Duration within) {
        return calls.change(within, limited -> {
            Messages.Range range = range(limited, name);
            Messages.Result result = new RangeActions(limited, name.store()).split(range, key.orElse(null));
            return done(result, "range " + range.id() + " of " + name.store() + " is cut in two");
        });
    }

    @Override
    public CompletableFuture<Done> merge(RangeName name, OptionalLong rightEpoch, Duration within) {
        return calls.change(within, limited -> {
            RangeActions ranges = new RangeActions(limited, name.store());
            Messages.Range left = range(limited, name);
            Messages.Range right = RangeActions.at(ranges.rightOf(left), rightEpoch);
            Messages.Result result = ranges.merge(left, right);
            return done(result, "range " + right.id() + " of " + name.store() + " is joined to range " + left.id());
        });
    }

    @Override
    public CompletableFuture<Done> transfer(RangeName name, String to, Duration within) {
        return calls.change(within, limited -> {
            Messages.Nodes known = limited.nodes();
            String node = known.whole(to);
            Messages.Range range = range(limited, name);
            Messages.Result result = new RangeActions(limited, name.store()).transfer(range, known.names(), node);
            return done(result, "range " + range.id() + " of " + name.store() + " is led by " + node);
        });
    }

    @Override
    public CompletableFuture<MoveState> move(
            RangeName name, String from, String to, boolean mayReduce, Duration within) {
        Duration answerIn = within.dividedBy(2);
        return calls.change(answerIn, limited -> {
                    Optional<Moves.Move> underWay = moves.underWay(name, from, to);
                    if (underWay.isPresent()) {
                        return underWay.get();
                    }
                    Messages.Nodes known = limited.nodes();
                    NodeNames names = known.names();
                    String source = known.whole(from);
                    String target = known.whole(to);
                    Messages.Range range =
                            range(limited, new RangeName(name.store(), name.rangeId(), OptionalLong.empty()));
                    if (name.epoch().isPresent() && name.epoch().getAsLong() != range.epoch()) {
                        throw new AdminException(
                                Kind.STALE,
                                "not done, the range has changed: range " + range.id() + " has the epoch "
                                        + range.epoch());
                    }
                    new RangeActions(limited, name.store()).checkMove(range, names, source, target, mayReduce);
                    return moves.begin(name.store(), range, names, source, target);
                })
                .thenCompose(move -> move.state(answerIn));
    }

    @Override
    public CompletableFuture<ClusterAnswer<List<BalancerView>>> balancers(List<String> stores, Duration within) {
        return calls.ask(within, limited -> {
            Messages.Nodes known = limited.nodes();
            List<String> nodes = BalancerActions.nodes(known);
            List<BalancerView> views = new ArrayList<>();
            Set<String> missing = new TreeSet<>();
            for (String store : stores.isEmpty() ? known.stores() : stores) {
                List<String> left = nodes.stream()
                        .filter(node -> !missing.contains(node)) // one that was silent would be waited for again
                        .toList();
                add(new BalancerActions(limited, store).on(left, null), views, missing);
            }
            return new ClusterAnswer<>(views, List.copyOf(missing));
        });
    }

    @Override
    public CompletableFuture<ClusterAnswer<List<BalancerView>>> change(BalancerChange change, Duration within) {
        return calls.change(within, limited -> {
            Messages.Nodes known = limited.nodes();
            List<String> nodes = change.node().isPresent()
                    ? List.of(known.whole(change.node().get()))
                    : BalancerActions.nodes(known);
            Messages.BalancerChange kind = switch (change.action()) {
                case PAUSE ->
                    change.forSeconds() == 0 ? Messages.BalancerChange.PAUSE : Messages.BalancerChange.PAUSE_FOR;
                case RESUME -> Messages.BalancerChange.RESUME;
                case TUNE -> Messages.BalancerChange.TUNE;
            };
            List<BalancerView> views = new ArrayList<>();
            Set<String> missing = new TreeSet<>();
            add(
                    new BalancerActions(limited, change.store())
                            .on(
                                    nodes,
                                    new BalancerActions.Change(
                                            change.balancer(), kind, change.settings(), change.forSeconds())),
                    views,
                    missing);
            return new ClusterAnswer<>(views, List.copyOf(missing));
        });
    }

    private static void add(BalancerActions.Outcome outcome, List<BalancerView> views, Set<String> missing) {
        missing.addAll(outcome.missing().keySet());
        for (Messages.Balancers answer : outcome.answers()) {
            for (Messages.Balancer each : answer.balancers()) {
                views.add(new BalancerView(
                        answer.store(),
                        answer.node(),
                        each.name(),
                        each.isPaused(),
                        each.isResting(),
                        each.pausedSeconds(),
                        each.done(),
                        each.refused(),
                        each.failed(),
                        each.lastAction(),
                        each.fault(),
                        each.settings()));
            }
        }
    }

    @Override
    public CompletableFuture<List<ReplicasView>> replicas(Duration within) {
        return calls.ask(within, limited -> {
            List<ReplicasView> views = new ArrayList<>();
            for (String store : limited.nodes().stores()) {
                Messages.Ranges ranges = limited.ranges(store);
                int wanted = ranges.wantedVoters();
                views.add(new ReplicasView(store, wanted, ranges.ranges().size(), (int) Text.withFewer(ranges)));
            }
            return views;
        });
    }

    @Override
    public CompletableFuture<Done> wantVoters(String store, int count, boolean mayReduce, Duration within) {
        return calls.change(within, limited -> {
            Messages.Result result =
                    limited.call(AdminMethods.WANT_VOTERS, new Messages.WantVoters(store, count, mayReduce));
            RangeActions.check(result);
            return done(result, "ranges of " + store + " are to have " + count + " voters");
        });
    }

    @Override
    public CompletableFuture<DrainView> drainState(String node, Duration within) {
        return calls.ask(within, limited -> {
            limited.nodes().whole(node);
            return view(new DrainActions(limited, Pauses::sleep).state(node));
        });
    }

    @Override
    public CompletableFuture<DrainView> drain(String node, boolean isToGo, boolean mayReduce, Duration within) {
        return calls.change(within, limited -> {
            limited.nodes().whole(node);
            DrainActions drains = new DrainActions(limited, Pauses::sleep);
            drains.mark(node, isToGo, mayReduce);
            return view(drains.noted(node, isToGo, within.toMillis() / 2));
        });
    }

    private static DrainView view(Messages.DrainState state) {
        String unclear = state.unclear();
        return new DrainView(
                state.node(),
                state.isDraining(),
                state.leaders(),
                state.replicas(),
                state.isSafeToStop(),
                unclear == null ? "" : unclear);
    }

    @Override
    public CompletableFuture<Done> forget(String node, Duration within) {
        return calls.change(within, limited -> {
            Messages.Result result = limited.call(
                    AdminMethods.FORGET, new Messages.OfNode(limited.nodes().whole(node)));
            RangeActions.check(result);
            return done(result, "node " + node + " is forgotten");
        });
    }

    @Override
    public CompletableFuture<ReplaceView> replace(String node, String by, Duration within) {
        return calls.change(within, limited -> replacements.begin(limited, node, by));
    }

    @Override
    public CompletableFuture<Optional<ReplaceView>> replaceState(String node) {
        return CompletableFuture.completedFuture(replacements.of(node));
    }

    @Override
    public CompletableFuture<Backup> backup(String store, Duration within) {
        return calls.change(within, limited -> {
                    if (store.equals(Backups.ALL)) {
                        checkLeadsAll(limited);
                    } else {
                        limited.ranges(store); // fails for an unknown store before anything has begun
                    }
                    return store;
                })
                .thenApply(backups::open);
    }

    /** A node copies all stores as of one moment only if it leads all ranges. */
    private static void checkLeadsAll(AdminClient within) throws AdminException {
        Messages.Nodes known = within.nodes();
        for (String store : known.stores()) {
            for (Messages.Range range : within.ranges(store).ranges()) {
                if (!range.leader().equals(known.self())) {
                    throw new AdminException(
                            Kind.REFUSED,
                            "not done: range " + range.id() + " of " + store + " is led by "
                                    + (range.leader().isEmpty() ? "no node" : range.leader())
                                    + ": ask the node that leads all ranges, or for each store alone");
                }
            }
        }
    }

    /** Ends moves, a replacement and backups. Blocks for a few seconds at most. */
    @Override
    public void close() {
        moves.close();
        replacements.close();
        backups.close();
        try {
            moves.awaitEnd(CLOSE_SECONDS);
            replacements.awaitEnd(CLOSE_SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
