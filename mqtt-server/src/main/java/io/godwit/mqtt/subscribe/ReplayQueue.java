package io.godwit.mqtt.subscribe;

import io.godwit.mqtt.transport.Connection;
import io.godwit.mqtt.transport.OnEventLoop;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends retained messages to the new subscriptions of one session: one replay at a time, one page in memory, a message only when the
 * session takes it, so that a million retained messages do not flood a connection. Confined to the loop of its session.
 */
public final class ReplayQueue {
    private static final Logger LOG = LoggerFactory.getLogger(ReplayQueue.class);
    private static final int PAGE_MESSAGES = 100;
    private static final int PAGE_BYTES = 256 * 1024;

    private final Connection connection;
    private final RetainClient retain;
    private final TenantId tenant;
    private final Sink sink;

    /** Begun and not ended, so that live messages are noted. */
    private final List<RetainedReplay> open = new ArrayList<>(1);

    private final ArrayDeque<RetainedReplay> ready = new ArrayDeque<>(1);

    // of the replay at the head of `ready`
    private List<Message> page = List.of();
    private int position;
    private boolean isLastPage;
    private boolean isFetching;

    private boolean isAdvancing;

    public ReplayQueue(Connection connection, RetainClient retain, TenantId tenant, Sink sink) {
        this.connection = connection;
        this.retain = retain;
        this.tenant = tenant;
        this.sink = sink;
    }

    /** From here on {@link #noteLive} counts for {@code replay}. */
    public void begin(RetainedReplay replay) {
        open.add(replay);
    }

    /** Sends it when its turn comes, or drops it. */
    public void run(RetainedReplay replay, boolean isWanted) {
        if (!isWanted || replay.isCancelled) {
            open.remove(replay);
            sink.ended(replay);
            return;
        }
        ready.addLast(replay);
        advance();
    }

    /** The subscription is gone: whatever was to be sent for it is not. */
    public void cancel(TopicFilter filter) {
        for (RetainedReplay replay : open) {
            if (replay.filter().equals(filter)) {
                replay.isCancelled = true;
            }
        }
        advance();
    }

    public void noteLive(String topic) {
        for (int i = 0; i < open.size(); i++) {
            open.get(i).noteLive(topic);
        }
    }

    public boolean isEmpty() {
        return open.isEmpty();
    }

    /** Sends as much as the session takes; called whenever that may have become more. */
    public void advance() {
        if (isAdvancing || isFetching) {
            return;
        }
        isAdvancing = true;
        for (RetainedReplay head = ready.peekFirst(); head != null && !isFetching; head = ready.peekFirst()) {
            if (head.isCancelled || isLastPage && position == page.size()) {
                finish(head);
            } else if (!sink.isReady()) {
                break;
            } else if (position == page.size()) {
                fetch(head);
            } else {
                Message message = page.get(position++);
                if (!head.isStale(message.topic())) {
                    sink.accept(head, message);
                }
            }
        }
        isAdvancing = false;
    }

    private void finish(RetainedReplay replay) {
        ready.removeFirst();
        open.remove(replay);
        page = List.of();
        position = 0;
        isLastPage = false;
        sink.ended(replay);
    }

    private void fetch(RetainedReplay replay) {
        isFetching = true;
        page = List.of();
        position = 0;
        OnEventLoop.whenComplete(
                connection,
                retain.match(tenant, replay.filter(), replay.cursor, PAGE_MESSAGES, PAGE_BYTES),
                (found, failure) -> {
                    isFetching = false;
                    if (failure != null) { // the subscription stands; what it misses, the next SUBSCRIBE brings
                        LOG.warn(
                                "retained messages not read filter={}",
                                replay.filter().text(),
                                failure);
                        replay.isCancelled = true;
                    } else {
                        page = found.messages();
                        replay.cursor = found.cursor();
                        isLastPage = found.cursor() == null;
                    }
                    advance();
                });
    }

    /** Where the messages go. */
    public interface Sink {
        /** Whether one more message is welcome now. */
        boolean isReady();

        void accept(RetainedReplay replay, Message message);

        /** Nothing of it follows. */
        void ended(RetainedReplay replay);
    }
}
