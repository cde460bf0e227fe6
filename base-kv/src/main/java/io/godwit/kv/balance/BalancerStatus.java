package io.godwit.kv.balance;

import java.util.Map;

/**
 * The status of one balancer of a loop, for operators.
 *
 * @param isPaused whether it is not asked now, because of a pause or a rest
 * @param isResting whether it rests while an operator changes ranges by hand
 * @param settings all settings in force
 * @param done actions that took effect
 * @param refused actions that were decided on an old view or were not possible
 * @param failed actions that failed or did not end in time
 * @param lastAction the last action and its outcome; empty before the first
 * @param fault why it is not asked for a while; empty if it is asked
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
