package io.godwit.broker.sub;

/**
 * Bounds of each subscription.
 *
 * @param batchMessages of one batch
 * @param batchBytes heap bytes of one batch; a larger message is a batch of its own
 * @param heldMessages taken from the inbox and not acknowledged
 * @param heldBytes heap bytes of these; beyond it no more are requested
 * @param messageBytes of the largest message; as many are requested as fit if each is as large, at least one
 */
public record SubLimits(int batchMessages, long batchBytes, int heldMessages, long heldBytes, long messageBytes) {
    public SubLimits {
        if (messageBytes < 1) {
            throw new IllegalArgumentException("messageBytes must be at least 1, was " + messageBytes);
        }
        if (batchMessages < 1 || batchBytes < 1 || heldMessages < batchMessages || heldBytes < batchBytes) {
            throw new IllegalArgumentException("a batch must have something, and what is held a batch: " + batchMessages
                    + ", " + batchBytes + ", " + heldMessages + ", " + heldBytes);
        }
    }
}
