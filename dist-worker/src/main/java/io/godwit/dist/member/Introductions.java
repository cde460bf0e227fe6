package io.godwit.dist.member;

import io.godwit.dist.member.view.NodeLife;
import java.util.concurrent.CompletableFuture;

/**
 * How a joining node learns the state of the others; implemented by the wiring. Called on the thread of the members.
 */
public interface Introductions {
    /**
     * Completes when {@code member} has said that its view has {@code revision} or a later one, and everything that it
     * told this node before that is in force here: above all its live routes. Later promises it tells this node first,
     * because it counts it as a member. Fails when that incarnation is known to be over. May wait while neither is
     * known; is cancelled when the answer does not matter any more.
     */
    CompletableFuture<Void> introduced(NodeLife member, long revision);

    /** Whether there is a connection to that incarnation now. */
    default boolean isLinked(NodeLife member) {
        return false;
    }

    /** Sends a heartbeat to another member, see {@link Members#heard}; does nothing without a connection to it. */
    default void beat(NodeLife member, Heartbeat beat) {}

    /**
     * The others have excluded this incarnation, so that publishes that its clients missed are acknowledged, and others
     * may have their client ids; or that may have happened without this node knowing. Completes when this node has
     * closed all its clients; only then it joins again. Not called before the node has served.
     */
    CompletableFuture<Void> closeClients();
}
