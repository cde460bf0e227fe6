package io.godwit.inbox.client;

import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;

/**
 * One retained message on its way to a subscription that is owed it.
 *
 * @param filter of the subscription
 * @param from where the replay stands before it: {@link StoredSubscription#retainedFrom}, then {@code to} of the step
 *     before
 * @param to where it stands behind it, a cursor of the retain store
 * @param qos of this delivery
 * @param subscriptionIds identifiers to deliver, empty when none; shared, never modified
 */
@SuppressWarnings("ArrayRecordComponent")
public record ReplayStep(TopicFilter filter, String from, String to, Message message, Qos qos, int[] subscriptionIds) {}
