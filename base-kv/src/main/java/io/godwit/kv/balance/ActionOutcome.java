package io.godwit.kv.balance;

/** The outcome of an action. */
public enum ActionOutcome {
    /** It took effect. */
    DONE,
    /** The range has another epoch or another leader: the action was decided on an old view. */
    STALE,
    /** Not possible now: another change is in progress, a voter lags, or the disk is too full. Nothing was changed. */
    REFUSED,
    /** The action failed. It may have taken effect in part, or may take effect later. */
    FAILED
}
