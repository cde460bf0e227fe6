package io.godwit.it.real.rolling;

import java.io.IOException;

/**
 * A publisher and a subscriber of one library, both with stored sessions. After a loss of their connection they connect
 * again as the library does it. They tell a {@link Tally} what they see.
 */
interface Pair extends AutoCloseable {
    /** How long the library has for one step of its beginning. */
    int PATIENCE_SECONDS = 20;

    /** Connects both; returns when the subscription stands. */
    void connect() throws Exception;

    /**
     * Publishes a number; does not wait for the acknowledgement. Called with ascending numbers from 1 on.
     *
     * @throws Exception when the library does not take it, such as without a connection; the number is left out then
     */
    void publish(int number) throws Exception;

    @Override
    void close() throws IOException;

    /** What the library has printed of late, for whoever reads a failure; empty for one in this process. */
    default String said() {
        return "";
    }

    /** QoS 1 and 2 in turn. */
    static int qosOf(int number) {
        return 1 + number % 2;
    }
}
