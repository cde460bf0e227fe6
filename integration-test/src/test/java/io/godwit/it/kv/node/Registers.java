package io.godwit.it.kv.node;

import io.godwit.it.kv.history.Reply;
import io.godwit.it.kv.history.Request;

/** What a node offers to its clients, who are served by a thread each, which may wait. */
interface Registers extends AutoCloseable {
    /**
     * Never fails, but by its reply.
     *
     * @param millis after which nobody waits for the reply any more
     */
    Reply answer(Request request, long millis);

    /**
     * Carries out what the operator of the node asks for.
     *
     * @param words a command and what it is about; see {@code OperatorText}
     * @return {@code done} and an answer, or {@code not}, why not, and a detail
     */
    String operate(String[] words, long millis);

    @Override
    void close();
}
