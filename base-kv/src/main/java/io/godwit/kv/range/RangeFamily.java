package io.godwit.kv.range;

import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.state.RangeState;
import io.godwit.plugin.balance.SplitHinter;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of one store on this node, as one of them sees them.
 *
 * @param <R> a range
 */
public interface RangeFamily<R extends Sibling> {
    /** Name of the store. */
    String store();

    /**
     * Brings the replica of a split's right part into being on this node, not started, unless it is or was there: so a
     * split that is replayed makes nothing. On the apply thread of {@code parent}, whose database is still that of
     * before the split; blocks.
     *
     * @return the replica, which holds what comes by itself ({@link Range#hold}) and is routed to with the next
     *     {@link #rebounded}; null when it was made earlier
     */
    @Nullable
    R bear(RangeState child, RangeDb parent) throws IOException;

    /** Routes by {@code range}'s present bounds. On its executor. */
    void rebounded(R range);

    /** Its leadership, its state or a fault is not what it was. On its executor. */
    void roleChanged(R range);

    /** One for each leadership, to propose where the range could be cut. */
    SplitHinter newHinter();

    /** The replica of a range on this node; null when there is none. Any thread. */
    @Nullable
    R find(long id);

    /**
     * Has a range whose keys are another's now closed, buried and its files deleted, some time later. Any thread;
     * returns at once.
     */
    void retire(R range);

    /**
     * Has a range that has stopped, since there were no file descriptors, opened and started again when there are.
     * Any thread; returns at once.
     */
    void recover(R range);

    /** Starts what {@link #bear} made; any thread, returns at once. */
    void start(R child);
}
