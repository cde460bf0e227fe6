package io.godwit.broker.sub;

/**
 * Bounds of each subscription.
 *
 * @param batchMessages of one batch
 * @param batchBytes heap bytes of one batch; a larger message is a batch of its own
 * @param heldMessages taken from the inbox and not acknowledged
 * @param heldBytes heap bytes of these; beyond it no more are requested
 */
public record SubLimits(int batchMessages, long batchBytes, int heldMessages, long heldBytes) {
    public SubLimits {
        if (batchMessages < 1 || batchBytes < 1 || heldMessages < batchMessages || heldBytes < batchBytes) {
            throw new IllegalArgumentException("a batch must have something, and what is held a batch: " + batchMessages
                    + ", " + batchBytes + ", " + heldMessages + ", " + heldBytes);
        }
    }
}
