package io.godwit.broker.plugin.guard;

import io.godwit.broker.plugin.context.Thrown;
import io.godwit.broker.plugin.instance.CircuitBreaker;
import io.godwit.broker.plugin.instance.CircuitBreaker.Permit;
import io.godwit.broker.plugin.instance.HostedPlugin;
import io.godwit.broker.plugin.instance.PluginCallException;
import io.godwit.plugin.balance.AccessKind;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.SplitHint;
import io.godwit.plugin.balance.SplitHinter;
import io.godwit.plugin.event.PluginFault;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The split hinter of a plugin, on the plugin's threads. Calls wait in a bounded queue, and samples are dropped when it
 * is full. A hint is the answer to the question before. After a failure there is no hint. A hinter that does not block
 * is called directly. Called on the executor of its range.
 */
final class GuardedHinter implements SplitHinter {
    private static final int MAX_WAITING = 1_024;

    private final Supplier<SplitHinter> maker;
    private final HostedPlugin plugin;
    private final LongSupplier nanoClock;
    private final OneByOne inTurn;
    /** Created on first use; confined to the queue's tasks, or to the range for a plugin that does not block. */
    private @Nullable SplitHinter hinter;
    /** Volatile: written on the plugin's threads, read by the range. */
    private volatile Optional<SplitHint> last = Optional.empty();

    /** Whether a question is under way. Volatile, as {@link #last}. */
    private volatile boolean isAsked;

    /** Whether that question was given up. Volatile, as {@link #last}. */
    private volatile boolean isOverdue;

    GuardedHinter(Supplier<SplitHinter> maker, HostedPlugin plugin, LongSupplier nanoClock) {
        this.maker = maker;
        this.plugin = plugin;
        this.inTurn = new OneByOne(plugin.calls(), MAX_WAITING);
        this.nanoClock = nanoClock;
    }

    @Override
    public void onAccess(byte[] key, AccessKind kind, int kvOperations, long nanos) {
        if (plugin.breaker().state() == CircuitBreaker.State.OPEN) {
            return;
        }
        if (plugin.isInline()) {
            guarded(() -> plugin.run(() -> {
                hinter().onAccess(key, kind, kvOperations, nanos);
                return true;
            }));
            return;
        }
        hand(() -> guarded(() -> hinter().onAccess(key, kind, kvOperations, nanos)));
    }

    @Override
    public Optional<SplitHint> hint(RangeLoad load) {
        Permit permit = plugin.breaker().ask();
        if (permit == Permit.NO) {
            last = Optional.empty();
            return last;
        }
        if (plugin.isInline()) {
            last = Optional.empty();
            plugin.run(() -> {
                ask(load, permit);
                return true;
            });
            return last;
        }
        if (isAsked) { // the last question, seconds ago, is still open
            last = Optional.empty();
            isOverdue = true;
            fails(PluginFault.NO_ANSWER, "hint: no answer until the next question", permit);
            return last;
        }
        isAsked = true;
        if (!hand(() -> ask(load, permit))) {
            isAsked = false;
            fails(PluginFault.TOO_MANY_CALLS, "hint: too much waits", permit);
        }
        return last;
    }

    private void ask(RangeLoad load, Permit permit) {
        long began = nanoClock.getAsLong();
        try {
            Optional<SplitHint> answer = hinter().hint(load);
            if (answer == null) {
                last = Optional.empty();
                fails(PluginFault.NULL_ANSWER, "hint: null instead of an answer", permit);
            } else if (isOverdue) {
                plugin.reports().fault(PluginFault.LATE_ANSWER, "hint: of an old load");
            } else {
                last = answer;
                plugin.breaker().succeeded(permit);
            }
        } catch (Throwable e) { // outermost frame of the plugin, which may throw anything
            last = Optional.empty();
            fails(PluginFault.THREW, "hint: threw " + Thrown.text(e), permit);
        } finally {
            plugin.reports().called(nanoClock.getAsLong() - began);
            isOverdue = false;
            isAsked = false;
        }
    }

    private void guarded(Runnable call) {
        try {
            call.run();
        } catch (Throwable e) { // outermost frame of the plugin, which may throw anything
            fails(PluginFault.THREW, "onAccess: threw " + Thrown.text(e), Permit.YES);
        }
    }

    private void fails(PluginFault fault, String detail, Permit permit) {
        plugin.reports().fault(fault, detail);
        if (plugin.breaker().failed(permit)) {
            plugin.reports().fault(PluginFault.CIRCUIT_OPENED, "it is not asked for a while");
        }
    }

    private SplitHinter hinter() {
        SplitHinter made = hinter;
        if (made == null) {
            made = maker.get();
            if (made == null) {
                throw new PluginCallException("null instead of a split hinter", null);
            }
            hinter = made;
        }
        return made;
    }

    /** @return whether the task was accepted */
    private boolean hand(Runnable task) {
        try {
            inTurn.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }
}
