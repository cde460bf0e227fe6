package io.godwit.inbox.leader.state;

import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.leader.delivery.Attachment;
import io.godwit.inbox.leader.delivery.Qos0Drops;
import io.godwit.inbox.leader.queue.Inbox;
import io.godwit.inbox.leader.queue.Mailbox;
import io.godwit.inbox.leader.queue.Queue;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.ledger.MovedSession;
import io.godwit.inbox.ledger.MovedSessions;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.report.InboxReports;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.plugin.event.DropReason;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The inboxes of a range that are in memory. An {@link InboxState} is loaded at its first request ({@link #whenReady})
 * and dropped when idle ({@link IdleInboxes}). When a write fails (full disk, overload), an insert is undone in memory;
 * for any other change the state is discarded and loaded again ({@link #discard}). {@link StockKeeping} is notified of
 * all of this. All states end with the leader ({@link #stop}).
 *
 * <p>Owned by the range leader, and called on the range executor.
 */
public final class InboxStates {
    private static final Logger LOG = LoggerFactory.getLogger(InboxStates.class);
    /** Pause before the next check whether a stopping leader has handed over the session. */
    private static final long COMING_MILLIS = 5;
    /** Pause before a discarded inbox is loaded again. */
    private static final long LOOK_AGAIN_MILLIS = 1000;

    private final LeaderContext context;
    private final Writes writes;
    private final Agenda agenda;
    private final MovedSessions moved;
    private final InboxReports reports;
    private final StockKeeping stock;
    private final InboxLoader loader;
    private final long movedWaitMillis;
    private final Consumer<InboxState> whenLoaded;

    private final Map<InboxId, InboxState> states = new HashMap<>();
    private final IdleInboxes idle;
    /**
     * Another leader has followed in good order: the state in memory is no longer needed, even where it differs from
     * the store.
     */
    private boolean isMoved;

    private boolean isDeposed;
    /**
     * Discarded inboxes that are to be loaded again, with their {@link Queue#sentBound}: their connections were cut
     * off, and more messages may have been sent than the store knows.
     */
    private final Map<InboxId, Long> cutOff = new HashMap<>(0);

    /** @param whenLoaded called for each loaded inbox, before any request gets it */
    public InboxStates(
            LeaderContext context,
            Writes writes,
            Agenda agenda,
            MovedSessions moved,
            InboxReports reports,
            StockKeeping stock,
            QueueSettings settings,
            Consumer<InboxState> whenLoaded) {
        this.context = context;
        this.writes = writes;
        this.agenda = agenda;
        this.moved = moved;
        this.reports = reports;
        this.stock = stock;
        this.whenLoaded = whenLoaded;
        this.loader = new InboxLoader(stock, writes, this::discard);
        this.movedWaitMillis = settings.movedWaitMillis();
        this.idle = new IdleInboxes(settings.maxIdle(), this::forget);
    }

    private void forget(Inbox state) {
        state.queue.relieved(state.id, reports);
        states.remove(state.id, state);
        stock.forgotten(state);
    }

    /** The state if it is in memory and ready, else null. */
    public @Nullable InboxState ready(InboxId id) {
        InboxState state = states.get(id);
        if (state == null || !state.residency.isReady()) {
            return null;
        }
        state.residency.use();
        return state;
    }

    /** Runs the request now, or once the inbox is loaded, after those already waiting. */
    public void whenReady(InboxId id, byte[] prefix, InboxState.Request request) {
        writes.closeFullBatch();
        InboxState state = states.get(id);
        if (state != null && state.residency.isReady()) {
            state.residency.use();
            request.run(state);
            return;
        }
        if (state == null) {
            state = new InboxState(id, prefix);
            states.put(id, state);
            load(state);
        }
        state.await(request);
    }

    /** Inboxes whose session has a connection, or one that is moving here from the previous leader. */
    public void forEachHeld(Consumer<InboxState> action) {
        states.values().stream().filter(InboxState::isHeld).forEach(action);
    }

    private void load(InboxState placeholder) {
        InboxId id = placeholder.id;
        byte[] prefix = placeholder.prefix;
        if (moved.isComing(id)) {
            context.schedule(COMING_MILLIS, () -> load(placeholder));
            return;
        }
        context.read(reader -> loader.load(reader, id, prefix), (loaded, failure) -> {
            if (loaded == null) {
                LOG.error(
                        "inbox not readable tenant={} client={}",
                        id.tenant().value(),
                        id.clientId().value(),
                        failure);
                states.remove(id);
                failWaiting(placeholder, new RangeException(Cause.STORE_FAILED, "inbox not readable: " + failure));
                return;
            }
            ArrayDeque<InboxState.Request> waiting = placeholder.waiting();
            loaded.residency.ready();
            states.put(id, loaded);
            stock.loaded(loaded);
            whenLoaded.accept(loaded);
            while (waiting != null && !waiting.isEmpty()) {
                writes.closeFullBatch();
                waiting.remove().run(loaded);
            }
            idle.offer(loaded);
        });
    }

    private static void failWaiting(InboxState state, RangeException cause) {
        ArrayDeque<InboxState.Request> waiting = state.waiting();
        if (waiting != null) {
            waiting.forEach(request -> request.fail(cause));
            state.setWaiting(null);
        }
    }

    /** Reads for an inbox; discards the inbox if that fails. */
    public <T> void read(InboxState state, Function<RangeReader, T> work, Consumer<T> then) {
        context.read(work, (result, failure) -> {
            if (result != null) {
                then.accept(result);
                return;
            }
            LOG.error(
                    "queue not readable tenant={} client={}",
                    state.id.tenant().value(),
                    state.id.clientId().value(),
                    failure);
            discard(state);
        });
    }

    /** A batch is done: the inboxes it wrote to may now be idle, or free to be loaded again. */
    public void batchDone(List<Inbox> touched) {
        for (Inbox state : touched) {
            if (state.residency.isDiscarded()) {
                InboxState present = states.get(state.id);
                if (!state.writes.isUnderWay() && present == state) {
                    reload(present);
                }
            } else {
                idle.offer(state);
            }
        }
    }

    /**
     * A change in memory could not be written. Cuts off the connection, and loads the inbox again once no batch is
     * pending.
     */
    public void discard(InboxState state) {
        if (state.residency.isDiscarded() || isMoved) {
            return;
        }
        state.residency.discard();
        cutOff.put(state.id, state.queue.sentBound());
        if (isDeposed || writes.isLeadershipOver()) {
            cutOff(state, InboxListener.Reason.LOST, DropReason.LEADERSHIP_LOST);
        } else {
            cutOff(state, InboxListener.Reason.UNAVAILABLE, DropReason.STORE_FAILED);
        }
        stock.discarded(state);
        state.queue.stopInbound(Mailbox.closed());
        if (!state.writes.isUnderWay()) {
            reload(state);
        }
    }

    /** Whether an inbox is not in memory, or is being loaded. */
    public boolean isToBeLoaded(InboxId id) {
        InboxState now = states.get(id);
        return now == null || !now.residency.isReady();
    }

    /**
     * Called once after a load. Null if the inbox was not discarded before. Else this leader has cut off the connection
     * that is still stored as attached, and every sent message is below this sequence.
     */
    public @Nullable Long takeCutOff(InboxId id) {
        return cutOff.isEmpty() ? null : cutOff.remove(id);
    }

    /**
     * @param end reason for the connection
     * @param reason of the drop of its QoS 0 messages
     */
    private void cutOff(InboxState state, InboxListener.Reason end, DropReason reason) {
        Attachment attachment = state.attachment();
        MovedSession awaited = state.awaited();
        if (attachment != null) {
            state.letGo();
            reports.dropped(state.id, attachment.close(end), reason);
        } else if (awaited != null) {
            state.letGo();
            awaited.lost(state.id, reports, reason);
        }
    }

    private void reload(InboxState state) {
        states.remove(state.id);
        // the record may say attached; the load corrects that
        agenda.lookAgain(state.id, LOOK_AGAIN_MILLIS);
        ArrayDeque<InboxState.Request> waiting = state.waiting();
        if (waiting != null) {
            InboxState placeholder = new InboxState(state.id, state.prefix);
            placeholder.setWaiting(waiting);
            states.put(state.id, placeholder);
            load(placeholder);
        }
    }

    // --- the end of the leader

    /** Another leader follows now: nothing is discarded from here on. */
    public void moved() {
        isMoved = true;
    }

    /** Another leader follows, without taking state from this memory. Connections ask it whether they may continue. */
    public void deposed() {
        isDeposed = true;
        for (InboxState state : states.values()) {
            Attachment attachment = state.attachment();
            if (attachment != null) {
                state.letGo();
                reports.dropped(state.id, attachment.close(InboxListener.Reason.LOST), DropReason.LEADERSHIP_LOST);
            }
        }
    }

    /**
     * Fails all requests that wait for an inbox. After {@link #moved} connections are handed to the next leader, else
     * they are cut off.
     */
    public void stop(RangeException cause) {
        for (InboxState state : states.values()) {
            failWaiting(state, cause);
            state.queue.stopInbound(cause);
            if (isMoved) {
                move(state, cause);
            } else {
                cutOff(state, InboxListener.Reason.UNAVAILABLE, Qos0Drops.reasonOf(cause));
            }
        }
        states.clear();
        idle.clear();
        stock.stop();
    }

    /** Hands its connection to the next leader. */
    private void move(InboxState state, RangeException cause) {
        state.queue.relieved(state.id, reports);
        Attachment attachment = state.attachment();
        MovedSession awaited = state.awaited();
        long untilMillis = context.nowMillis() + movedWaitMillis;
        if (attachment != null) {
            state.letGo();
            attachment.move(cause, moved, context, untilMillis);
        } else if (awaited != null) { // its connection has not come here yet
            state.letGo();
            awaited.comeTo(null);
            awaited.waitUntil(untilMillis);
            moved.leave(state.id, awaited, context);
        }
    }
}
