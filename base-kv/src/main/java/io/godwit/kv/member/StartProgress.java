package io.godwit.kv.member;

import java.io.IOException;

/** Is told how far the start of a node is, on the thread that opens the node. */
public interface StartProgress {
    /** Listens to nothing. */
    StartProgress NONE = new StartProgress() {
        @Override
        public void claimed() {
            // nobody wants to know
        }

        @Override
        public void waitsFor(String cause) {
            // nobody wants to know
        }
    };

    /**
     * The data directory belongs to this process from now on.
     *
     * @throws IOException ends the start
     */
    void claimed() throws IOException;

    /** @param cause what the node waits for before it opens its stores, for an operator; empty when it waits no more */
    void waitsFor(String cause);

    /** Whether the start is to be given up where it waits for other nodes; asked several times a second. */
    default boolean isCancelled() {
        return false;
    }
}
