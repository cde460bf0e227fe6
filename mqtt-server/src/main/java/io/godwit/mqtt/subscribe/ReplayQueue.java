package io.godwit.mqtt.subscribe;

import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sends retained messages to the new subscriptions of one session: one replay at a time, one page in memory, and a
 * message only when the session accepts it, so that a million retained messages do not flood a connection. Confined to
 * the loop of its session.
 *
 * <p>A page that cannot be read is requested again with the next {@link #onTick}, as long as the session lasts.
 *
 * <p>A replay that reaches {@link Sink#maxMatches} is over: the rest of its messages is not sent.
 */
public final class ReplayQueue {
    private static final int PAGE_MESSAGES = 100;
    private static final int PAGE_BYTES = 256 * 1024;
    /** With more open filters than this, noting an unmatched topic costs less than matching it against all filters. */
    private static final int MAX_MATCHED = 16;

    /** The most topics that are noted; their characters together have a limit too. */
    public static final int MAX_NOTED = 10_000;

    private static final int MAX_NOTED_CHARS = 1 << 20;
    /** Bytes of a note besides its characters: the map entry, the number, the header of the text. */
    private static final int NOTE_BYTES = 112;

    /** The replays of one filter. */
    private static final class FilterReplays {
        final ReplayDecisions decisions = new ReplayDecisions();
        /** The replay that runs; null for none. */
        @Nullable
        RetainedReplay running;

        boolean isEmpty() {
            return running == null && decisions.isEmpty();
        }
    }

    private final Connection connection;
    private final RetainClient retain;
    private final TenantId tenant;
    private final Sink sink;
    private final NoteRoom room;

    /**
     * Replays begun and not ended, during which live messages are noted; by filter, since one SUBSCRIBE may have
     * thousands. No entry is empty.
     */
    private final Map<TopicFilter, FilterReplays> open = new HashMap<>(2);

    private int lastNumber;
    /** For each topic with a live message: the number of the last replay begun before its last live message. */
    private final Map<String, Integer> live = new HashMap<>(0);

    private int liveChars;
    /** Bytes that {@link #live} takes of {@link #room}. */
    private long noteBytes;

    /**
     * Replays that wait for {@link #head} to end. A cancelled replay is removed at once, since the head may take long.
     */
    private final Set<RetainedReplay> ready = new LinkedHashSet<>(2);
    /** The replay being sent; null for none. A cancelled one leaves with {@link #advance}. */
    private @Nullable RetainedReplay head;

    // of the head
    private List<Message> page = List.of();
    private int position;
    /** Where the next page begins; null after the last. */
    private @Nullable String nextCursor;

    private boolean hasPage;
    private boolean isFetching;
    /** Whether the page being fetched may be older than live messages whose notes are gone. */
    private boolean isOutdated;

    private boolean waitsForTick;

    private boolean isAdvancing;

    /** @param room budget for its notes, shared with other sessions */
    public ReplayQueue(Connection connection, RetainClient retain, TenantId tenant, Sink sink, NoteRoom room) {
        this.connection = connection;
        this.retain = retain;
        this.tenant = tenant;
        this.sink = sink;
        this.room = room;
    }

    /**
     * From here on {@link #noteLive} counts for {@code replay}. Earlier replays of its filter pause until it is known
     * whether this one runs.
     */
    public void begin(RetainedReplay replay) {
        FilterReplays ofFilter = open.computeIfAbsent(replay.filter(), filter -> new FilterReplays());
        replay.number = ++lastNumber;
        replay.decisions = ofFilter.decisions;
        ofFilter.decisions.begin(replay.number);
    }

    /**
     * Sends the replay in its turn, replacing earlier ones of its filter; or drops it, and the earlier ones continue.
     */
    public void run(RetainedReplay replay, boolean isWanted) {
        FilterReplays ofFilter = open.get(replay.filter());
        if (ofFilter == null) {
            return; // it was not begun here
        }
        if (ofFilter.decisions.decide(replay.number, isWanted)) {
            RetainedReplay earlier = ofFilter.running;
            ofFilter.running = replay;
            ready.add(replay);
            if (earlier != null) {
                drop(earlier);
            }
        } else {
            end(replay);
        }
        advance();
    }

    /** Stops a running replay. */
    private void drop(RetainedReplay replay) {
        replay.isCancelled = true;
        if (ready.remove(replay)) {
            end(replay);
        } // else it is the head
    }

    @SuppressWarnings("ReferenceEquality") // one object for each replay
    private void end(RetainedReplay replay) {
        FilterReplays ofFilter = open.get(replay.filter());
        if (ofFilter != null) {
            if (ofFilter.running == replay) {
                ofFilter.running = null;
            }
            if (ofFilter.isEmpty()) {
                open.remove(replay.filter());
            }
        }
        if (isEmpty()) {
            forgetNotes();
        }
        sink.ended(replay);
    }

    /** The subscription is gone: stops its replays. */
    public void cancel(TopicFilter filter) {
        FilterReplays ofFilter = open.get(filter);
        if (ofFilter != null) {
            ofFilter.decisions.cancelUpTo(lastNumber);
            if (ofFilter.running != null) {
                drop(ofFilter.running);
            }
        }
        advance();
    }

    /** The session got a live message of {@code topic}: a retained one would be stale from now on. */
    public void noteLive(String topic) {
        if (open.size() <= MAX_MATCHED && !isMatched(topic)) {
            return;
        }
        if (live.put(topic, lastNumber) == null) {
            liveChars += topic.length();
            int bytes = NOTE_BYTES + topic.length();
            noteBytes += bytes;
            room.add(bytes);
            if (live.size() > MAX_NOTED || liveChars > MAX_NOTED_CHARS || noteBytes > room.free()) {
                readAnew();
            }
        }
    }

    private void forgetNotes() {
        live.clear();
        liveChars = 0;
        room.add(-noteBytes);
        noteBytes = 0;
    }

    /** The session is over: sends nothing more. */
    public void close() {
        forgetNotes();
    }

    /**
     * Drops all notes when they exceed this session's or the node's limit: a client can keep a replay open for as long
     * as it likes. Also drops the messages read before. Messages read from now on are newer than all notes, since a
     * live message that is retained is stored before it is sent.
     */
    private void readAnew() {
        forgetNotes();
        isOutdated = isFetching;
        if (head != null && hasPage && position < page.size()) {
            if (position > 0) {
                head.cursor = retain.cursorBehind(tenant, page.get(position - 1).topic());
            }
            forgetPage();
        }
    }

    /** Number of topics with a noted live message. */
    public int notes() {
        return live.size();
    }

    private boolean isMatched(String topic) {
        for (TopicFilter filter : open.keySet()) {
            if (filter.matches(topic)) {
                return true;
            }
        }
        return false;
    }

    private boolean isStale(RetainedReplay replay, String topic) {
        return live.getOrDefault(topic, 0) >= replay.number;
    }

    public boolean isEmpty() {
        return open.isEmpty() && ready.isEmpty() && head == null;
    }

    /** Call once a second. */
    public void onTick() {
        waitsForTick = false;
        advance();
    }

    /** Sends as much as the session accepts; called whenever that may have increased. */
    public void advance() {
        if (isAdvancing || isFetching) {
            return;
        }
        isAdvancing = true;
        for (RetainedReplay sent = takeHead(); sent != null && !isFetching; sent = takeHead()) {
            boolean isPageDone = position == page.size();
            boolean isLastDone = isPageDone && hasPage && nextCursor == null;
            if (sent.isCancelled) {
                finish(sent);
            } else if (sent.isHeld() || (isLastDone ? !sink.isSettled() : !sink.isReady())) {
                break;
            } else if (isLastDone) {
                sink.completed(sent);
                finish(sent);
            } else if (!isPageDone) {
                Message message = page.get(position++);
                if (!isStale(sent, message.topic())) {
                    sendOrEnd(sent, message);
                }
            } else if (hasPage) {
                sent.cursor = nextCursor;
                forgetPage();
            } else if (waitsForTick) {
                break;
            } else {
                fetch(sent);
            }
        }
        isAdvancing = false;
    }

    /** Sends one more message, unless the limit is reached: then no page follows. */
    private void sendOrEnd(RetainedReplay replay, Message message) {
        long most = sink.maxMatches();
        if (most > 0 && replay.sent >= most) {
            page = List.of();
            position = 0;
            nextCursor = null;
            sink.limited(replay, most);
        } else {
            replay.sent++;
            sink.accept(replay, message);
        }
    }

    private void finish(RetainedReplay replay) {
        forgetPage();
        head = null;
        end(replay);
    }

    private @Nullable RetainedReplay takeHead() {
        if (head == null && !ready.isEmpty()) {
            Iterator<RetainedReplay> first = ready.iterator();
            head = first.next();
            first.remove();
        }
        return head;
    }

    private void forgetPage() {
        hasPage = false;
        page = List.of();
        position = 0;
    }

    private void fetch(RetainedReplay replay) {
        isFetching = true;
        long most = sink.maxMatches();
        // one more than it may send shows whether the limit cuts anything off
        long wanted = most == 0 ? PAGE_MESSAGES : Math.max(0, most - replay.sent) + 1;
        OnEventLoop.whenComplete(
                connection,
                retain.match(tenant, replay.filter(), replay.cursor, (int) Math.min(PAGE_MESSAGES, wanted), PAGE_BYTES),
                (found, failure) -> {
                    isFetching = false;
                    boolean isToBeReadAgain = isOutdated;
                    isOutdated = false;
                    if (failure != null) {
                        waitsForTick = true;
                        sink.delayed(replay, failure);
                    } else if (!isToBeReadAgain) {
                        hasPage = true;
                        page = found.messages();
                        nextCursor = found.cursor();
                    }
                    advance();
                });
    }

    /** Receives the messages. */
    public interface Sink {
        /** Whether it accepts one more message now. */
        boolean isReady();

        void accept(RetainedReplay replay, Message message);

        /** How many messages a replay may send; 0 for no limit. */
        long maxMatches();

        /** The replay has sent {@code most} messages and there are more: it ends without them. */
        void limited(RetainedReplay replay, long most);

        /** Whether all accepted messages have arrived; {@link #completed} is not called before. */
        boolean isSettled();

        /** All messages of the replay have been accepted and have arrived. */
        void completed(RetainedReplay replay);

        /** A part of the replay could not be read or passed on; it is tried again. */
        void delayed(RetainedReplay replay, Throwable cause);

        /** The replay has ended; no more messages follow. */
        void ended(RetainedReplay replay);
    }
}
