package io.godwit.inbox.carrier;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxCarrier;
import io.godwit.inbox.protocol.InboxDelivery;
import io.godwit.inbox.protocol.InboxHome;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.RefusalGate;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.inbox.wire.InboxFrame;
import io.godwit.inbox.wire.Reply;
import io.godwit.inbox.wire.SessionCall;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the commands of this node to the leaders of another one. Thread-safe; {@link #receive} is called by one
 * thread at a time.
 *
 * <p>A frame is decoded and checked first ({@link #understood}). One that may not be ends the link. Only then somebody
 * is told; what is thrown there is a fault of this node, and goes on to the link.
 *
 * <p>A command whose frame is above what the link takes fails with {@code TOO_LARGE}, and is not sent.
 *
 * <p>When the link is lost, what was not answered fails with {@code LOST}, since it may have been carried out, and
 * attachments end with {@code LOST}.
 */
public final class RemoteCarrier implements InboxCarrier, InboxHome {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteCarrier.class);

    private final FrameLink link;
    private final FrameSender sender;
    private final LongSupplier wallMillis;
    /** Threads of this node ask, that of the link answers. */
    private final Map<Long, Answer> calls = new ConcurrentHashMap<>();

    private final Map<Long, RemoteAttachment> attachments = new ConcurrentHashMap<>();
    private final AtomicLong lastCall = new AtomicLong();
    private final AtomicLong lastAttachment = new AtomicLong();
    private final SentOrders orders;
    private final long maxUnansweredBytes;
    private final LongSupplier viewRevision;
    /** Of messages; threads of this node add, that of the link takes away. */
    private final AtomicLong unansweredBytes = new AtomicLong();

    private volatile boolean isLost;

    // of the link's thread
    /** The other end has said hello. */
    private boolean hasGreeted;

    /** By call: what has come of an answer in several parts. */
    private final Map<Long, List<StoredSubscription>> parts = new HashMap<>(0);

    /** @param wallMillis milliseconds since the epoch, of the clock that the frontends of this node have */
    public RemoteCarrier(FrameLink link, LongSupplier wallMillis) {
        this(link, wallMillis, Long.MAX_VALUE, AgreedMembers.NONE::revision);
    }

    /**
     * @param maxUnansweredBytes heap of the messages at the other node, about, from which on it takes none.
     * @param viewRevision of the newest agreed members that are known here
     */
    RemoteCarrier(FrameLink link, LongSupplier wallMillis, long maxUnansweredBytes, LongSupplier viewRevision) {
        this.maxUnansweredBytes = maxUnansweredBytes;
        this.viewRevision = viewRevision;
        this.link = link;
        this.sender = new FrameSender(link);
        this.wallMillis = wallMillis;
        this.orders = new SentOrders(link);
    }

    /** Says hello; before the first command. */
    public void start() {
        link.send(Versions.hello(link.version()));
    }

    // --- commands

    /** Needs no order among commands that have rounds. An attachment asks so, also when it is over. */
    @Override
    public void ask(SessionCommand command, @Nullable DeliveryStream deliveries, Answer answer) {
        ask(command, RefusalGate.EVERY_ROUND, deliveries, answer);
    }

    @Override
    public void insert(InsertRequest request, Answer answer) {
        long[] rounds = new long[request.targets().size()];
        Arrays.fill(rounds, RefusalGate.EVERY_ROUND);
        insert(request, rounds, answer);
    }

    /** Told where the leader is. */
    @Override
    public void dropped(InboxId inbox, String topic) {
        throw new UnsupportedOperationException("the leader's node drops");
    }

    @Override
    public boolean isWritable() {
        return link.isWritable() && unansweredBytes.get() < maxUnansweredBytes;
    }

    @Override
    public void ask(SessionCommand command, long round, @Nullable DeliveryStream deliveries, Answer answer) {
        SessionCall.Builder call = CommandCodec.encode(command, nowMillis());
        Answer waiting = answer;
        if (deliveries != null) {
            long number = lastAttachment.incrementAndGet();
            RemoteAttachment attachment = new RemoteAttachment(this, number, command.inbox(), deliveries);
            attachments.put(number, attachment);
            call.setAttachment(number);
            waiting = attachment.opening(command, answer);
        }
        long number = nextCall();
        send(
                number,
                waiting,
                InboxFrame.newBuilder().setSession(call.setCall(number).setRound(round)));
    }

    @Override
    public void insert(InsertRequest request, long[] rounds, Answer answer) {
        SentOrders.Sent sent = orders.sending(request, new Unanswered(HeapBytes.of(request), answer));
        if (sent != null) {
            long number = nextCall();
            send(
                    number,
                    sent.answer(),
                    InboxFrame.newBuilder()
                            .setInsert(CommandCodec.encode(request, rounds, nowMillis())
                                    .setCall(number)
                                    .setViewRevision(request.onlyAsks() ? viewRevision.getAsLong() : 0)
                                    .setOrder(sent.order())));
        }
    }

    /** A message that its home has. Answered once. */
    private final class Unanswered implements Answer {
        private final long bytes;
        private final Answer answer;

        Unanswered(long bytes, Answer answer) {
            this.bytes = bytes;
            this.answer = answer;
            unansweredBytes.addAndGet(bytes);
        }

        @Override
        public void reply(InboxReply reply) {
            unansweredBytes.addAndGet(-bytes);
            answer.reply(reply);
        }

        @Override
        public void fail(RangeException cause) {
            unansweredBytes.addAndGet(-bytes);
            answer.fail(cause);
        }
    }

    private void send(long call, Answer answer, InboxFrame.Builder frame) {
        register(call, answer);
        if (sender.send(frame)) {
            failIfLost(call);
        } else {
            calls.remove(call);
            answer.fail(tooLarge());
        }
    }

    long nowMillis() {
        return wallMillis.getAsLong();
    }

    FrameSender sender() {
        return sender;
    }

    /** What a command fails with whose frame does not fit. */
    RangeException tooLarge() {
        return new RangeException(Cause.TOO_LARGE, sender.tooLarge("a command"));
    }

    /** Names a call. */
    long nextCall() {
        return lastCall.incrementAndGet();
    }

    /** From now on the answer to the call is awaited. Before it is sent; {@link #failIfLost} follows. */
    void register(long call, Answer answer) {
        calls.put(call, answer);
    }

    /** After the call was sent: the loss of the link may have come before it was registered. */
    void failIfLost(long number) {
        Answer answer = isLost ? calls.remove(number) : null;
        if (answer != null) {
            answer.fail(new RangeException(Cause.LOST, "there is no link to the node of the leader"));
        }
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

    /** A frame of the other end; the array is given away. One that may not be ends the link. */
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
            case REPLY -> understood(frame.getReply());
            case FAILURE -> {
                RangeException cause = ReplyCodec.failure(frame.getFailure());
                long call = frame.getFailure().getCall();
                yield () -> failed(call, cause);
            }
            case DELIVERY -> {
                InboxDelivery delivery = ReplyCodec.decode(frame.getDelivery(), nowMillis());
                long attachment = frame.getDelivery().getAttachment();
                yield () -> delivered(attachment, delivery);
            }
            case SESSION, ATTACHMENT, INSERT, ORDER_OVER, ATTACHMENT_OVER ->
                throw new FrameException("a command came to an edge");
            case KIND_NOT_SET -> throw new AssertionError("was checked");
        };
    }

    private Runnable understood(Reply frame) throws FrameException {
        long call = frame.getCall();
        if (frame.hasAttachedPart()) {
            List<StoredSubscription> part =
                    WireValues.subscriptions(frame.getAttachedPart().getSubscriptionsList());
            return () -> {
                if (calls.containsKey(call)) {
                    parts.computeIfAbsent(call, key -> new ArrayList<>()).addAll(part);
                }
            };
        }
        InboxReply reply = ReplyCodec.decode(frame, nowMillis());
        return () -> replied(call, reply);
    }

    private void replied(long call, InboxReply reply) {
        List<StoredSubscription> before = parts.remove(call);
        Answer answer = calls.remove(call);
        if (answer != null) {
            answer.reply(before != null && reply instanceof InboxReply.Attached last ? last.behind(before) : reply);
        }
    }

    private void failed(long call, RangeException cause) {
        parts.remove(call);
        Answer answer = calls.remove(call);
        if (answer != null) {
            answer.fail(cause);
        }
    }

    private void delivered(long number, InboxDelivery delivery) {
        RemoteAttachment attachment = attachments.get(number);
        if (attachment != null) {
            attachment.next(delivery);
        }
    }

    /** The link is lost: nothing is received any more. On the link's thread. */
    public void lost() {
        isLost = true;
        parts.clear();
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
