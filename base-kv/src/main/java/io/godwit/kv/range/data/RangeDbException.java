package io.godwit.kv.range.data;

/** A read of a range's database failed: its files or the disk are damaged. */
public final class RangeDbException extends RuntimeException {
    RangeDbException(String what, Throwable cause) {
        super(what + ": " + cause.getMessage(), cause);
    }
}
