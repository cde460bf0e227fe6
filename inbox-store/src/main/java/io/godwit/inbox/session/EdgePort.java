package io.godwit.inbox.session;

/** What the owner of client ids tells the node of the connections. In order; nothing is answered within the call. */
interface EdgePort {
    /** Why a claim ends without a grant. */
    enum Refusal {
        OTHER_USER,
        BUSY
    }

    /** Tell all that is there for me. */
    void enrol();

    /** @param giveUp somebody waits for it already */
    void granted(long number, long counter, boolean giveUp);

    void giveUp(long number);

    void refused(long number, Refusal why);
}
