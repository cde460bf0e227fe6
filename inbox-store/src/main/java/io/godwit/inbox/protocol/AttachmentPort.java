package io.godwit.inbox.protocol;

/** Takes the commands of one attachment to its leader. */
public interface AttachmentPort {
    /**
     * Sends a command. Commands of one thread take effect in order; after the end of the attachment they have no effect
     * and fail. Any thread. Never blocks.
     */
    void post(AttachmentCommand command, Answer answer);

    /**
     * As {@link SessionCommand.MarkDistributed} for the session of the attachment, in order with its other commands;
     * also works after the attachment's end.
     */
    void markDistributed(int packetId, long tokenNumber, Answer answer);
}
