package io.godwit.kv.range.data;

/** The database of a range failed to read: its files are damaged or the disk is. */
public final class RangeDbException extends RuntimeException {
    RangeDbException(String what, Throwable cause) {
        super(what + ": " + cause.getMessage(), cause);
    }
}
