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
 * The live sessions that were given the message of a delivery token: an inbox recognises a repeat by itself, a session
 * in memory cannot [MQTT5-4.3.3]. After a restart nothing is missing, because live sessions end with their process. For
 * members of shared groups see {@link SharedChoices}.
 *
 * <p>A token is remembered from its first delivery to a live session until its origin has recorded that the message is
 * distributed ({@link #finished}); a repeat in between may come on another connection, or from the store. The memory
 * keeps the delivered match lists themselves. A token whose session ends before that is never finished: beyond
 * {@link #MAX_COPIES} remembered copies, or fewer if ids are long, the oldest token is forgotten. A finished token is
 * remembered for a while, because then all receivers have the message ({@link RecentTokens}).
 *
 * <p>One per node. Event loops and range executors contend for the lock; messages without a token do not use it, and
 * those with one have waited for a commit.
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
     * The matches of {@code live} without those that have received the message of this token by plain subscriptions.
     * The returned ones count as served from here on. For a finished message all have received it. {@code live} must
     * not be modified any more.
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

    /** Every receiver has the message: a later copy with this token is late. */
    public synchronized void finished(String origin, long number) {
        List<List<Match>> lists = served.remove(origin, number);
        if (lists != null) {
            copies -= sizeOf(lists);
            finished.put(origin, number, true);
        }
    }

    /** Number of remembered tokens that are not finished. */
    synchronized int size() {
        return served.size();
    }

    private static int sizeOf(List<List<Match>> lists) {
        return lists.stream().mapToInt(List::size).sum();
    }
}
