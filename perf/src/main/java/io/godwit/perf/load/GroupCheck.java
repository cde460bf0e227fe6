package io.godwit.perf.load;

/**
 * What has arrived of each publisher's messages at any member of one shared group. Members are on several event loops:
 * one lock per publisher, since each of its messages may come up at any of them. A group keeps no order.
 */
final class GroupCheck {
    private final StreamCheck[] byPublisher;

    GroupCheck(int publishers) {
        byPublisher = new StreamCheck[publishers];
        for (int i = 0; i < publishers; i++) {
            byPublisher[i] = new StreamCheck();
        }
    }

    int publishers() {
        return byPublisher.length;
    }

    /** Whether it is the first of its kind. */
    boolean accept(int publisher, int sequence) {
        StreamCheck check = byPublisher[publisher];
        synchronized (check) {
            return check.accept(sequence) != StreamCheck.Arrival.REPEATED;
        }
    }

    boolean hasArrived(int publisher, int sequence) {
        StreamCheck check = byPublisher[publisher];
        synchronized (check) {
            return check.hasArrived(sequence);
        }
    }

    long missing(int publisher, int sent) {
        StreamCheck check = byPublisher[publisher];
        synchronized (check) {
            return check.missing(sent);
        }
    }
}
