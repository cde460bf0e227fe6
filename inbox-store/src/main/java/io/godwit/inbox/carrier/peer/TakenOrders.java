package io.godwit.inbox.carrier.peer;

import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import java.util.HashMap;
import java.util.Map;

/**
 * The orders of one edge's inserts, by the edge's numbers. An order without a failure is forgotten when none of its
 * requests is under way; one with a failure stays until the edge says that it sends nothing more in it. When the link
 * is lost the edge can no longer say so: all orders are broken and forgotten ({@link #lost}).
 *
 * <p>The link's thread takes and range executors answer, hence the lock; it is held only for look-ups.
 */
final class TakenOrders {
    private final Map<Long, Taken> orders = new HashMap<>();
    /** Under the lock. */
    private boolean isLost;

    private static final class Taken {
        final RequestOrder order = new RequestOrder();
        int requests;
        boolean hasFailed;
    }

    /**
     * Whether the order is broken by this failure. A request that no leader had, or that a lost node had, is sent again
     * before those behind it.
     */
    static boolean hasFailed(RangeException cause) {
        return switch (cause.reason()) {
            case MOVED, CLOSED, LOST -> false;
            case TIMEOUT, OVERLOADED, DISK_FULL, TOO_LARGE, STORE_FAILED -> true;
        };
    }

    /** A request of that order has come. */
    RequestOrder taking(long number) {
        synchronized (orders) {
            if (isLost) {
                return broken(new RequestOrder());
            }
            Taken taken = orders.computeIfAbsent(number, key -> new Taken());
            taken.requests++;
            return taken.order;
        }
    }

    /** Notes the outcome of that request. */
    Answer telling(long number, Answer answer) {
        return new Answer() {
            @Override
            public void reply(InboxReply reply) {
                answered(number, false);
                answer.reply(reply);
            }

            @Override
            public void fail(RangeException cause) {
                answered(number, hasFailed(cause));
                answer.fail(cause);
            }
        };
    }

    private void answered(long number, boolean hasFailed) {
        synchronized (orders) {
            Taken taken = orders.get(number);
            if (taken != null) {
                taken.hasFailed |= hasFailed;
                if (--taken.requests == 0 && !taken.hasFailed) {
                    orders.remove(number);
                }
            }
        }
    }

    /** The edge sends nothing more in that order. */
    void over(long number) {
        synchronized (orders) {
            orders.remove(number);
        }
    }

    /**
     * The link is lost. The edge treats requests under way as failed, and their publishers send them again another way.
     * So a request that no leader has begun must not be carried out any more: it could come after its successors.
     */
    void lost() {
        synchronized (orders) {
            isLost = true;
            orders.values().forEach(taken -> broken(taken.order));
            orders.clear();
        }
    }

    private static RequestOrder broken(RequestOrder order) {
        order.failed(Long.MIN_VALUE); // before every request
        return order;
    }

    /** Number of orders that are remembered. */
    int size() {
        synchronized (orders) {
            return orders.size();
        }
    }
}
