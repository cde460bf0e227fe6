package io.godwit.api.port;

/**
 * Counts what the API does. Called by its event loop and by the thread that accepts connections; returns at once and
 * does not throw. Nothing that a caller chooses gets here: operations and kinds of problems are those of the API's own
 * document, however many paths are asked for.
 */
public interface ApiCounts {
    /** For requests that reach no operation: of an unknown path or method, of a wrong form, or too many. */
    String NO_OPERATION = "none";

    /** Which bound was reached. */
    enum Bound {
        /** That of all together. */
        ALL,
        /** That of one address. */
        ADDRESS,
        /** That of one token, or of its tenant. */
        TOKEN
    }

    /** Why the API has closed a connection. */
    enum Cause {
        /** A request, its answer or the next request did not come in time. */
        LATE,
        /** Nobody was known on it, and its place was given to a new one. */
        REPLACED
    }

    /**
     * A request is over.
     *
     * @param operation its id in the document, or {@link #NO_OPERATION}
     * @param status of the answer; 0 when the connection ended before there was one
     */
    void answered(String operation, int status);

    /** An answer is a problem. */
    void problem(String kind);

    /** A request was refused for the rate of requests. */
    void limited(Bound bound);

    /** A connection was accepted and is open. */
    void connectionOpened();

    /** One that was open has ended, whoever ended it. */
    void connectionEnded();

    /** A connection was closed as soon as it was accepted. */
    void connectionRefused(Bound bound);

    /** An open connection is closed by the API. Its end is told by {@link #connectionEnded} too. */
    void connectionClosed(Cause cause);
}
