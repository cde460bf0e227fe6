package io.godwit.kv.balance;

import java.util.Map;

/**
 * One balancer of a loop, for operators.
 *
 * @param isPaused whether it is not asked for now, resting or not
 * @param isResting whether it rests while somebody does work of their own
 * @param settings in force
 * @param done actions that took effect
 * @param refused actions that were decided on an old view, or not possible
 * @param failed actions that failed or did not end in time
 * @param lastAction the last one and what became of it; empty before the first
 * @param fault why it is not asked for the time being; empty when it is
 */
public record BalancerStatus(
        String name,
        boolean isPaused,
        boolean isResting,
        Map<String, String> settings,
        long done,
        long refused,
        long failed,
        String lastAction,
        String fault) {
    public BalancerStatus {
        settings = Map.copyOf(settings);
    }
}
