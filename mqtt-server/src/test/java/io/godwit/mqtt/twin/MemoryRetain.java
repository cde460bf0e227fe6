package io.godwit.mqtt.twin;

import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Retained messages in a sorted map; the cursor is the last topic returned. */
public final class MemoryRetain implements RetainClient {
    private final TreeMap<String, Message> messages = new TreeMap<>();
    private final Set<String> recorded = new HashSet<>();
    private @Nullable CompletableFuture<Void> nextSet;
    private @Nullable CompletableFuture<Page> nextPage;
    private boolean isDiskLow;

    /** The next set is complete with this. */
    public synchronized void answerNextSet(CompletableFuture<Void> outcome) {
        nextSet = outcome;
    }

    /** From now on only messages recorded elsewhere are accepted. */
    public synchronized void lowerDisk() {
        isDiskLow = true;
    }

    /** The next match answers this. */
    public synchronized void answerNextMatch(CompletableFuture<Page> page) {
        nextPage = page;
    }

    public synchronized List<String> topics() {
        return List.copyOf(messages.keySet());
    }

    @Override
    public synchronized CompletableFuture<Void> set(TenantId tenant, Message message) {
        return isDiskLow
                ? CompletableFuture.failedFuture(new RangeException(RangeException.Cause.DISK_FULL, "test"))
                : store(message);
    }

    @Override
    public synchronized CompletableFuture<Void> setRecorded(
            TenantId tenant, Message message, String origin, long number, long decidedAtMillis) {
        return recorded.add(origin + '#' + number)
                ? store(message)
                : CompletableFuture.completedFuture(null); // an earlier attempt was applied
    }

    @Override
    public synchronized void finished(TenantId tenant, String topic, String origin, long number) {
        recorded.remove(origin + '#' + number);
    }

    private CompletableFuture<Void> store(Message message) {
        if (message.payload().length == 0) {
            messages.remove(message.topic());
        } else {
            messages.put(message.topic(), message);
        }
        CompletableFuture<Void> outcome = nextSet;
        nextSet = null;
        return outcome == null ? CompletableFuture.completedFuture(null) : outcome;
    }

    @Override
    public synchronized CompletableFuture<Page> match(
            TenantId tenant, TopicFilter filter, @Nullable String cursor, int maxMessages, int maxBytes) {
        CompletableFuture<Page> prescribed = nextPage;
        if (prescribed != null) {
            nextPage = null;
            return prescribed;
        }
        List<Message> page = new ArrayList<>();
        for (Message message :
                messages.tailMap(cursor == null ? "" : cursor, false).values()) {
            if (filter.matches(message.topic())) {
                if (page.size() == maxMessages) {
                    return CompletableFuture.completedFuture(
                            new Page(page, page.get(page.size() - 1).topic()));
                }
                page.add(message);
            }
        }
        return CompletableFuture.completedFuture(new Page(page, null));
    }

    @Override
    public String cursorBehind(TenantId tenant, String topic) {
        return topic;
    }
}
