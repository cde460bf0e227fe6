package io.godwit.broker.sub;

/**
 * Bounds of each subscription.
 *
 * @param batchMessages in one batch
 * @param batchBytes heap bytes of one batch; a larger message is alone
 * @param heldMessages taken out of the inbox and not acknowledged
 * @param heldBytes heap bytes of those, beyond which no more are asked for
 */
public record SubLimits(int batchMessages, long batchBytes, int heldMessages, long heldBytes) {
    public SubLimits {
        if (batchMessages < 1 || batchBytes < 1 || heldMessages < batchMessages || heldBytes < batchBytes) {
            throw new IllegalArgumentException("a batch must have something, and what is held a batch: " + batchMessages
                    + ", " + batchBytes + ", " + heldMessages + ", " + heldBytes);
        }
    }
}
