package io.godwit.kv.balance;

import io.godwit.kv.balance.policy.BalancePlan;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.Merge;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.RangeChange;
import io.godwit.plugin.balance.RangeView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the balancers of one key space in rounds and executes their actions.
 *
 * <p>A round takes the view and asks one balancer after the other until one has an action. At most one action is begun
 * per round; at most one is in progress per balancer and per range. An action is watched until it has ended and the
 * view shows its effect. Only then is its balancer asked again, so that it does not decide twice on the same state. An
 * action that takes too long counts as failed. A range whose action failed rests for a time that grows with each
 * failure; balancers see that {@linkplain RangeChange#PAUSE a change is in progress} on it.
 *
 * <p>A balancer may be foreign code. Exceptions, and actions that make no sense in the view, are logged, and the
 * balancer is not asked for a while.
 *
 * <p>Confined to the thread of its {@link BalanceTimer}, except {@link BalanceControl}, {@link #start} and
 * {@link #close}, which hand over to it.
 */
public final class BalanceLoop implements BalanceControl, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BalanceLoop.class);

    private final String keySpace;
    private final ClusterViewSource source;
    private final ActionExecutor executor;
    private final BalanceLoopConfig config;
    private final BalanceTimer timer;
    private final List<BalancerSlot> slots;
    private final List<ActionWatch> watches = new ArrayList<>();
    private final Map<Long, Rest> resting = new HashMap<>();
    private boolean viewFailed;
    /** Written by any thread that closes the loop; read by the loop and by callers. */
    private volatile boolean closed;

    /** A range that rests after failed actions: how many failed in a row, and until when it rests. */
    private record Rest(int failures, long untilNanos) {}

    /** @throws IllegalArgumentException if a setting of a balancer in the plan is unknown or not valid */
    public BalanceLoop(
            String keySpace,
            BalancePlan plan,
            ClusterViewSource source,
            ActionExecutor executor,
            BalanceLoopConfig config,
            BalanceTimer timer) {
        this.keySpace = keySpace;
        this.source = source;
        this.executor = executor;
        this.config = config;
        this.timer = timer;
        this.slots = plan.steps().stream().map(BalancerSlot::new).toList();
    }

    /** Starts the loop; the first round comes after one interval. Call once. */
    public void start() {
        timer.after(config.interval(), this::round);
    }

    /** Begins no more actions; actions in progress go on unwatched. */
    @Override
    public void close() {
        closed = true;
    }

    private void round() {
        if (closed) {
            return;
        }
        try {
            source.view().ifPresent(this::balance);
            viewFailed = false;
        } catch (RuntimeException e) { // outermost frame of the loop, which must go on
            if (!viewFailed) {
                viewFailed = true;
                LOG.error("balancing failed, it is tried again keySpace={}", keySpace, e);
            }
        }
        timer.after(config.interval(), this::round);
    }

    private void balance(ClusterView seen) {
        long now = timer.nanoTime();
        look(seen, now);
        if (watches.stream().filter(watch -> watch.outcome() == null).count() >= config.maxInFlight()) {
            return;
        }
        ClusterView view = withWhatIsUnderWay(seen, now);
        for (BalancerSlot slot : slots) {
            if (slot.isToBeAsked(now)) {
                Optional<BalanceAction> action = ask(slot, view, now);
                if (action.isPresent()) {
                    begin(slot, action.get(), now);
                    return;
                }
            }
        }
    }

    /** Removes the watches of actions that took too long, and of those whose effect is visible. */
    private void look(ClusterView view, long now) {
        Iterator<ActionWatch> each = watches.iterator();
        while (each.hasNext()) {
            ActionWatch watch = each.next();
            if (watch.outcome() == null) {
                if (now - watch.beganNanos() >= config.timeout().toNanos()) {
                    LOG.warn(
                            "balance action has not ended keySpace={} seconds={} action={}",
                            keySpace,
                            config.timeout().toSeconds(),
                            watch.action());
                    each.remove();
                    settle(watch, ActionOutcome.FAILED, now);
                    watch.slot().free();
                }
            } else if (watch.isShownBy(view)
                    || now - watch.endedNanos() >= config.settleTimeout().toNanos()) {
                each.remove();
                watch.slot().free();
            }
        }
    }

    private ClusterView withWhatIsUnderWay(ClusterView view, long now) {
        // long after its rest, a range's failures are forgotten
        long memory = config.maxBackoff().toNanos();
        resting.values().removeIf(rest -> now - rest.untilNanos() >= memory);
        if (watches.isEmpty() && resting.isEmpty()) {
            return view;
        }
        List<RangeView> ranges = new ArrayList<>();
        for (RangeView range : view.ranges()) {
            RangeChange own = changeOf(range.id(), now);
            ranges.add(own == null || range.change().isPresent() ? range : range.with(own));
        }
        return new ClusterView(view.keySpace(), view.self(), view.goal(), view.stores(), ranges);
    }

    private @Nullable RangeChange changeOf(long rangeId, long now) {
        for (ActionWatch watch : watches) {
            if (watch.concerns(rangeId)) {
                return watch.change();
            }
        }
        Rest rest = resting.get(rangeId);
        return rest != null && now - rest.untilNanos() < 0 ? RangeChange.PAUSE : null;
    }

    private Optional<BalanceAction> ask(BalancerSlot slot, ClusterView view, long now) {
        String fault;
        try {
            Optional<BalanceAction> action = slot.balancer().next(view);
            fault = action.map(asked -> whatIsWrong(asked, view)).orElse("");
            if (fault.isEmpty()) {
                slot.answered();
                return action;
            }
            fault = "asked for " + action.get() + ", but " + fault;
            LOG.warn("balancer asks for the impossible keySpace={} balancer={} fault={}", keySpace, slot.name(), fault);
        } catch (RuntimeException
                | LinkageError
                | StackOverflowError
                | AssertionError e) { // outermost frame around a plugin
            fault = "threw " + e;
            LOG.warn("balancer failed keySpace={} balancer={}", keySpace, slot.name(), e);
        }
        slot.faulted(fault, now, config);
        return Optional.empty();
    }

    /** Why the action makes no sense in the view; empty if it does. */
    private static String whatIsWrong(BalanceAction action, ClusterView view) {
        Optional<RangeView> range = view.range(action.rangeId());
        if (range.isEmpty()) {
            return "there is no such range";
        }
        if (!view.actionable().contains(range.get())) {
            return "the range is led by " + range.get().leader().orElse("nobody") + ", change under way: "
                    + range.get().change().map(Enum::toString).orElse("nothing");
        }
        if (range.get().epoch() != action.epoch()) {
            return "the range has epoch " + range.get().epoch();
        }
        if (action instanceof MoveLeader move && !range.get().voters().contains(move.to())) {
            return "the store is none of the voters " + range.get().voters();
        }
        if (action instanceof ChangeReplica change && view.store(change.store()).isEmpty()) {
            return "there is no such store";
        }
        if (action instanceof Merge merge
                && view.range(merge.rightId()).filter(range.get()::isLeftOf).isEmpty()) {
            return "the other range is not its right neighbour";
        }
        return "";
    }

    private void begin(BalancerSlot slot, BalanceAction action, long now) {
        LOG.info("balance action begun keySpace={} balancer={} action={}", keySpace, slot.name(), action);
        ActionWatch watch = new ActionWatch(slot, action, now);
        watches.add(watch);
        slot.began(action);
        executor.execute(action)
                .whenComplete((outcome, failure) -> timer.execute(() -> ended(watch, outcome, failure)));
    }

    private void ended(ActionWatch watch, @Nullable ActionOutcome outcome, @Nullable Throwable failure) {
        if (!watches.contains(watch)) {
            LOG.info("balance action ended late keySpace={} outcome={} action={}", keySpace, outcome, watch.action());
            return;
        }
        ActionOutcome how = outcome != null && failure == null ? outcome : ActionOutcome.FAILED;
        if (how == ActionOutcome.FAILED) {
            LOG.warn("balance action failed keySpace={} action={}", keySpace, watch.action(), failure);
        } else {
            LOG.info("balance action ended keySpace={} outcome={} action={}", keySpace, how, watch.action());
        }
        long now = timer.nanoTime();
        watch.end(how, now);
        settle(watch, how, now);
        if (how != ActionOutcome.DONE) {
            watches.remove(watch);
            watch.slot().free();
        }
    }

    /**
     * Counts the outcome. After any outcome but {@code DONE} the ranges rest; a stale action counts as a first failure,
     * because only the view has to become newer.
     */
    private void settle(ActionWatch watch, ActionOutcome outcome, long now) {
        watch.slot().ended(watch.action(), outcome);
        List<Long> ranges = watch.action() instanceof Merge merge
                ? List.of(merge.rangeId(), merge.rightId())
                : List.of(watch.action().rangeId());
        for (Long range : ranges) {
            if (outcome == ActionOutcome.DONE) {
                resting.remove(range);
            } else {
                Rest before = resting.get(range);
                int failures = outcome == ActionOutcome.STALE || before == null ? 1 : before.failures() + 1;
                Duration pause = config.pauseAfter(failures);
                resting.put(range, new Rest(failures, now + pause.toNanos()));
            }
        }
    }

    // --- control

    @Override
    public CompletableFuture<List<BalancerStatus>> list() {
        if (closed) {
            return CompletableFuture.failedFuture(closedFailure());
        }
        CompletableFuture<List<BalancerStatus>> answer = new CompletableFuture<>();
        timer.execute(
                () -> answer.complete(slots.stream().map(BalancerSlot::status).toList()));
        return answer;
    }

    @Override
    public CompletableFuture<Void> pause(String balancer) {
        return change(balancer, "paused", BalancerSlot::pause);
    }

    @Override
    public CompletableFuture<Void> rest(String balancer) {
        return change(balancer, "resting", BalancerSlot::rest);
    }

    @Override
    public CompletableFuture<Void> unrest(String balancer) {
        return change(balancer, "resting no more", BalancerSlot::unrest);
    }

    @Override
    public CompletableFuture<Void> resume(String balancer) {
        return change(balancer, "resumed", BalancerSlot::resume);
    }

    @Override
    public CompletableFuture<Void> tune(String balancer, Map<String, String> settings) {
        Map<String, String> changes = Map.copyOf(settings);
        return change(
                balancer, "tuned " + changes, slot -> slot.tune(slot.step().with(changes)));
    }

    private CompletableFuture<Void> change(String balancer, String what, Consumer<BalancerSlot> change) {
        if (closed) {
            return CompletableFuture.failedFuture(closedFailure());
        }
        CompletableFuture<Void> answer = new CompletableFuture<>();
        timer.execute(() -> {
            try {
                change.accept(slotOf(balancer));
                LOG.info("balancer {} keySpace={} balancer={}", what, keySpace, balancer);
                answer.complete(null);
            } catch (RuntimeException e) { // a factory may be foreign code
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    private static IllegalStateException closedFailure() {
        return new IllegalStateException("the balance loop is closed");
    }

    private BalancerSlot slotOf(String name) {
        return slots.stream()
                .filter(slot -> slot.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no balancer \"" + name + "\", only "
                        + slots.stream().map(BalancerSlot::name).toList()));
    }
}
