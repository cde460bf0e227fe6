package io.godwit.inbox.carrier;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.AttachmentCommand;
import io.godwit.inbox.protocol.AttachmentPort;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxDelivery;
import io.godwit.inbox.protocol.InboxHome;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.inbox.wire.AttachmentCall;
import io.godwit.inbox.wire.InboxFrame;
import io.godwit.inbox.wire.InsertCall;
import io.godwit.inbox.wire.SessionCall;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.client.RequestOrder;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the commands of one other node to the leaders of this one. {@link #receive} and {@link #lost} are called by
 * the link's thread; leaders answer and deliver on their range executors.
 *
 * <p>When the link is lost, every attachment that came by it ends as a connection does that ends without a DISCONNECT.
 */
public final class EdgeService {
    private static final Logger LOG = LoggerFactory.getLogger(EdgeService.class);

    private final InboxHome leaders;
    private final FrameLink link;
    /** The link's thread adds and takes out, range executors open. */
    private final Map<Long, Served> attachments = new ConcurrentHashMap<>();

    private final TakenOrders orders = new TakenOrders();
    /** 0 before the other end has told. Of the link's thread. */
    private int version;

    private volatile boolean isLost;

    /** @param leaders those of this node, for this edge alone */
    public EdgeService(InboxHome leaders, FrameLink link) {
        this.leaders = leaders;
        this.link = link;
    }

    /** Says hello; before the first frame is received. */
    public void start() {
        link.send(Versions.hello());
    }

    /** A frame of the edge. One that may not be ends the link. */
    public void receive(byte[] bytes) {
        try {
            take(InboxFrame.parseFrom(bytes));
        } catch (InvalidProtocolBufferException | FrameException | IllegalArgumentException e) {
            LOG.warn("a frame of the inbox protocol is not understood: {}", e.getMessage());
            link.abandon(String.valueOf(e.getMessage()));
        }
    }

    private void take(InboxFrame frame) throws FrameException {
        if (version == 0 && !frame.hasHello()) {
            throw new FrameException("the first frame is no hello");
        }
        switch (frame.getKindCase()) {
            case HELLO -> version = Versions.agree(frame.getHello());
            case SESSION -> session(frame.getSession());
            case ATTACHMENT -> attachment(frame.getAttachment());
            case INSERT -> insert(frame.getInsert());
            case ORDER_OVER -> orders.over(frame.getOrderOver().getOrder());
            case ATTACHMENT_OVER -> attachments.remove(frame.getAttachmentOver().getAttachment());
            case REPLY, FAILURE, DELIVERY -> throw new FrameException("an answer came to a leader's node");
            case KIND_NOT_SET -> throw new FrameException("a frame of a kind that is not known here");
        }
    }

    private void session(SessionCall call) throws FrameException {
        SessionCommand command = CommandCodec.decode(call);
        Answer answer = new RemoteAnswer(call.getCall());
        Served served = null;
        if (call.getAttachment() != 0) {
            served = new Served(call.getAttachment(), command.inbox());
            if (attachments.putIfAbsent(call.getAttachment(), served) != null) {
                throw new FrameException("an attachment is opened twice");
            }
        }
        boolean opens = command instanceof SessionCommand.Attach || command instanceof SessionCommand.Continue;
        if (opens != (served != null)) {
            throw new FrameException("a command and its attachment do not go together");
        }
        leaders.ask(command, call.getRound(), served, answer);
    }

    private void attachment(AttachmentCall call) throws FrameException {
        AttachmentCommand command = CommandCodec.decode(call);
        Answer answer = call.getCall() == 0 ? Answer.NOBODY : new RemoteAnswer(call.getCall());
        Served served = attachments.get(call.getAttachment());
        AttachmentPort port = served == null ? null : served.port;
        if (port == null) {
            answer.fail(new RangeException(Cause.CLOSED, "the attachment is over"));
        } else {
            port.post(command, answer);
        }
    }

    private void insert(InsertCall call) {
        Answer answer = new RemoteAnswer(call.getCall());
        RequestOrder order = null;
        if (call.getOrder() != 0) {
            order = orders.taking(call.getOrder());
            answer = orders.telling(call.getOrder(), answer);
        }
        leaders.insert(CommandCodec.decode(call, order), CommandCodec.rounds(call), answer);
    }

    /** The link is lost: nothing is received any more. On the link's thread. */
    public void lost() {
        isLost = true;
        attachments.values().forEach(Served::end);
    }

    /** Attachments that the edge has not said to be over. Any thread. */
    public int attachments() {
        return attachments.size();
    }

    /** Orders that are remembered. Any thread. */
    int orders() {
        return orders.size();
    }

    private void send(InboxFrame.Builder frame) {
        link.send(frame.build().toByteArray());
    }

    /** Sends the answer to a call back. */
    private final class RemoteAnswer implements Answer {
        private final long call;

        RemoteAnswer(long call) {
            this.call = call;
        }

        @Override
        public void reply(InboxReply reply) {
            send(InboxFrame.newBuilder().setReply(ReplyCodec.encode(reply).setCall(call)));
        }

        @Override
        public void fail(RangeException cause) {
            send(InboxFrame.newBuilder().setFailure(ReplyCodec.failure(call, cause)));
        }
    }

    /** The stream of an attachment of the edge. */
    private final class Served implements DeliveryStream {
        private final long number;
        private final InboxId inbox;
        /** Written by the leader before it answers. */
        private volatile @Nullable AttachmentPort port;

        Served(long number, InboxId inbox) {
            this.number = number;
            this.inbox = inbox;
        }

        @Override
        public void opened(AttachmentPort leader) {
            port = leader;
            if (isLost) { // the end may have missed it
                end();
            }
        }

        @Override
        public void next(InboxDelivery delivery) {
            InboxDelivery sent = delivery;
            if (delivery instanceof InboxDelivery.Messages messages && !link.isWritable()) {
                List<InboxMessage> left = new ArrayList<>(messages.messages());
                left.removeIf(this::isDropped); // credit bounds the others
                if (left.isEmpty()) {
                    return;
                }
                sent = new InboxDelivery.Messages(left);
            }
            send(InboxFrame.newBuilder().setDelivery(ReplyCodec.encode(sent).setAttachment(number)));
        }

        private boolean isDropped(InboxMessage message) {
            boolean isDropped = message.qos() == Qos.AT_MOST_ONCE;
            if (isDropped) {
                leaders.dropped(inbox, message.message().topic());
            }
            return isDropped;
        }

        void end() {
            AttachmentPort opened = port;
            if (opened != null) {
                // all that was delivered may have been sent; the connection's end was not told
                opened.post(new AttachmentCommand.Detach(-1, true, Long.MAX_VALUE), Answer.NOBODY);
            }
        }
    }
}
