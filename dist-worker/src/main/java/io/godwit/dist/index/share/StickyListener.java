package io.godwit.dist.index.share;

import io.godwit.dist.client.Receiver;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;

/** Tells the other nodes what a sticky group keeps. Called on any event loop; must hand over and return. */
@FunctionalInterface
public interface StickyListener {
    /** For a node that is alone. */
    StickyListener NONE = (tenant, filter, receiver) -> {};

    /**
     * This node gives all messages of the group to a member that it would not choose now. It is told again every ten
     * seconds while there are messages.
     *
     * @param receiver the member; any live one of this node for all of these
     */
    void keeps(TenantId tenant, TopicFilter filter, Receiver receiver);
}
