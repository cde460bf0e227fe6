package io.godwit.inbox.carrier.peer;

/**
 * The agreed members, as this node knows them, for leaders that refuse requests of an excluded node (ADR 60).
 * Thread-safe; range executors and links call it, so nothing here blocks.
 */
public interface AgreedMembers {
    /** For nodes that never exclude each other. */
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

    /** Revision of the newest view known here; never falls. 0 before the first. */
    long revision();

    /**
     * Whether the other members excluded that incarnation of a node after it began to serve at revision {@code since}.
     * False while the view here is older than that revision. Once true, stays true.
     */
    boolean isPast(String nodeId, long incarnation, long since);
}
