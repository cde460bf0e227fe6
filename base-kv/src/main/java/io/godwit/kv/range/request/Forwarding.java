package io.godwit.kv.range.request;

/** Passes requests on to the range that owns their key now. Any thread. */
interface Forwarding {
    /** Forwards a request that came to a range which no longer owns its key. */
    void forward(Waiting request);

    /** Asks a query again that a range has not answered because it no longer owns the key. */
    void ask(ReadGate.Query query);
}
