package io.godwit.broker.watch;

/** What somebody watches. */
sealed interface WatchQuestion permits EventQuestion, TraceQuestion {
    /** What operators are told that an entry is. */
    String told();
}
