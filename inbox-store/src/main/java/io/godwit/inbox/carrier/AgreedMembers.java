package io.godwit.inbox.carrier;

/**
 * The agreed members, as this node knows them, for leaders that refuse what an excluded node has sent (ADR 60).
 * Thread-safe; range executors and links ask: nothing here blocks.
 */
public interface AgreedMembers {
    /** Of nodes that never exclude each other. */
    AgreedMembers NONE = new AgreedMembers() {
        @Override
        public long revision() {
            return 0;
        }

        @Override
        public boolean isPast(String nodeId, long incarnation, long since) {
            return false;
        }
    };

    /** Of the newest view that is known here; never falls. 0 before the first. */
    long revision();

    /**
     * Whether the others have gone on without that life of a node after it had come to serve by the revision
     * {@code since}. False while the view here is older than that revision. Stays true.
     */
    boolean isPast(String nodeId, long incarnation, long since);
}
