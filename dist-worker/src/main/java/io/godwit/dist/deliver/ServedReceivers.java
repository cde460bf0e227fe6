package io.godwit.dist.deliver;

import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Receiver;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Which live sessions have been given the message of a delivery token: an inbox recognises a repeat by itself, a
 * session in memory has nothing to recognise it by [MQTT5-4.3.3]. A restart needs no memory of this, since live
 * sessions end with their process. Members of shared groups are not looked at here, see {@link SharedChoices}.
 *
 * <p>A token is remembered from its first delivery to a live session until its origin has on record that the message is
 * distributed ({@link #finished}); a repeat in between may come on another connection, or from the store. Kept are the
 * match lists themselves, as they were delivered to. Tokens whose session ends before that are never finished: beyond
 * {@link #MAX_COPIES} remembered copies, or where ids are long some fewer, the oldest token is forgotten. After that a
 * token is known for a while as one that nobody lacks any more ({@link RecentTokens}).
 *
 * <p>One per node. Event loops and range executors meet here, hence the lock; what has no token does not come here, and
 * what has one has waited for a commit.
 */
public final class ServedReceivers {
    /** Copies remembered over all tokens; a single token may have more. */
    static final int MAX_COPIES = 1_000_000;

    private final TokenMemory<List<List<Match>>> served = new TokenMemory<>();
    private final RecentTokens<Boolean> finished;
    private int copies;

    public ServedReceivers(LongSupplier nanoTime) {
        this.finished = new RecentTokens<>(nanoTime);
    }

    /**
     * {@code live}, which is not modified any more, without those that have got the message of this token by
     * subscriptions of their own. Those left count as served from here on. A message that is finished lacks nobody.
     */
    public synchronized List<Match> unserved(DeliveryToken token, List<Match> live) {
        if (finished.get(token.origin(), token.number()) != null) {
            return live.stream().filter(match -> match.sharedBy() != null).toList();
        }
        List<List<Match>> before = served.get(token.origin(), token.number());
        List<Match> unserved = before == null ? live : without(live, before);
        if (unserved.isEmpty()) {
            return unserved;
        }
        if (before == null) {
            before = new ArrayList<>(1);
            served.put(token.origin(), token.number(), before);
        }
        before.add(unserved);
        copies += unserved.size();
        forgetOldest();
        return unserved;
    }

    private static List<Match> without(List<Match> live, List<List<Match>> served) {
        Set<Receiver> known = new HashSet<>();
        for (List<Match> matches : served) {
            matches.stream().filter(match -> match.sharedBy() == null).forEach(match -> known.add(match.receiver()));
        }
        return live.stream()
                .filter(match -> match.sharedBy() != null || !known.contains(match.receiver()))
                .toList();
    }

    private void forgetOldest() {
        while (copies > MAX_COPIES && served.size() > 1 || served.isOver(MAX_COPIES)) {
            copies -= sizeOf(served.forgetOldest());
        }
    }

    /** Every receiver has the message: a copy that comes under this token is late. */
    public synchronized void finished(String origin, long number) {
        List<List<Match>> lists = served.remove(origin, number);
        if (lists != null) {
            copies -= sizeOf(lists);
            finished.put(origin, number, true);
        }
    }

    /** Tokens remembered that are not finished. */
    synchronized int size() {
        return served.size();
    }

    private static int sizeOf(List<List<Match>> lists) {
        return lists.stream().mapToInt(List::size).sum();
    }
}
