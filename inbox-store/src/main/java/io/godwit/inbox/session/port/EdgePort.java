package io.godwit.inbox.session.port;

/**
 * Messages of the owner of client ids to the node of the connections. In order; nothing is answered within the call.
 */
public interface EdgePort {
    /** Why a claim ends without a grant. */
    enum Refusal {
        OTHER_USER,
        BUSY
    }

    /** Asks for all claims of the node on ids of this owner. */
    void enrol();

    /** @param giveUp whether another connection already waits for the client id */
    void granted(long number, long counter, boolean giveUp);

    void giveUp(long number);

    void refused(long number, Refusal why);
}
