package io.godwit.dist.client;

import io.godwit.kv.client.RequestOrder;

/**
 * Makes the tokens of messages that one publisher has under way together: when one of them fails, no receiver
 * takes a later one. The publisher then publishes all of them again, with tokens of a new object.
 */
public final class DeliveryOrder {
    private final RequestOrder order = new RequestOrder();

    /** See {@link DeliveryToken}. */
    public DeliveryToken token(String origin, long number, long finishedBelow, boolean isResumed) {
        return new DeliveryToken(origin, number, finishedBelow, isResumed, order);
    }
}
