package io.godwit.dist.client;

/**
 * Orders the changes of one session's routes, whichever nodes they come from and however late they arrive: of two
 * changes of a route the one with the larger number counts. A node that is cut off may send its change long after the
 * client was taken over by another node.
 *
 * @param attachNumber of the attachment that makes the change, from 0: grows with each attachment of the session
 * @param change counts the changes that one attachment makes, from 0
 */
public record RouteNumber(long attachNumber, long change) implements Comparable<RouteNumber> {
    /** Of a change that is made whatever is stored, and of a route that was stored before there were numbers. */
    public static final RouteNumber NONE = new RouteNumber(0, 0);

    public RouteNumber {
        if (attachNumber < 0 || change < 0) {
            throw new IllegalArgumentException(
                    "numbers of a route must not be negative, were " + attachNumber + " and " + change);
        }
    }

    /**
     * Of an attachment of the session.
     *
     * @param attachNumber 0 for that of a node that is alone: it makes its changes in order, and has no numbers
     */
    public static RouteNumber of(long attachNumber, long change) {
        return attachNumber == 0 ? NONE : new RouteNumber(attachNumber, change);
    }

    public boolean isNone() {
        return equals(NONE);
    }

    @Override
    public int compareTo(RouteNumber other) {
        int byAttachment = Long.compare(attachNumber, other.attachNumber);
        return byAttachment != 0 ? byAttachment : Long.compare(change, other.change);
    }
}
