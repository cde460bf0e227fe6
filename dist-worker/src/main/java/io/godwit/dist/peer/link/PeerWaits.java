package io.godwit.dist.peer.link;

import java.time.Duration;

/**
 * How long a dist-worker waits for other nodes.
 *
 * @param confirmation how long a SUBSCRIBE waits for a member before it asks for its exclusion; must exceed the pauses
 *     of a healthy node on a busy machine, because an excluded node closes its clients
 * @param sharedChoice how long a resumed message waits for what the members have chosen for shared groups; should
 *     exceed {@code confirmation} by {@link io.godwit.kv.client.SilentNode#PATIENCE}, so that a silent member is
 *     excluded meanwhile
 * @param heldMessage how long a message waits for room in the link to another node; should exceed the silence after
 *     which a link is over, so that a lost node ends the wait and no publisher is refused
 */
public record PeerWaits(Duration confirmation, Duration sharedChoice, Duration heldMessage) {
    public PeerWaits {
        requirePositive("confirmation", confirmation);
        requirePositive("sharedChoice", sharedChoice);
        requirePositive("heldMessage", heldMessage);
    }

    private static void requirePositive(String name, Duration wait) {
        if (wait.isNegative() || wait.isZero()) {
            throw new IllegalArgumentException(name + " must be positive, was " + wait);
        }
    }
}
