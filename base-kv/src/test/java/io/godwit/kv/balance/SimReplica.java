package io.godwit.kv.balance;

/** A replica of a {@link SimRange}: what it is, and what it lacks. */
final class SimReplica {
    boolean isVoter;
    long missingBytes;
    /** When it stopped after a fault; 0 while it runs. */
    long stoppedAt;

    SimReplica(boolean isVoter, long missingBytes) {
        this.isVoter = isVoter;
        this.missingBytes = missingBytes;
    }

    SimReplica copy() {
        SimReplica copy = new SimReplica(isVoter, missingBytes);
        copy.stoppedAt = stoppedAt;
        return copy;
    }

    boolean hasStopped() {
        return stoppedAt > 0;
    }
}
