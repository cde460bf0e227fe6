package io.godwit.api.http;

import java.io.IOException;
import java.io.OutputStream;

/** A body that is produced while it is sent. Its owner closes it, sent or not. */
public interface BodyStream extends AutoCloseable {
    /**
     * Writes the whole body. Blocks, also while the receiver reads nothing. Called at most once, on its own thread.
     *
     * @throws IOException when the body is incomplete, or {@code out} throws it
     */
    void writeTo(OutputStream out) throws IOException;

    /** Ends {@link #writeTo} early. Any thread; does not block; further calls do nothing. */
    @Override
    void close();
}
