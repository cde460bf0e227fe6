package io.godwit.inbox.session;

/**
 * When a client id was granted: by its owner in a revision of the members, of which there is one. Of two connections
 * that have one client id the lower grant gives up: the nodes that went on agreeing have the higher revision.
 *
 * @param counter of the owner, within the revision
 */
record Grant(long revision, long counter) implements Comparable<Grant> {
    @Override
    public int compareTo(Grant other) {
        int byRevision = Long.compare(revision, other.revision);
        return byRevision != 0 ? byRevision : Long.compare(counter, other.counter);
    }
}
