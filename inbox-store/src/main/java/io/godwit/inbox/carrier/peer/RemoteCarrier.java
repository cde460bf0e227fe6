package io.godwit.inbox.carrier.peer;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.inbox.carrier.link.CommandCodec;
import io.godwit.inbox.carrier.link.FrameException;
import io.godwit.inbox.carrier.link.FrameLink;
import io.godwit.inbox.carrier.link.FrameSender;
import io.godwit.inbox.carrier.link.HeapBytes;
import io.godwit.inbox.carrier.link.ReplyCodec;
import io.godwit.inbox.carrier.link.Versions;
import io.godwit.inbox.carrier.link.WireValues;
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
 * Sends the commands of this node to the leaders of another one. Thread-safe; {@link #receive} is called by one thread
 * at a time.
 *
 * <p>A frame is decoded and checked before anything is done ({@link #understood}). An invalid frame ends the link. An
 * exception after that is a fault of this node, and is thrown to the link.
 *
 * <p>A command whose frame exceeds the limit of the link fails with {@code TOO_LARGE}, and is not sent.
 *
 * <p>When the link is lost, unanswered commands fail with {@code LOST}, because they may have been carried out, and
 * attachments end with {@code LOST}.
 */
public final class RemoteCarrier implements InboxCarrier, InboxHome {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteCarrier.class);

    private final FrameLink link;
    private final RemoteCalls calls;
    private final Map<Long, RemoteAttachment> attachments = new ConcurrentHashMap<>();
    private final AtomicLong lastAttachment = new AtomicLong();
    private final SentOrders orders;
    private final long maxUnansweredBytes;
    private final LongSupplier viewRevision;
    /** Heap of unanswered messages; any thread adds, the link's thread subtracts. */
    private final AtomicLong unansweredBytes = new AtomicLong();

    // only for the link's thread
    /** Whether the other end has said hello. */
    private boolean hasGreeted;

    /** By call: the received parts of an answer. */
    private final Map<Long, List<StoredSubscription>> parts = new HashMap<>(0);

    /** @param wallMillis milliseconds since the epoch, of the same clock as the frontends of this node use */
    public RemoteCarrier(FrameLink link, LongSupplier wallMillis) {
        this(link, wallMillis, Long.MAX_VALUE, AgreedMembers.NONE::revision);
    }

    /**
     * @param maxUnansweredBytes approximate heap of unanswered messages from which on {@link #isWritable} is false
     * @param viewRevision revision of the newest agreed members known here
     */
    public RemoteCarrier(FrameLink link, LongSupplier wallMillis, long maxUnansweredBytes, LongSupplier viewRevision) {
        this.maxUnansweredBytes = maxUnansweredBytes;
        this.viewRevision = viewRevision;
        this.link = link;
        this.calls = new RemoteCalls(new FrameSender(link), wallMillis);
        this.orders = new SentOrders(link);
    }

    /** Says hello. Call it before the first command. */
    public void start() {
        link.send(Versions.hello(link.version()));
    }

    // --- commands

    /**
     * Sends a command that needs no order among commands with rounds, such as one of an attachment, even after its end.
     */
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

    /** Never called: the leader's node counts its own drops. */
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
        SessionCall.Builder call = CommandCodec.encode(command, calls.nowMillis());
        Answer waiting = answer;
        if (deliveries != null) {
            long number = lastAttachment.incrementAndGet();
            RemoteAttachment attachment =
                    new RemoteAttachment(calls, this::forget, number, command.inbox(), deliveries);
            attachments.put(number, attachment);
            call.setAttachment(number);
            waiting = attachment.opening(command, answer);
        }
        calls.ask(call, round, waiting);
    }

    @Override
    public void insert(InsertRequest request, long[] rounds, Answer answer) {
        SentOrders.Sent sent = orders.sending(request, new Unanswered(HeapBytes.of(request), answer));
        if (sent != null) {
            long number = calls.next();
            calls.send(
                    number,
                    sent.answer(),
                    InboxFrame.newBuilder()
                            .setInsert(CommandCodec.encode(request, rounds, calls.nowMillis())
                                    .setCall(number)
                                    .setViewRevision(request.onlyAsks() ? viewRevision.getAsLong() : 0)
                                    .setOrder(sent.order())));
        }
    }

    /** Receives the answer to a message at its home. Answered once. */
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

    /** The attachment has ended at this end. */
    private void forget(RemoteAttachment attachment) {
        attachments.remove(attachment.number(), attachment);
    }

    /** Attachments that have not ended. Any thread. */
    int attachments() {
        return attachments.size();
    }

    /** Unanswered calls. Any thread. */
    int calls() {
        return calls.size();
    }

    // --- from the link

    /** A frame from the other end; this method owns the array. An invalid frame ends the link. */
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
            case REPLY -> understood(frame.getReply());
            case FAILURE -> {
                RangeException cause = ReplyCodec.failure(frame.getFailure());
                long call = frame.getFailure().getCall();
                yield () -> failed(call, cause);
            }
            case DELIVERY -> {
                InboxDelivery delivery = ReplyCodec.decode(frame.getDelivery(), calls.nowMillis());
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
                if (calls.isWaiting(call)) {
                    parts.computeIfAbsent(call, key -> new ArrayList<>()).addAll(part);
                }
            };
        }
        InboxReply reply = ReplyCodec.decode(frame, calls.nowMillis());
        return () -> replied(call, reply);
    }

    private void replied(long call, InboxReply reply) {
        List<StoredSubscription> before = parts.remove(call);
        Answer answer = calls.take(call);
        if (answer != null) {
            answer.reply(before != null && reply instanceof InboxReply.Attached last ? last.behind(before) : reply);
        }
    }

    private void failed(long call, RangeException cause) {
        parts.remove(call);
        Answer answer = calls.take(call);
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

    /** The link is lost: no frames follow. On the link's thread. */
    public void lost() {
        calls.lost();
        parts.clear();
        // first, so that a caller whose call fails finds its attachment ended
        for (RemoteAttachment attachment : attachments.values()) {
            attachment.linkLost();
        }
        calls.failAll();
    }
}
