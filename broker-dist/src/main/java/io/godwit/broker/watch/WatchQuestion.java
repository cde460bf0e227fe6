package io.godwit.broker.watch;

/** What an operator watches. */
sealed interface WatchQuestion permits EventQuestion, TraceQuestion {
    /** The kind of its entries, for operators. */
    String told();
}
