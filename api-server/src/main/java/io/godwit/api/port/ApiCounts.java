package io.godwit.api.port;

/**
 * Counts the work of the API. Called by its event loop and by the thread that accepts connections; returns at once and
 * does not throw. Callers cannot choose the arguments: operations and kinds of problems come from the API's own
 * document, whatever paths are requested.
 */
public interface ApiCounts {
    /** For requests that reach no operation: an unknown path or method, a malformed request, or too many requests. */
    String NO_OPERATION = "none";

    /** The limit that was reached. */
    enum Bound {
        /** The limit for all callers together. */
        ALL,
        /** The limit for one address. */
        ADDRESS,
        /** The limit for one token, or for its tenant. */
        TOKEN
    }

    /** Why the API has closed a connection. */
    enum Cause {
        /** A request, its answer or the next request did not come in time. */
        LATE,
        /** No known caller used it, and a new connection took its place. */
        REPLACED
    }

    /**
     * A request has ended.
     *
     * @param operation its id in the document, or {@link #NO_OPERATION}
     * @param status of the answer; 0 when the connection ended before there was one
     */
    void answered(String operation, int status);

    /** A request was answered with a problem. */
    void problem(String kind);

    /** A request was refused because of a rate limit. */
    void limited(Bound bound);

    /** A connection was accepted and is open. */
    void connectionOpened();

    /** An open connection has ended, whichever side ended it. */
    void connectionEnded();

    /** A connection was closed as soon as it was accepted. */
    void connectionRefused(Bound bound);

    /** The API closes an open connection. {@link #connectionEnded} follows for it too. */
    void connectionClosed(Cause cause);
}
