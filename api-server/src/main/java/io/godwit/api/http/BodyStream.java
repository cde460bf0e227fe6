package io.godwit.api.http;

import java.io.IOException;
import java.io.OutputStream;

/** A body that is made while it is sent. Whoever has it closes it, whether it was sent or not. */
public interface BodyStream extends AutoCloseable {
    /**
     * Writes all of it. Blocks, also while the receiver takes nothing. Called once at most, on a thread of its own.
     *
     * @throws IOException when it is not whole, or {@code out} throws it
     */
    void writeTo(OutputStream out) throws IOException;

    /** Ends {@link #writeTo} early. Any thread; does not block; further calls do nothing. */
    @Override
    void close();
}
