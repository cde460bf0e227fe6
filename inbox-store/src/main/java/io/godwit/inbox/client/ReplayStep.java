package io.godwit.inbox.client;

import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;

/**
 * The delivery of one retained message to a subscription that is owed it.
 *
 * @param filter of the subscription
 * @param from position of the replay before the step: {@link StoredSubscription#retainedFrom}, later {@code to} of the
 *     previous step
 * @param to position after the step, a cursor of the retain store
 * @param qos of this delivery
 * @param subscriptionIds identifiers to deliver, empty when none; shared, never modified
 */
@SuppressWarnings("ArrayRecordComponent")
public record ReplayStep(TopicFilter filter, String from, String to, Message message, Qos qos, int[] subscriptionIds) {}
