package io.godwit.dist.deliver;

import io.godwit.dist.client.Deliverer;
import io.godwit.dist.index.TopicIndex;

/**
 * The receivers of this node, as deliveries of other nodes need them.
 *
 * @param index their subscriptions
 * @param live gets the deliveries to live receivers
 * @param served the live receivers that a repeat must leave out
 * @param choices for shared groups, by the token of the message
 */
public record OwnReceivers(TopicIndex index, Deliverer live, ServedReceivers served, SharedChoices choices) {}
