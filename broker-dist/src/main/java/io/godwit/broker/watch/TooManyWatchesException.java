package io.godwit.broker.watch;

/** The bound of watches is reached. */
final class TooManyWatchesException extends Exception {
    TooManyWatchesException(String message) {
        super(message, null, false, false);
    }
}
