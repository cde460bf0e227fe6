package io.godwit.retain.topic;

import io.godwit.plugin.client.TenantId;

/** What one range has of each tenant. Any thread. */
interface TenantHoldings {
    /** Topics with a retained message, and the bytes of the payloads of these. */
    record Held(long messages, long payloadBytes) {
        static final Held NONE = new Held(0, 0);

        Held plus(long moreMessages, long moreBytes) {
            return new Held(messages + moreMessages, payloadBytes + moreBytes);
        }
    }

    Held held(TenantId tenant);

    /**
     * Bytes of the payload of one message; -1 when there is none.
     *
     * @param key {@link RetainKeys#key}
     */
    long payloadBytes(byte[] key);
}
