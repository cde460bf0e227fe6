package io.godwit.kv.range.request;

/** Where requests go whose key another range has now. Any thread. */
interface Forwarding {
    /** Hands on a request that came to a range which does not own its key any more. */
    void forward(Waiting request);

    /** For queries that a range has not answered since the key is another's now. */
    void ask(ReadGate.Query query);
}
