package io.godwit.inbox.protocol;

/**
 * Receives the deliveries of one attachment from its leader, in order. Called on a range executor or on the thread of a
 * link; must hand over and return at once, and must not throw.
 */
public interface DeliveryStream {
    /** The leader has made the attachment. Called at most once, before the attach command is answered. */
    void opened(AttachmentPort port);

    void next(InboxDelivery delivery);
}
