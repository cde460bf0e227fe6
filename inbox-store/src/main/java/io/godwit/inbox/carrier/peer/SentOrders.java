package io.godwit.inbox.carrier.peer;

import io.godwit.inbox.carrier.link.FrameLink;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.wire.InboxFrame;
import io.godwit.inbox.wire.OrderOver;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the {@link RequestOrder}s of inserts that are under way on a link. The other end knows the orders by number.
 * It refuses requests behind a failure until this end knows of the failure; then this end sends nothing more in that
 * order, and reports that to the other end.
 *
 * <p>Event loops send and the link's thread answers, hence the lock; it is held only for look-ups.
 */
final class SentOrders {
    private final FrameLink link;
    private final IdentityHashMap<RequestOrder, Numbered> underWay = new IdentityHashMap<>();
    private long last;

    /** An order that has requests under way. */
    private static final class Numbered {
        final long number;
        int requests;
        boolean hasFailed;

        Numbered(long number) {
            this.number = number;
        }
    }

    /**
     * A request that is about to be sent.
     *
     * @param order number of its order, 0 for none
     */
    record Sent(long order, Answer answer) {}

    SentOrders(FrameLink link) {
        this.link = link;
    }

    /** Null when an earlier request of the order has failed; the answer was then failed here. */
    @Nullable
    Sent sending(InsertRequest request, Answer answer) {
        RequestOrder order = request.order();
        if (order == null) {
            return new Sent(0, answer);
        }
        Numbered numbered = null;
        synchronized (underWay) {
            if (!order.isBrokenBefore(request.tokenNumber())) {
                numbered = underWay.computeIfAbsent(order, key -> new Numbered(++last));
                numbered.requests++;
            }
        }
        if (numbered == null) {
            answer.fail(new RangeException(
                    RangeException.Cause.OVERLOADED, "an earlier message of the same publisher could not be stored"));
            return null;
        }
        return new Sent(numbered.number, new Ordered(order, numbered, request.tokenNumber(), answer));
    }

    private void answered(RequestOrder order, Numbered numbered, boolean hasFailed) {
        boolean isOver = false;
        synchronized (underWay) {
            numbered.hasFailed |= hasFailed;
            if (--numbered.requests == 0) {
                underWay.remove(order);
                isOver = numbered.hasFailed;
            }
        }
        if (isOver) {
            link.send(InboxFrame.newBuilder()
                    .setOrderOver(OrderOver.newBuilder().setOrder(numbered.number))
                    .build()
                    .toByteArray());
        }
    }

    /** Notes the outcome of a request before its answer is passed on. */
    private final class Ordered implements Answer {
        private final RequestOrder order;
        private final Numbered numbered;
        private final long request;
        private final Answer answer;

        Ordered(RequestOrder order, Numbered numbered, long request, Answer answer) {
            this.order = order;
            this.numbered = numbered;
            this.request = request;
            this.answer = answer;
        }

        @Override
        public void reply(InboxReply reply) {
            answered(order, numbered, false);
            answer.reply(reply);
        }

        @Override
        public void fail(RangeException cause) {
            boolean hasFailed = TakenOrders.hasFailed(cause);
            if (hasFailed) {
                order.failed(request);
            }
            answered(order, numbered, hasFailed);
            answer.fail(cause);
        }
    }
}
