/**
 * Messages that need more than a place in a queue: QoS 2 from publishers, and QoS 0 for sessions that are not
 * connected.
 */
@NullMarked
package io.godwit.inbox.leader.qos;

import org.jspecify.annotations.NullMarked;
