package io.godwit.broker.watch;

/** As much is watched as may be. */
final class TooManyWatchesException extends Exception {
    TooManyWatchesException(String message) {
        super(message, null, false, false);
    }
}
