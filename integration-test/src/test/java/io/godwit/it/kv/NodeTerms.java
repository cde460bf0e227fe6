package io.godwit.it.kv;

/**
 * What all nodes of a cluster have, and how patient they are.
 *
 * @param cacheBytes of blocks and memtables
 * @param snapshotLogBytes after how many bytes of log a snapshot is taken
 * @param snapshotBytesPerSecond how fast snapshots are sent
 * @param electionMillis after so long a silence of its leader a follower stands for election
 * @param graceSeconds after which what has stopped is replaced
 * @param areVotersSoon whether ranges get their voters five times as fast as in a broker, where the balancers take one
 *     step a second: for tests that wait for the voters and then do something else
 */
record NodeTerms(
        long cacheBytes,
        long snapshotLogBytes,
        long snapshotBytesPerSecond,
        int electionMillis,
        int graceSeconds,
        boolean areVotersSoon) {
    /**
     * So little that what happens rarely happens all the time, and elections after two seconds of silence in place of
     * ten, so that between two troubles there is time for more than waiting. Nothing is replaced by itself.
     */
    static final NodeTerms SMALL = new NodeTerms(32L << 20, 2L << 20, 64L << 20, 2_000, 600, false);

    NodeTerms with(long cache, long snapshotLog, long snapshotBytesEachSecond) {
        return new NodeTerms(cache, snapshotLog, snapshotBytesEachSecond, electionMillis, graceSeconds, areVotersSoon);
    }

    NodeTerms withElectionMillis(int millis) {
        return new NodeTerms(cacheBytes, snapshotLogBytes, snapshotBytesPerSecond, millis, graceSeconds, areVotersSoon);
    }

    NodeTerms withGraceSeconds(int seconds) {
        return new NodeTerms(
                cacheBytes, snapshotLogBytes, snapshotBytesPerSecond, electionMillis, seconds, areVotersSoon);
    }

    NodeTerms withVotersSoon() {
        return new NodeTerms(cacheBytes, snapshotLogBytes, snapshotBytesPerSecond, electionMillis, graceSeconds, true);
    }
}
