package io.godwit.mqtt.session.core;

import io.godwit.dist.client.DistClient;
import io.godwit.inbox.client.InboxClient;
import io.godwit.retain.client.RetainClient;

/**
 * The stores that sessions use.
 *
 * @param dist routes of subscriptions, and the distribution of messages
 * @param inbox sessions that outlive their connection, with their queues
 * @param retain retained messages
 */
public record SessionStores(DistClient dist, InboxClient inbox, RetainClient retain) {}
