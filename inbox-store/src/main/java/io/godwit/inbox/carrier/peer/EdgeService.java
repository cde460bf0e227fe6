package io.godwit.inbox.carrier.peer;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.inbox.carrier.link.CommandCodec;
import io.godwit.inbox.carrier.link.FrameException;
import io.godwit.inbox.carrier.link.FrameLink;
import io.godwit.inbox.carrier.link.FrameSender;
import io.godwit.inbox.carrier.link.HeapBytes;
import io.godwit.inbox.carrier.link.ReplyCodec;
import io.godwit.inbox.carrier.link.Timer;
import io.godwit.inbox.carrier.link.Versions;
import io.godwit.inbox.carrier.link.WireValues;
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
 * Passes the commands of one other node to the leaders of this one. The link's thread calls {@link #receive} and
 * {@link #lost}; leaders answer and deliver on their range executors.
 *
 * <p>A frame is decoded and checked before anything is done ({@link #understood}). An invalid frame ends the link. An
 * exception after that is a fault of this node, and is thrown to the link.
 *
 * <p>When the link is lost, every attachment made over it ends like a connection without a DISCONNECT, unless its end
 * is already known, or this node is stopping: then the connections may continue at the next leader.
 *
 * <p>No frame exceeds the limit of the link. Long content is sent in parts. A single message that is too large ends its
 * attachment, and stays in its queue. When the link is full, deliveries wait ({@link HeldDeliveries}), and so does the
 * answer to an attach with many filters; if there is no room to wait, the attachment ends as well.
 */
public final class EdgeService {
    private static final Logger LOG = LoggerFactory.getLogger(EdgeService.class);
    /** The first protocol level whose clients can be told that a message was refused. */
    private static final int LEVEL_WITH_REASONS = 5;
    /** An answer up to this heap size is sent at once, even when the link is full. */
    private static final long SMALL_BYTES = 8 << 10;

    private final InboxHome leaders;
    private final SendingNode edge;
    private final FrameLink link;
    private final FrameSender sender;
    private final LongSupplier wallMillis;
    private final ServedBytes served;
    private final HeldDeliveries held;
    /** The link's thread adds and removes, range executors open. */
    private final Map<Long, Served> attachments = new ConcurrentHashMap<>();

    private final TakenOrders orders = new TakenOrders();
    /** Whether the other end has said hello. Only for the link's thread. */
    private boolean hasGreeted;

    private volatile boolean isLost;
    /** Whether this node has closed the link because it stops. Written before {@link #isLost}. */
    private volatile boolean isUnlinked;

    /**
     * @param leaders the leaders of this node, for this edge alone
     * @param edge the node of the edge
     * @param wallMillis milliseconds since the epoch, of the same clock as the leaders use
     * @param maxServedBytes approximate heap of unanswered commands; beyond it, commands that store something fail with
     *     {@code OVERLOADED}. At least 1
     * @param maxHeldBytes approximate heap of deliveries that wait for room on the link; beyond it, attachments end. At
     *     least 1
     */
    public EdgeService(
            InboxHome leaders,
            SendingNode edge,
            FrameLink link,
            LongSupplier wallMillis,
            Timer timer,
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

    /** Says hello. Call it before the first frame is received. */
    public void start() {
        link.send(Versions.hello(link.version()));
    }

    /** A frame from the edge; this method owns the array. An invalid frame ends the link. */
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

    /** Decodes and checks a frame without side effects; returns the action to run. */
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
            throw new FrameException("the command does not fit its attachment");
        }
        if (attachments.containsKey(attachment)) {
            throw new FrameException("an attachment is opened twice");
        }
        return () ->
                ask(command, number, round, client == null ? null : new Served(attachment, command.inbox(), client));
    }

    /** The client of a command that opens an attachment; null for others. */
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
            if (taken != null) { // before anyone is told
                taken.failed(request.tokenNumber());
            }
            answer.fail(served.overloaded());
        } else {
            leaders.insert(inOrder, rounds, answer);
        }
    }

    /** The link is lost: no frames follow. On the link's thread. */
    public void lost() {
        over();
        attachments.values().forEach(Served::end);
    }

    /**
     * This node is stopping and has closed the link. The connections may live on, and continue at the next leaders:
     * they are not detached. On the link's thread.
     */
    public void unlinked() {
        isUnlinked = true;
        over();
    }

    private void over() {
        isLost = true;
        held.lost();
        orders.lost();
    }

    /** Attachments that the edge has not ended. Any thread. */
    public int attachments() {
        return attachments.size();
    }

    /** Approximate heap of unanswered commands, in bytes. Any thread. */
    public long servedBytes() {
        return served.get();
    }

    /** Approximate heap of deliveries that wait for room on the link, in bytes. Any thread. */
    public long heldBytes() {
        return held.bytes();
    }

    /** Orders that are remembered. Any thread. */
    int orders() {
        return orders.size();
    }

    /** Sends the answer to a call. */
    private final class RemoteAnswer implements Answer {
        private final long call;
        /** Heap of the command; counted in the budget until it is answered. */
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

        /**
         * The command was carried out, but its answer cannot be sent: the edge learns only that the outcome is unknown.
         */
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

    /** The delivery stream of an attachment of the edge. */
    private final class Served implements DeliveryStream {
        private final long number;
        private final InboxId inbox;
        private final int protocolLevel;
        /** Written by the leader before it answers. */
        private volatile @Nullable AttachmentPort port;
        /**
         * Whether the connection or the leader has reported the end; then the loss of the link does not count. Written
         * by the link's thread and the range executor.
         */
        private volatile boolean isEndKnown;
        /**
         * Why QoS 2 messages are refused, after one was refused that its client will send again. Only for the link's
         * thread.
         */
        private @Nullable RangeException receivesRefused;
        /** Whether a message could not be sent; then no later one is. Written by the sender, one thread at a time. */
        private volatile boolean isCutOff;

        Served(long number, InboxId inbox, ClientInfo client) {
            this.number = number;
            this.inbox = inbox;
            this.protocolLevel = client.protocolLevel();
        }

        /** Why a command is not passed to the leader; null when it is. On the link's thread. */
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
                receivesRefused = overloaded; // its connection will be closed: 3.1.1 has no error code for this
            }
            return overloaded;
        }

        @Override
        public void opened(AttachmentPort leader) {
            port = leader;
            if (isLost && !isUnlinked) { // lost() may have missed it
                end();
            }
        }

        @Override
        public void next(InboxDelivery delivery) {
            if (delivery instanceof InboxDelivery.Messages messages) {
                deliver(messages.messages());
            } else if (!isCutOff) { // else its end was already sent
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
                return; // the rest stays in the queue
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
                return; // these were queued before that was known
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

        /** Counts the message as dropped if it is of QoS 0, which nothing stores; returns whether it is. */
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

        /** A message cannot be sent: the attachment ends before it, at both ends. */
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

        /** The link is lost; every delivered message may have been sent. */
        void end() {
            end(Long.MAX_VALUE);
        }

        /** Detaches, unless the end of the connection is known; it can no longer report it. */
        private void end(long sentBelow) {
            AttachmentPort opened = port;
            if (opened != null && !isEndKnown) {
                isEndKnown = true;
                opened.post(new AttachmentCommand.Detach(-1, true, sentBelow), Answer.NOBODY);
            }
        }
    }
}
