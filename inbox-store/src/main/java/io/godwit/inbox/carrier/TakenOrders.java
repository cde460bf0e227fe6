package io.godwit.inbox.carrier;

import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import java.util.HashMap;
import java.util.Map;

/**
 * The orders of one edge's inserts, by its numbers. One that nothing failed in is forgotten when nothing of it is under
 * way; one with a failure stays until the edge says that it sends nothing more in it. When the link is lost the edge
 * can say so no more: all are broken and forgotten ({@link #lost}).
 *
 * <p>The link's thread asks and range executors answer, hence the lock; it is held for a look into the map.
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

    /** One that no leader had is sent again, before those behind it; so is one that a lost node had. */
    static boolean hasFailed(RangeException cause) {
        return switch (cause.reason()) {
            case MOVED, CLOSED, LOST -> false;
            case TIMEOUT, OVERLOADED, DISK_FULL, TOO_LARGE, STORE_FAILED -> true;
        };
    }

    /** A request of that order comes. */
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

    /** Hears what becomes of that request. */
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

    /** The edge sends nothing more in it. */
    void over(long number) {
        synchronized (orders) {
            orders.remove(number);
        }
    }

    /**
     * The link is lost. The edge takes what is under way for failed, and its publishers send it again by another way.
     * So whatever a leader has not begun by now is not carried out: it might come behind its successors.
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

    /** Those that are remembered. */
    int size() {
        synchronized (orders) {
            return orders.size();
        }
    }
}
