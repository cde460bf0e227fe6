package io.godwit.inbox.carrier.peer;

import io.godwit.inbox.carrier.link.CommandCodec;
import io.godwit.inbox.carrier.link.ReplyCodec;
import io.godwit.inbox.carrier.link.WireValues;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.wire.InboxFrame;
import io.godwit.inbox.wire.Reply;
import java.util.ArrayList;
import java.util.List;

/** Decodes a frame into its values, and encodes them into a frame again. */
final class Frames {
    /** A message keeps its age when it is decoded and encoded at the same time. */
    private static final long NOW_MILLIS = 1_800_000_000_000L;

    private static final SendingNode SENDER = new SendingNode(AgreedMembers.NONE, "edge", 1);

    private Frames() {}

    static byte[] decodedAndEncoded(byte[] bytes) throws Exception {
        InboxFrame frame = WireValues.frame(bytes.clone());
        InboxFrame.Builder again = InboxFrame.newBuilder();
        switch (frame.getKindCase()) {
            case SESSION ->
                again.setSession(CommandCodec.encode(CommandCodec.decode(frame.getSession(), NOW_MILLIS), NOW_MILLIS)
                        .setCall(frame.getSession().getCall())
                        .setAttachment(frame.getSession().getAttachment())
                        .setRound(frame.getSession().getRound()));
            case ATTACHMENT ->
                again.setAttachment(
                        CommandCodec.encode(CommandCodec.decode(frame.getAttachment(), NOW_MILLIS), NOW_MILLIS)
                                .setCall(frame.getAttachment().getCall())
                                .setAttachment(frame.getAttachment().getAttachment()));
            case INSERT ->
                again.setInsert(CommandCodec.encode(
                                CommandCodec.decode(frame.getInsert(), NOW_MILLIS, SENDER.resendOf(frame.getInsert())),
                                CommandCodec.rounds(frame.getInsert()),
                                NOW_MILLIS)
                        .setCall(frame.getInsert().getCall())
                        .setViewRevision(frame.getInsert().getViewRevision())
                        .setOrder(frame.getInsert().getOrder()));
            case REPLY ->
                again.setReply((frame.getReply().hasAttachedPart()
                                ? part(frame.getReply())
                                : ReplyCodec.encode(ReplyCodec.decode(frame.getReply(), NOW_MILLIS), NOW_MILLIS))
                        .setCall(frame.getReply().getCall()));
            case FAILURE ->
                again.setFailure(
                        ReplyCodec.failure(frame.getFailure().getCall(), ReplyCodec.failure(frame.getFailure())));
            case DELIVERY ->
                again.setDelivery(ReplyCodec.encode(ReplyCodec.decode(frame.getDelivery(), NOW_MILLIS), NOW_MILLIS)
                        .setAttachment(frame.getDelivery().getAttachment()));
            case HELLO, ORDER_OVER, ATTACHMENT_OVER -> again.mergeFrom(frame); // numbers alone
            case KIND_NOT_SET -> throw new AssertionError("a frame of no kind");
        }
        return again.build().toByteArray();
    }

    /** Encodes a part again as the first of several. */
    private static Reply.Builder part(Reply frame) {
        List<StoredSubscription> all =
                WireValues.subscriptions(frame.getAttachedPart().getSubscriptionsList());
        int bytes = frame.getAttachedPart().getSerializedSize();
        List<StoredSubscription> andMore = new ArrayList<>(all);
        andMore.addAll(all);
        return ReplyCodec.parts(new InboxReply.Attached(true, 1, andMore, new int[0]), bytes, NOW_MILLIS)
                .get(0);
    }
}
