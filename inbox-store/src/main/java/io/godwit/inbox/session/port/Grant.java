package io.godwit.inbox.session.port;

/**
 * When a client id was granted: by its owner, of which each revision of the members has one. Of two connections with
 * one client id the lower grant gives up, because nodes that stayed in agreement have the higher revision.
 *
 * @param counter of the owner, within the revision
 */
public record Grant(long revision, long counter) implements Comparable<Grant> {
    @Override
    public int compareTo(Grant other) {
        int byRevision = Long.compare(revision, other.revision);
        return byRevision != 0 ? byRevision : Long.compare(counter, other.counter);
    }
}
