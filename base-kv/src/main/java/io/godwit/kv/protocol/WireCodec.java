package io.godwit.kv.protocol;

import java.io.IOException;

/** Turns messages of one type into bytes and back. Any thread. */
public interface WireCodec<M> {
    byte[] encode(M message);

    /**
     * Decodes a message. Its byte fields may refer to {@code encoded}, which the message then owns.
     *
     * @throws IOException if the bytes are not such a message; nothing else is thrown
     */
    M decode(byte[] encoded) throws IOException;
}
