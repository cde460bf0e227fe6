package io.godwit.dist.member;

import java.util.concurrent.CompletableFuture;

/** How a node that joins gets to know what the others have; by the wiring. Called on the thread of the members. */
public interface Introductions {
    /**
     * Completes when {@code member} has said that its view has {@code revision} or a later one, and all that it had
     * told this node before it said so is in force here: its live routes foremost. Whatever it promises afterwards it
     * tells this node first, since it counts it as a member. Fails when that life is known to be over. May wait for as
     * long as neither is known; is cancelled when the answer does not matter any more.
     */
    CompletableFuture<Void> introduced(NodeLife member, long revision);

    /** Whether there is a connection to that life now. */
    default boolean isLinked(NodeLife member) {
        return false;
    }

    /**
     * Tells the life of another node what this one knows of it, as {@link Members#said} there; not at all when there is
     * no connection to it.
     */
    default void say(NodeLife member, long since) {}

    /**
     * The others have gone on without this life: publishes that its clients missed are acknowledged, and others may
     * have their client ids; or this may be so, and this life cannot know. Completes when this node has closed all its
     * clients; only then does it join again. Not called before the node has served.
     */
    CompletableFuture<Void> closeClients();
}
