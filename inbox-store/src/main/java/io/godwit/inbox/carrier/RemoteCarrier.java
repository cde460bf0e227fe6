package io.godwit.inbox.carrier;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxCarrier;
import io.godwit.inbox.protocol.InboxDelivery;
import io.godwit.inbox.protocol.InboxHome;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.inbox.wire.InboxFrame;
import io.godwit.inbox.wire.SessionCall;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the commands of this node to the leaders of another one. Thread-safe; {@link #receive} is called by one
 * thread at a time.
 *
 * <p>When the link is lost, what was not answered fails with {@code LOST}, since it may have been carried out, and
 * attachments end with {@code LOST}.
 */
public final class RemoteCarrier implements InboxCarrier, InboxHome {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteCarrier.class);

    private final FrameLink link;
    /** Threads of this node ask, that of the link answers. */
    private final Map<Long, Answer> calls = new ConcurrentHashMap<>();

    private final Map<Long, RemoteAttachment> attachments = new ConcurrentHashMap<>();
    private final AtomicLong lastCall = new AtomicLong();
    private final AtomicLong lastAttachment = new AtomicLong();
    private final SentOrders orders;
    private volatile boolean isLost;
    /** 0 before the other end has told. Of the link's thread. */
    private int version;

    public RemoteCarrier(FrameLink link) {
        this.link = link;
        this.orders = new SentOrders(link);
    }

    /** Says hello; before the first command. */
    public void start() {
        link.send(Versions.hello());
    }

    // --- commands

    @Override
    public void ask(SessionCommand command, @Nullable DeliveryStream deliveries, Answer answer) {
        ask(command, 0, deliveries, answer);
    }

    @Override
    public void insert(InsertRequest request, Answer answer) {
        insert(request, new long[request.targets().size()], answer);
    }

    /** Told where the leader is. */
    @Override
    public void dropped(InboxId inbox, String topic) {
        throw new UnsupportedOperationException("the leader's node drops");
    }

    @Override
    public boolean isWritable() {
        return link.isWritable();
    }

    @Override
    public void ask(SessionCommand command, long round, @Nullable DeliveryStream deliveries, Answer answer) {
        SessionCall.Builder call = CommandCodec.encode(command);
        Answer waiting = answer;
        if (deliveries != null) {
            long number = lastAttachment.incrementAndGet();
            RemoteAttachment attachment = new RemoteAttachment(this, number, command.inbox(), deliveries);
            attachments.put(number, attachment);
            call.setAttachment(number);
            waiting = attachment.opening(command, answer);
        }
        long number = register(waiting);
        send(InboxFrame.newBuilder().setSession(call.setCall(number).setRound(round)));
        failIfLost(number);
    }

    @Override
    public void insert(InsertRequest request, long[] rounds, Answer answer) {
        SentOrders.Sent sent = orders.sending(request, answer);
        if (sent != null) {
            long number = register(sent.answer());
            send(InboxFrame.newBuilder()
                    .setInsert(
                            CommandCodec.encode(request, rounds).setCall(number).setOrder(sent.order())));
            failIfLost(number);
        }
    }

    /** The number under which the answer is awaited. {@link #failIfLost} follows. */
    long register(Answer answer) {
        long number = lastCall.incrementAndGet();
        calls.put(number, answer);
        return number;
    }

    /** After the call was sent: the loss of the link may have come before it was registered. */
    void failIfLost(long number) {
        Answer answer = isLost ? calls.remove(number) : null;
        if (answer != null) {
            answer.fail(new RangeException(Cause.LOST, "there is no link to the node of the leader"));
        }
    }

    void send(InboxFrame.Builder frame) {
        link.send(frame.build().toByteArray());
    }

    /** As {@link SessionCommand.MarkDistributed}. */
    void markDistributed(InboxId inbox, long incarnation, int packetId, long tokenNumber, Answer answer) {
        ask(new SessionCommand.MarkDistributed(inbox, incarnation, packetId, tokenNumber), null, answer);
    }

    /** The attachment is over at this end. */
    void forget(RemoteAttachment attachment) {
        attachments.remove(attachment.number(), attachment);
    }

    /** Attachments that are not over. Any thread. */
    int attachments() {
        return attachments.size();
    }

    /** Calls that are not answered. Any thread. */
    int calls() {
        return calls.size();
    }

    // --- from the link

    /** A frame of the other end. One that may not be ends the link. */
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
            case REPLY -> {
                InboxReply reply = ReplyCodec.decode(frame.getReply());
                Answer answer = calls.remove(frame.getReply().getCall());
                if (answer != null) {
                    answer.reply(reply);
                }
            }
            case FAILURE -> {
                RangeException cause = ReplyCodec.failure(frame.getFailure());
                Answer answer = calls.remove(frame.getFailure().getCall());
                if (answer != null) {
                    answer.fail(cause);
                }
            }
            case DELIVERY -> {
                InboxDelivery delivery = ReplyCodec.decode(frame.getDelivery());
                RemoteAttachment attachment =
                        attachments.get(frame.getDelivery().getAttachment());
                if (attachment != null) {
                    attachment.next(delivery);
                }
            }
            case SESSION, ATTACHMENT, INSERT, ORDER_OVER, ATTACHMENT_OVER ->
                throw new FrameException("a command came to an edge");
            case KIND_NOT_SET -> throw new FrameException("a frame of a kind that is not known here");
        }
    }

    /** The link is lost: nothing is received any more. On the link's thread. */
    public void lost() {
        isLost = true;
        // first, so that who has a call learns by then whether its attachment is over
        for (RemoteAttachment attachment : attachments.values()) {
            attachment.linkLost();
        }
        for (Long number : List.copyOf(calls.keySet())) {
            Answer answer = calls.remove(number);
            if (answer != null) {
                answer.fail(new RangeException(Cause.LOST, "the link to the node of the leader was lost"));
            }
        }
    }
}
