package io.godwit.kv.balance;

/** What became of an action. */
public enum ActionOutcome {
    /** It took effect. */
    DONE,
    /** The range has another epoch, or another leader: it was decided on an old view. */
    STALE,
    /** Not now: another change is under way, a voter lags, the disk is too full. Nothing was changed. */
    REFUSED,
    /** It did not end well; it may have taken effect in part, or take effect later. */
    FAILED
}
