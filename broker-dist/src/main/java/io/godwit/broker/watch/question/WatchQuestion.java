package io.godwit.broker.watch.question;

import java.util.Optional;

/** What an operator watches. */
public sealed interface WatchQuestion permits EventQuestion, TraceQuestion {
    /** The kind of its entries, for operators. */
    String told();

    /** The tenant whose clients it is about; empty for all. */
    Optional<String> tenant();
}
