package io.godwit.inbox.queue;

import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.plugin.event.DropReason;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The inboxes of a range that are in memory. An {@link InboxState} is loaded when first asked for ({@link #whenReady})
 * and given up when idle ({@link IdleInboxes}). What could not be written (full disk, overload) is undone in memory
 * where that is simple, an insert; otherwise the state is discarded and loaded again ({@link #discard}). All of that is
 * told to the {@link Stock}, if there is one. With the leader they end ({@link #stop}).
 *
 * <p>Owned by the range leader, and called on the range executor but for {@link #newLedger}.
 */
final class InboxStates {
    private static final Logger LOG = LoggerFactory.getLogger(InboxStates.class);
    /** How soon it is looked again whether another leader has left what it is about to leave. */
    private static final long COMING_MILLIS = 5;
    /** How soon somebody looks at an inbox that was discarded. */
    private static final long LOOK_AGAIN_MILLIS = 1000;

    private final InboxLeader leader;
    private final LeaderContext context;
    private final Surroundings outside;
    /** What they and the others of the range hold; null when nobody asks. */
    private final Stock.@Nullable Part stock;

    private final Map<InboxId, InboxState> states = new HashMap<>();
    private final IdleInboxes idle;
    /**
     * Another leader has followed in good order: what stands in memory is not needed any more, however it differs from
     * the store.
     */
    private boolean isMoved;
    /** Were discarded and are to be loaded again: their connections have been cut off. */
    private final Set<InboxId> cutOff = new HashSet<>(0);

    InboxStates(InboxLeader leader) {
        this.leader = leader;
        this.context = leader.context();
        this.outside = leader.outside();
        Stock asked = outside.stock();
        this.stock = asked == null ? null : asked.new Part();
        this.idle = new IdleInboxes(leader.settings().maxIdle(), this::forget);
    }

    private void forget(InboxState state) {
        leader.inserts().queueRelieved(state);
        states.remove(state.id, state);
        if (stock != null) {
            stock.forgotten(state);
        }
    }

    /** The state if it is in memory and ready, else null. */
    @Nullable
    InboxState ready(InboxId id) {
        InboxState state = states.get(id);
        if (state == null || !state.ready) {
            return null;
        }
        state.used = true;
        return state;
    }

    /** Runs the request now or once the inbox has been loaded, behind those already waiting for that. */
    void whenReady(InboxId id, byte[] prefix, InboxState.Request request) {
        leader.closeFullBatch();
        InboxState state = states.get(id);
        if (state != null && state.ready) {
            state.used = true;
            request.run(state);
            return;
        }
        if (state == null) {
            state = new InboxState(id, prefix);
            states.put(id, state);
            load(state);
        }
        if (state.waiting == null) {
            state.waiting = new ArrayDeque<>();
        }
        state.waiting.add(request);
    }

    /** Those whose session a connection has, be it on its way from the leader before. */
    void forEachHeld(Consumer<InboxState> action) {
        states.values().stream().filter(InboxState::isHeld).forEach(action);
    }

    private void load(InboxState placeholder) {
        InboxId id = placeholder.id;
        byte[] prefix = placeholder.prefix;
        if (outside.moved().isComing(id)) {
            context.schedule(COMING_MILLIS, () -> load(placeholder));
            return;
        }
        context.read(reader -> InboxLoader.load(reader, leader, id, prefix), (loaded, failure) -> {
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
            ArrayDeque<InboxState.Request> waiting = placeholder.waiting;
            loaded.ready = true;
            states.put(id, loaded);
            if (stock != null) {
                stock.loaded(loaded);
            }
            leader.lifecycle().loaded(loaded);
            while (waiting != null && !waiting.isEmpty()) {
                leader.closeFullBatch();
                waiting.remove().run(loaded);
            }
            idle.offer(loaded);
        });
    }

    private static void failWaiting(InboxState state, RangeException cause) {
        ArrayDeque<InboxState.Request> waiting = state.waiting;
        if (waiting != null) {
            waiting.forEach(request -> request.fail(cause));
            state.waiting = null;
        }
    }

    /** Reads for an inbox; one that cannot be read is discarded. */
    <T> void read(InboxState state, Function<RangeReader, T> work, Consumer<T> then) {
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

    /** A batch that wrote to them is done: those may be idle now, or free to be loaded again. */
    void batchDone(List<InboxState> touched) {
        for (InboxState state : touched) {
            if (state.discarded) {
                if (state.batches == 0 && states.get(state.id) == state) {
                    reload(state);
                }
            } else {
                idle.offer(state);
            }
        }
    }

    /**
     * What stands in memory could not be written. The connection is cut off, and the inbox loaded again once no batch
     * is under way.
     */
    void discard(InboxState state) {
        if (state.discarded || isMoved) {
            return;
        }
        state.discarded = true;
        state.ready = false;
        cutOff.add(state.id);
        cutOff(state);
        if (stock != null) {
            stock.discarded(state);
        }
        leader.inbound().stop(state, Mailbox.closed());
        if (state.batches == 0) {
            reload(state);
        }
    }

    /** Whether an inbox is not in memory, or is being loaded. */
    boolean isToBeLoaded(InboxId id) {
        InboxState now = states.get(id);
        return now == null || !now.ready;
    }

    /** Whether this leader has cut off the connection that the store still has as attached; asked once it is loaded. */
    boolean wasCutOff(InboxId id) {
        return !cutOff.isEmpty() && cutOff.remove(id);
    }

    private void cutOff(InboxState state) {
        Attachment attachment = state.attachment;
        MovedSession awaited = state.awaited;
        if (attachment != null) {
            state.attachment = null;
            leader.reports()
                    .dropped(state.id, attachment.close(InboxListener.Reason.UNAVAILABLE), DropReason.STORE_FAILED);
        } else if (awaited != null) {
            state.awaited = null;
            awaited.lost(state.id, leader.reports());
        }
    }

    private void reload(InboxState state) {
        states.remove(state.id);
        // the record may say attached; whoever looks puts that right
        leader.agenda().lookAgain(state.id, LOOK_AGAIN_MILLIS);
        ArrayDeque<InboxState.Request> waiting = state.waiting;
        if (waiting != null) {
            InboxState placeholder = new InboxState(state.id, state.prefix);
            placeholder.waiting = waiting;
            states.put(state.id, placeholder);
            load(placeholder);
        }
    }

    // --- what the range holds, for those who ask

    /** Begins to read the whole range once, for what is not in memory. */
    void startCounting() {
        if (stock != null) {
            new StockWalk(leader, stock).start();
        }
    }

    /** Of a session that has no message yet. May be called on any thread. */
    Ledger newLedger(long first) {
        return stock == null ? new Ledger(first) : Ledger.withSizes(first);
    }

    /** The state has got a ledger that no message was put into yet. */
    void ledgerBegun(InboxState state) {
        if (stock != null) {
            state.ledger.joinStock(stock, true);
        }
    }

    /** A session has begun or ended, or has got or lost its connection. */
    void sessionChanged(InboxState state) {
        if (stock != null) {
            stock.sessionChanged(state);
        }
    }

    // --- the end of the leader

    /** Another leader follows now: nothing is discarded from here on. */
    void moved() {
        isMoved = true;
    }

    /** Fails whoever waits for an inbox. Connections are left to the next leader after {@link #moved}, else cut off. */
    void stop(RangeException cause) {
        for (InboxState state : states.values()) {
            failWaiting(state, cause);
            leader.inbound().stop(state, cause);
            if (isMoved) {
                move(state, cause);
            } else {
                cutOff(state);
            }
        }
        states.clear();
        idle.clear();
        if (stock != null) {
            stock.stop();
        }
    }

    /** Leaves its connection to the next leader. */
    private void move(InboxState state, RangeException cause) {
        leader.inserts().queueRelieved(state);
        Attachment attachment = state.attachment;
        MovedSession awaited = state.awaited;
        long untilMillis = leader.nowMillis() + leader.settings().movedWaitMillis();
        if (attachment != null) {
            state.attachment = null;
            attachment.move(cause, outside.moved(), untilMillis);
        } else if (awaited != null) { // its connection has not come here yet
            state.awaited = null;
            awaited.comeTo(null);
            awaited.waitUntil(untilMillis);
            outside.moved().leave(state.id, awaited, context);
        }
    }
}
