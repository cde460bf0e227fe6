package io.godwit.dist.deliver;

import io.godwit.dist.client.Receiver;
import io.godwit.plugin.topic.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * A choice of another node for the message of a delivery token.
 *
 * @param filter of the shared group
 * @param receiver a stored session, or the live members on a third node; null when a live session of the answering node
 *     has the message
 */
public record ChosenElsewhere(TopicFilter filter, @Nullable Receiver receiver) {}
