package io.godwit.kv.balance;

import io.godwit.kv.balance.policy.BalancePlan;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.RangeBalancer;

/** A balancer and its state in the loop. Confined to the loop's thread. */
final class BalancerSlot {
    private BalancePlan.Step step;
    private RangeBalancer balancer;
    private boolean paused;
    /** Independent of {@code paused}: each ends separately. */
    private boolean resting;
    /** Whether the effect of its last action has not been seen yet. */
    private boolean busy;

    private long done;
    private long refused;
    private long failed;
    private String lastAction = "";
    private String fault = "";
    /** Number of exceptions and invalid actions in a row. */
    private int faults;
    /** Not asked before this time, by the loop's clock. Valid only while {@link #faults} is not 0. */
    private long notBeforeNanos;

    /** @throws IllegalArgumentException if a setting is unknown or not valid */
    BalancerSlot(BalancePlan.Step step) {
        this.step = step;
        this.balancer = step.create();
    }

    String name() {
        return step.name();
    }

    RangeBalancer balancer() {
        return balancer;
    }

    boolean isToBeAsked(long nowNanos) {
        return !paused && !resting && !busy && (faults == 0 || nowNanos - notBeforeNanos >= 0);
    }

    void pause() {
        paused = true;
    }

    void rest() {
        resting = true;
    }

    void unrest() {
        resting = false;
    }

    void resume() {
        paused = false;
        resting = false;
        answered();
    }

    /** @throws IllegalArgumentException if a setting is unknown or not valid; then nothing is changed */
    void tune(BalancePlan.Step tuned) {
        balancer = tuned.create();
        step = tuned;
        answered();
    }

    BalancePlan.Step step() {
        return step;
    }

    /** The balancer gave a valid answer. */
    void answered() {
        faults = 0;
        fault = "";
    }

    /** The balancer threw an exception or asked for an invalid action. */
    void faulted(String what, long nowNanos, BalanceLoopConfig config) {
        faults++;
        fault = what;
        notBeforeNanos = nowNanos + config.pauseAfter(faults).toNanos();
    }

    void began(BalanceAction action) {
        busy = true;
        lastAction = action + ": under way";
    }

    void ended(BalanceAction action, ActionOutcome outcome) {
        lastAction = action + ": " + outcome;
        switch (outcome) {
            case DONE -> done++;
            case STALE, REFUSED -> refused++;
            case FAILED -> failed++;
        }
    }

    void free() {
        busy = false;
    }

    BalancerStatus status() {
        return new BalancerStatus(
                name(), paused || resting, resting, step.effective(), done, refused, failed, lastAction, fault);
    }
}
