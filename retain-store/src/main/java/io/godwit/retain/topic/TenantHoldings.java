package io.godwit.retain.topic;

import io.godwit.plugin.client.TenantId;

/** What one range holds for each tenant. Any thread. */
interface TenantHoldings {
    /** The number of retained messages of a tenant and the bytes of their payloads. */
    record Held(long messages, long payloadBytes) {
        static final Held NONE = new Held(0, 0);

        Held plus(long moreMessages, long moreBytes) {
            return new Held(messages + moreMessages, payloadBytes + moreBytes);
        }
    }

    Held held(TenantId tenant);

    /**
     * Payload bytes of one retained message; -1 if there is none.
     *
     * @param key {@link RetainKeys#key}
     */
    long payloadBytes(byte[] key);
}
