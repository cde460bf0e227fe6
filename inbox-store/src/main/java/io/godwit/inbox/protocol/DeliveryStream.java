package io.godwit.inbox.protocol;

/**
 * The edge's end of an attachment: gets what the leader gives it, in order. Called on a range executor or on the thread
 * of a link; must hand over and return at once, and must not throw.
 */
public interface DeliveryStream {
    /** The leader has made the attachment; before its command is answered. At most once. */
    void opened(AttachmentPort port);

    void next(InboxDelivery delivery);
}
