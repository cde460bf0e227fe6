package io.godwit.dist.client;

/**
 * Orders the changes of one session's routes across nodes and delays: of two changes of a route the one with the larger
 * number counts. A node that is cut off may send its change long after another node has taken over the client.
 *
 * @param attachNumber of the attachment that makes the change, from 0; rises with each attachment of the session
 * @param change number of the change within the attachment, from 0
 */
public record RouteNumber(long attachNumber, long change) implements Comparable<RouteNumber> {
    /** For a change that overwrites any route, and for a route stored before numbers existed. */
    public static final RouteNumber NONE = new RouteNumber(0, 0);

    public RouteNumber {
        if (attachNumber < 0 || change < 0) {
            throw new IllegalArgumentException(
                    "numbers of a route must not be negative, were " + attachNumber + " and " + change);
        }
    }

    /**
     * The number of a change by an attachment.
     *
     * @param attachNumber 0 on a node that is alone: it makes its changes in order, and needs no numbers
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
