package io.godwit.mqtt.quota;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;

/** How much the stores of this node hold for a tenant. Any thread, event loops included: answers come from memory. */
public interface Holdings {
    /** For a node without stores. */
    Holdings NONE = new Holdings() {};

    /** Subscriptions of sessions of this node that end with their connection. */
    default long liveSubscriptions(TenantId tenant) {
        return 0;
    }

    /** The number among them in shared groups. */
    default long liveSharedSubscriptions(TenantId tenant) {
        return 0;
    }

    /** Subscriptions of stored sessions in the whole cluster. */
    default long storedSubscriptions(TenantId tenant) {
        return 0;
    }

    /** The number among them in shared groups. */
    default long storedSharedSubscriptions(TenantId tenant) {
        return 0;
    }

    /** Members of the group of a shared filter in the whole cluster. */
    default int groupMembers(TenantId tenant, TopicFilter filter) {
        return 0;
    }

    /** Stored sessions without a connection, in the ranges that this node leads. */
    default long detachedSessions(TenantId tenant) {
        return 0;
    }

    /** The same of all tenants. */
    default long detachedSessions() {
        return 0;
    }

    /** Bytes of the payloads that wait for stored sessions, in the ranges that this node leads. */
    default long queuedBytes(TenantId tenant) {
        return 0;
    }

    /** Delayed messages that wait, in the ranges that this node leads. */
    default long delayedMessages(TenantId tenant) {
        return 0;
    }

    /** Topics with a retained message, in the ranges that this node leads. */
    default long retainedMessages(TenantId tenant) {
        return 0;
    }

    /** Bytes of the payloads of all these messages. */
    default long retainedBytes(TenantId tenant) {
        return 0;
    }

    /**
     * Payload bytes of the retained message of a topic; -1 when there is none, or this node has no replica of its
     * range.
     */
    default long retainedBytes(TenantId tenant, String topic) {
        return -1;
    }
}
