package io.godwit.inbox.protocol;

/** The leader's end of an attachment: where its commands go. */
public interface AttachmentPort {
    /**
     * Commands of one thread take effect in order; after the end of the attachment they have none and fail. Any
     * thread. Never blocks.
     */
    void post(AttachmentCommand command, Answer answer);

    /**
     * As {@link SessionCommand.MarkDistributed} for the session of the attachment, in one order with its other
     * commands; also after its end.
     */
    void markDistributed(int packetId, long tokenNumber, Answer answer);
}
