package io.godwit.inbox.session;

import java.util.function.Consumer;

/** The agreed members, as the directory of client ids needs them. Thread-safe; nothing here blocks. */
public interface DirectoryMembers {
    /** The life of this process. */
    MemberLife own();

    /** The latest view that is known here. */
    MembersView view();

    /** From now on {@code listener} is told each view that is known here, in order. */
    void listen(Consumer<MembersView> listener);

    /**
     * Whether this node was a serving member a moment ago, by a look that no other member can have gone on without.
     * What is false turns true again without a word: it is asked again at each {@link ClusterSessionDirectory#tick}.
     */
    boolean mayGrant();

    /**
     * Whether connections of this node may wait for their client ids. Else they are refused at once: the node has
     * lapsed, or is cut off, and another one serves its clients. Asked again at each
     * {@link ClusterSessionDirectory#tick}.
     */
    default boolean takesConnections() {
        return true;
    }

    /** Clients wait for that member, and it is not heard of. Told again as long as that is so. */
    void missing(MemberLife member, String why);
}
