package io.godwit.inbox.carrier;

import io.godwit.inbox.wire.InboxFrame;

/** Takes a frame apart into the values that it carries, and makes the frame of them again. */
final class Frames {
    private Frames() {}

    static byte[] decodedAndEncoded(byte[] bytes) throws Exception {
        InboxFrame frame = InboxFrame.parseFrom(bytes);
        InboxFrame.Builder again = InboxFrame.newBuilder();
        switch (frame.getKindCase()) {
            case SESSION ->
                again.setSession(CommandCodec.encode(CommandCodec.decode(frame.getSession()))
                        .setCall(frame.getSession().getCall())
                        .setAttachment(frame.getSession().getAttachment())
                        .setRound(frame.getSession().getRound()));
            case ATTACHMENT ->
                again.setAttachment(CommandCodec.encode(CommandCodec.decode(frame.getAttachment()))
                        .setCall(frame.getAttachment().getCall())
                        .setAttachment(frame.getAttachment().getAttachment()));
            case INSERT ->
                again.setInsert(CommandCodec.encode(
                                CommandCodec.decode(frame.getInsert(), null), CommandCodec.rounds(frame.getInsert()))
                        .setCall(frame.getInsert().getCall())
                        .setOrder(frame.getInsert().getOrder()));
            case REPLY ->
                again.setReply(ReplyCodec.encode(ReplyCodec.decode(frame.getReply()))
                        .setCall(frame.getReply().getCall()));
            case FAILURE ->
                again.setFailure(
                        ReplyCodec.failure(frame.getFailure().getCall(), ReplyCodec.failure(frame.getFailure())));
            case DELIVERY ->
                again.setDelivery(ReplyCodec.encode(ReplyCodec.decode(frame.getDelivery()))
                        .setAttachment(frame.getDelivery().getAttachment()));
            case HELLO, ORDER_OVER, ATTACHMENT_OVER -> again.mergeFrom(frame); // numbers alone
            case KIND_NOT_SET -> throw new AssertionError("a frame of no kind");
        }
        return again.build().toByteArray();
    }
}
