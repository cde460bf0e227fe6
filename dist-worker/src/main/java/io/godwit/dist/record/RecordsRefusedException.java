package io.godwit.dist.record;

/** A record was not written, because a node might be unable to read it. The message is for operators. */
public final class RecordsRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RecordsRefusedException(String why) {
        super(why, null, false, false);
    }
}
