package io.godwit.kv.range;

import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.state.RangeState;
import io.godwit.plugin.balance.SplitHinter;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of one store on this node, as each of them sees the others.
 *
 * @param <R> the type of a range
 */
public interface RangeFamily<R extends Sibling> {
    /** The name of the store. */
    String store();

    /**
     * Creates the replica of a split's right part on this node, without starting it, unless it exists or has existed:
     * so a replayed split creates nothing. A replica that was made empty and has got nothing since is replaced. Called
     * on the apply thread of {@code parent}, whose database is still the one before the split; blocks.
     *
     * @return the replica, which holds direct requests ({@link Range#hold}) and is routed to after the next
     *     {@link #rebounded}; null if it was made earlier
     */
    @Nullable
    R bear(RangeState child, RangeDb parent) throws IOException;

    /** Updates the routing to the present bounds of {@code range}. On its executor. */
    void rebounded(R range);

    /** The leadership, state or fault of {@code range} has changed. On its executor. */
    void roleChanged(R range);

    /** Makes a hinter, one for each leadership, which proposes split keys. */
    SplitHinter newHinter();

    /** The replica of a range on this node; null if there is none. Any thread. */
    @Nullable
    R find(long id);

    /**
     * The replica on this node of a range that ends at {@code key}, or that has {@code key} and begins before it; null
     * if there is none. Retired ranges and stopped replicas do not count. The replica may be behind. Any thread; visits
     * all replicas.
     */
    @Nullable
    R leftOf(byte[] key);

    /**
     * Later closes and buries a range whose keys belong to another range now, and deletes its files. Any thread;
     * returns at once.
     */
    void retire(R range);

    /**
     * Opens and starts a range again when there are file descriptors, after it has stopped for lack of them. Any
     * thread; returns at once.
     */
    void recover(R range);

    /** Starts the replica made by {@link #bear}. Any thread; returns at once. */
    void start(R child);
}
