package io.godwit.inbox.carrier;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertRequest;
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
import io.godwit.inbox.wire.Delivery;
import io.godwit.inbox.wire.InboxFrame;
import io.godwit.inbox.wire.InsertCall;
import io.godwit.inbox.wire.Reply;
import io.godwit.inbox.wire.SessionCall;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.client.RequestOrder;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the commands of one other node to the leaders of this one. {@link #receive} and {@link #lost} are called by
 * the link's thread; leaders answer and deliver on their range executors.
 *
 * <p>A frame is decoded and checked first ({@link #understood}). One that may not be ends the link. Only then something
 * is done; what is thrown there is a fault of this node, and goes on to the link.
 *
 * <p>When the link is lost, every attachment that came by it ends as a connection does that ends without a DISCONNECT;
 * but for one whose end is known already, which stays as it was.
 *
 * <p>No frame is above what the link takes. What may grow comes in parts. A message that is too large alone ends the
 * attachment it is for, and stays in its queue. What the link has no room for waits ({@link HeldDeliveries}), and so
 * does the answer to an attach that brings many filters; what does not find room there either ends its attachment as
 * well.
 */
public final class EdgeService {
    private static final Logger LOG = LoggerFactory.getLogger(EdgeService.class);
    /** The first protocol level whose clients are told that a message was refused. */
    private static final int LEVEL_WITH_REASONS = 5;
    /** An answer of no more heap is sent at once, also when the link is full. */
    private static final long SMALL_BYTES = 8 << 10;

    private final InboxHome leaders;
    private final Sender edge;
    private final FrameLink link;
    private final FrameSender sender;
    private final LongSupplier wallMillis;
    private final ServedBytes served;
    private final HeldDeliveries held;
    /** The link's thread adds and takes out, range executors open. */
    private final Map<Long, Served> attachments = new ConcurrentHashMap<>();

    private final TakenOrders orders = new TakenOrders();
    /** The other end has said hello. Of the link's thread. */
    private boolean hasGreeted;

    private volatile boolean isLost;

    /**
     * @param leaders those of this node, for this edge alone
     * @param edge the node of the edge
     * @param wallMillis milliseconds since the epoch, of the clock that the leaders have
     * @param maxServedBytes heap of commands that are not answered, about; beyond it commands that store something fail
     *     with {@code OVERLOADED}. At least 1
     * @param maxHeldBytes heap of deliveries that the link has no room for, about; beyond it attachments end. At least
     *     1
     */
    EdgeService(
            InboxHome leaders,
            Sender edge,
            FrameLink link,
            LongSupplier wallMillis,
            HomeCarrier.Timer timer,
            long maxServedBytes,
            long maxHeldBytes) {
        this.leaders = leaders;
        this.edge = edge;
        this.link = link;
        this.sender = new FrameSender(link);
        this.wallMillis = wallMillis;
        this.served = new ServedBytes(maxServedBytes);
        this.held = new HeldDeliveries(link, timer, maxHeldBytes);
    }

    /** Says hello; before the first frame is received. */
    public void start() {
        link.send(Versions.hello(link.version()));
    }

    /** A frame of the edge; the array is given away. One that may not be ends the link. */
    public void receive(byte[] bytes) {
        Runnable action;
        try {
            action = understood(WireValues.frame(bytes));
        } catch (InvalidProtocolBufferException | FrameException | IllegalArgumentException e) {
            LOG.warn("a frame of the inbox protocol is not understood: {}", e.getMessage());
            link.abandon(String.valueOf(e.getMessage()));
            return;
        }
        action.run();
    }

    /** Decodes and checks; changes nothing. Returns what is to be done. */
    private Runnable understood(InboxFrame frame) throws FrameException {
        if (!hasGreeted && !frame.hasHello()) {
            throw new FrameException("the first frame is no hello");
        }
        Versions.check(frame.getKindCase(), link.version());
        return switch (frame.getKindCase()) {
            case HELLO -> {
                Versions.check(frame.getHello(), link.version());
                yield () -> hasGreeted = true;
            }
            case SESSION -> understood(frame.getSession());
            case ATTACHMENT -> understood(frame.getAttachment());
            case INSERT -> understood(frame.getInsert());
            case ORDER_OVER -> {
                long order = frame.getOrderOver().getOrder();
                yield () -> orders.over(order);
            }
            case ATTACHMENT_OVER -> {
                long attachment = frame.getAttachmentOver().getAttachment();
                yield () -> attachments.remove(attachment);
            }
            case REPLY, FAILURE, DELIVERY -> throw new FrameException("an answer came to a leader's node");
            case KIND_NOT_SET -> throw new AssertionError("was checked");
        };
    }

    private Runnable understood(SessionCall call) throws FrameException {
        SessionCommand command = CommandCodec.decode(call, wallMillis.getAsLong());
        long number = call.getCall();
        long attachment = call.getAttachment();
        long round = call.getRound();
        ClientInfo client = clientOf(command);
        boolean opens = client != null;
        if (opens != (attachment != 0)) {
            throw new FrameException("a command and its attachment do not go together");
        }
        if (attachments.containsKey(attachment)) {
            throw new FrameException("an attachment is opened twice");
        }
        return () ->
                ask(command, number, round, client == null ? null : new Served(attachment, command.inbox(), client));
    }

    /** Of a command that opens an attachment; null for others. */
    private static @Nullable ClientInfo clientOf(SessionCommand command) {
        if (command instanceof SessionCommand.Attach attach) {
            return attach.request().client();
        }
        return command instanceof SessionCommand.Continue goOn ? goOn.request().client() : null;
    }

    private void ask(SessionCommand command, long call, long round, @Nullable Served opens) {
        boolean isRefused = ServedBytes.fills(command) && (served.isSpent() || held.isSpent());
        Answer answer = new RemoteAnswer(call, HeapBytes.of(command), opens);
        if (isRefused) {
            answer.fail(served.overloaded());
            return;
        }
        if (opens != null) {
            attachments.put(opens.number, opens);
        }
        leaders.ask(command, round, opens, answer);
    }

    private Runnable understood(AttachmentCall call) throws FrameException {
        AttachmentCommand command = CommandCodec.decode(call, wallMillis.getAsLong());
        long number = call.getCall();
        long attachment = call.getAttachment();
        return () -> post(attachment, command, number);
    }

    private void post(long attachment, AttachmentCommand command, long call) {
        Served of = attachments.get(attachment);
        AttachmentPort port = of == null ? null : of.port;
        RangeException refusal = of == null || port == null
                ? new RangeException(Cause.CLOSED, "the attachment is over")
                : of.refusal(command);
        Answer answer = call == 0 ? Answer.NOBODY : new RemoteAnswer(call, HeapBytes.of(command), null);
        if (port == null || refusal != null) {
            answer.fail(Objects.requireNonNull(refusal));
        } else {
            port.post(command, answer);
        }
    }

    private Runnable understood(InsertCall call) {
        InsertRequest request = CommandCodec.decode(call, wallMillis.getAsLong(), edge.resendOf(call));
        long[] rounds = CommandCodec.rounds(call);
        long number = call.getCall();
        long order = call.getOrder();
        return () -> insert(request, rounds, number, order);
    }

    private void insert(InsertRequest request, long[] rounds, long call, long order) {
        InsertRequest inOrder = request;
        boolean isSpent = served.isSpent();
        Answer answer = new RemoteAnswer(call, HeapBytes.of(request), null);
        if (order != 0) {
            inOrder = CommandCodec.ordered(request, orders.taking(order));
            answer = orders.telling(order, answer);
        }
        RequestOrder taken = inOrder.order();
        if (isSpent) {
            if (taken != null) { // before anybody is told
                taken.failed(request.tokenNumber());
            }
            answer.fail(served.overloaded());
        } else {
            leaders.insert(inOrder, rounds, answer);
        }
    }

    /** The link is lost: nothing is received any more. On the link's thread. */
    public void lost() {
        isLost = true;
        held.lost();
        orders.lost();
        attachments.values().forEach(Served::end);
    }

    /** Attachments that the edge has not said to be over. Any thread. */
    public int attachments() {
        return attachments.size();
    }

    /** Heap of the commands that are not answered, about, in bytes. Any thread. */
    public long servedBytes() {
        return served.get();
    }

    /** Heap of deliveries that the link has no room for, about, in bytes. Any thread. */
    public long heldBytes() {
        return held.bytes();
    }

    /** Orders that are remembered. Any thread. */
    int orders() {
        return orders.size();
    }

    /** Sends the answer to a call back. */
    private final class RemoteAnswer implements Answer {
        private final long call;
        /** Of the command; taken from the budget until it is answered. */
        private final long heapBytes;
        /** The attachment that the call opens; null for none. */
        private final @Nullable Served opens;

        RemoteAnswer(long call, long heapBytes, @Nullable Served opens) {
            this.call = call;
            this.heapBytes = heapBytes;
            this.opens = opens;
            served.add(heapBytes);
        }

        @Override
        public void reply(InboxReply reply) {
            served.release(heapBytes);
            long answerBytes = HeapBytes.of(reply);
            if (answerBytes <= SMALL_BYTES || held.isFree()) {
                send(reply);
            } else if (!held.add(answerBytes, () -> send(reply))) {
                notSent("too much waits for its node");
            }
        }

        private void send(InboxReply reply) {
            for (Reply.Builder part : ReplyCodec.parts(reply, sender.partBytes(), wallMillis.getAsLong())) {
                if (!sender.send(InboxFrame.newBuilder().setReply(part.setCall(call)))) {
                    notSent(sender.tooLarge("the answer"));
                    return;
                }
            }
        }

        /** The command was carried out, and the edge can not be told more than that it may have been. */
        private void notSent(String why) {
            tell(new RangeException(Cause.TIMEOUT, why));
            if (opens != null) {
                opens.end();
            }
        }

        @Override
        public void fail(RangeException cause) {
            served.release(heapBytes);
            tell(cause);
        }

        private void tell(RangeException cause) {
            sender.sendSmall(InboxFrame.newBuilder().setFailure(ReplyCodec.failure(call, cause)));
        }
    }

    /** The stream of an attachment of the edge. */
    private final class Served implements DeliveryStream {
        private final long number;
        private final InboxId inbox;
        private final int protocolLevel;
        /** Written by the leader before it answers. */
        private volatile @Nullable AttachmentPort port;
        /**
         * The connection has told its end, or the leader has: the loss of the link says nothing any more. The link's
         * thread and the range executor write it.
         */
        private volatile boolean isEndKnown;
        /** Of QoS 2, since one was refused whose client will send it again. Of the link's thread. */
        private @Nullable RangeException receivesRefused;
        /** A message could not be sent: nothing follows it. Written by who sends, one at a time. */
        private volatile boolean isCutOff;

        Served(long number, InboxId inbox, ClientInfo client) {
            this.number = number;
            this.inbox = inbox;
            this.protocolLevel = client.protocolLevel();
        }

        /** Why a command is not given to the leader; null when it is. On the link's thread. */
        @Nullable
        RangeException refusal(AttachmentCommand command) {
            if (command instanceof AttachmentCommand.Detach) {
                isEndKnown = true;
            }
            boolean isReceive = command instanceof AttachmentCommand.Receive;
            if (isReceive && receivesRefused != null) {
                return receivesRefused;
            }
            if (!ServedBytes.fills(command) || !served.isSpent()) {
                return null;
            }
            RangeException overloaded = served.overloaded();
            if (isReceive && protocolLevel < LEVEL_WITH_REASONS) {
                receivesRefused = overloaded; // its connection will be closed: the client can not be told
            }
            return overloaded;
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
            if (delivery instanceof InboxDelivery.Messages messages) {
                deliver(messages.messages());
            } else if (!isCutOff) { // else its end was told
                if (delivery instanceof InboxDelivery.Detached) {
                    isEndKnown = true;
                }
                held.addSmall(() -> {
                    if (!isCutOff) {
                        sendSmall(delivery);
                    }
                });
            }
        }

        private void deliver(List<InboxMessage> messages) {
            if (!isCutOff && held.isFree()) {
                send(messages);
                return;
            }
            List<InboxMessage> left = new ArrayList<>(messages);
            left.removeIf(this::isDropped);
            if (left.isEmpty() || isCutOff) {
                return; // what is left stays in the queue
            }
            long heap = left.stream()
                    .mapToLong(message -> message.message().heapBytes())
                    .sum();
            if (!held.add(heap, () -> send(left))) {
                cutOff("too much waits for its node", left.get(0).sequence());
            }
        }

        private void send(List<InboxMessage> left) {
            if (isCutOff) {
                return; // these came before that was known
            }
            int sent = 0;
            for (Delivery.Builder part : ReplyCodec.parts(left, sender.partBytes(), wallMillis.getAsLong())) {
                if (sender.send(InboxFrame.newBuilder().setDelivery(part.setAttachment(number)))) {
                    sent += part.getMessages().getMessagesCount();
                } else if (isDropped(left.get(sent))) { // it is alone in its part
                    sent++;
                } else {
                    cutOff(sender.tooLarge("a message for it"), left.get(sent).sequence());
                    left.subList(sent, left.size()).forEach(this::isDropped);
                    return;
                }
            }
        }

        /** Nobody keeps a message of QoS 0: it is counted. */
        private boolean isDropped(InboxMessage message) {
            boolean isDropped = message.qos() == Qos.AT_MOST_ONCE;
            if (isDropped) {
                leaders.dropped(inbox, message.message().topic());
            }
            return isDropped;
        }

        private void sendSmall(InboxDelivery delivery) {
            Delivery.Builder encoded = ReplyCodec.encode(delivery, 0);
            sender.sendSmall(InboxFrame.newBuilder().setDelivery(encoded.setAttachment(number)));
        }

        /** A message can not be sent: the attachment ends before it, at both ends. */
        private void cutOff(String why, long sequence) {
            if (!isLost) {
                LOG.warn(
                        "a connection ends: {} client={} sequence={}",
                        why,
                        inbox.clientId().value(),
                        sequence);
            }
            held.addSmall(() -> sendSmall(new InboxDelivery.Detached(InboxListener.Reason.UNAVAILABLE)));
            isCutOff = true;
            end(sequence);
        }

        /** The link is lost; all that was delivered may have been sent. */
        void end() {
            end(Long.MAX_VALUE);
        }

        /** The connection has not told its end, and can not any more. */
        private void end(long sentBelow) {
            AttachmentPort opened = port;
            if (opened != null && !isEndKnown) {
                isEndKnown = true;
                opened.post(new AttachmentCommand.Detach(-1, true, sentBelow), Answer.NOBODY);
            }
        }
    }
}
