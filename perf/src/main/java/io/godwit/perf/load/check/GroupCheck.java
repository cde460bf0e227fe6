package io.godwit.perf.load.check;

/**
 * Tracks which of each publisher's messages arrived at a member of one shared group. Members are on several event
 * loops, and a message may arrive at any of them, so there is a lock for each publisher. Order is not checked, as a
 * group keeps none.
 */
public final class GroupCheck {
    private final StreamCheck[] byPublisher;

    public GroupCheck(int publishers) {
        byPublisher = new StreamCheck[publishers];
        for (int i = 0; i < publishers; i++) {
            byPublisher[i] = new StreamCheck();
        }
    }

    public int publishers() {
        return byPublisher.length;
    }

    /** Records an arrival; returns false if it is a repeat. */
    public boolean accept(int publisher, int sequence) {
        StreamCheck check = byPublisher[publisher];
        synchronized (check) {
            return check.accept(sequence) != StreamCheck.Arrival.REPEATED;
        }
    }

    public boolean hasArrived(int publisher, int sequence) {
        StreamCheck check = byPublisher[publisher];
        synchronized (check) {
            return check.hasArrived(sequence);
        }
    }

    public long missing(int publisher, int sent) {
        StreamCheck check = byPublisher[publisher];
        synchronized (check) {
            return check.missing(sent);
        }
    }
}
