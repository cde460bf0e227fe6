package io.godwit.kv.member;

import java.io.IOException;

/** Is told of the progress of a start, on the thread that opens the node. */
public interface StartProgress {
    /** Ignores all progress. */
    StartProgress NONE = new StartProgress() {
        @Override
        public void claimed() {
            // ignored
        }

        @Override
        public void waitsFor(String cause) {
            // ignored
        }
    };

    /**
     * The data directory belongs to this process from now on.
     *
     * @throws IOException to end the start
     */
    void claimed() throws IOException;

    /** @param cause what the node waits for before it opens its stores, for an operator; empty if it no longer waits */
    void waitsFor(String cause);

    /** Whether a start that waits for other nodes should be given up; asked several times a second. */
    default boolean isCancelled() {
        return false;
    }
}
