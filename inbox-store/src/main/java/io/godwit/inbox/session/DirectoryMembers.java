package io.godwit.inbox.session;

import io.godwit.inbox.session.port.DirectoryView;
import io.godwit.inbox.session.port.MemberLife;
import java.util.function.Consumer;

/** The agreed members, for the directory of client ids. Thread-safe; nothing here blocks. */
public interface DirectoryMembers {
    /** The incarnation of this process. */
    MemberLife own();

    /** The latest view known here. */
    DirectoryView view();

    /** Calls {@code listener} with each later view known here, in order. */
    void listen(Consumer<DirectoryView> listener);

    /**
     * Whether this node is certain to have served a moment ago: no other member can have excluded it before this check.
     * It may become true again without a notice: the directory asks at each {@link ClusterSessionDirectory#tick}.
     */
    boolean mayGrant();

    /**
     * Whether connections of this node may wait for their client ids. If not, they are refused at once: the node has
     * lapsed, or is cut off, and another one serves its clients. Read again at each
     * {@link ClusterSessionDirectory#tick}.
     */
    default boolean takesConnections() {
        return true;
    }

    /** Clients wait for that silent member. Called again while that is so. */
    void missing(MemberLife member, String why);
}
