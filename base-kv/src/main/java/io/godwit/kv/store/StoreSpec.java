package io.godwit.kv.store;

import io.godwit.kv.balance.ShippedHinters;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.plugin.balance.SplitHinter;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a store is made of.
 *
 * @param name lower-case letters, digits and hyphens; names its directory and its groups, so it stays
 * @param coprocessors makes one for each range
 * @param splitKeys ascending; where the key space is cut when the store is made. A store that exists keeps the ranges
 *     it has
 * @param hinters makes one for each leadership of a range
 * @param balance who looks after the ranges
 */
public record StoreSpec(
        String name,
        Supplier<? extends RangeCoprocessor> coprocessors,
        List<byte[]> splitKeys,
        Supplier<? extends SplitHinter> hinters,
        StoreBalance balance) {
    /** With the hinter that comes along. */
    public StoreSpec(String name, Supplier<? extends RangeCoprocessor> coprocessors, List<byte[]> splitKeys) {
        this(name, coprocessors, splitKeys, () -> ShippedHinters.LOAD.create(ShippedHinters.LOAD.defaults()));
    }

    /** Looked after by nobody but operators. */
    public StoreSpec(
            String name,
            Supplier<? extends RangeCoprocessor> coprocessors,
            List<byte[]> splitKeys,
            Supplier<? extends SplitHinter> hinters) {
        this(name, coprocessors, splitKeys, hinters, StoreBalance.NONE);
    }

    /** The same, looked after. */
    public StoreSpec balancedBy(StoreBalance changed) {
        return new StoreSpec(name, coprocessors, splitKeys, hinters, changed);
    }

    public StoreSpec {
        if (!name.matches("[a-z][a-z0-9-]{0,63}")) {
            throw new IllegalArgumentException("store name: " + name);
        }
        splitKeys = List.copyOf(splitKeys);
        for (int i = 0; i < splitKeys.size(); i++) {
            byte[] before = i == 0 ? new byte[0] : splitKeys.get(i - 1);
            if (Arrays.compareUnsigned(before, splitKeys.get(i)) >= 0) {
                throw new IllegalArgumentException("split keys of store " + name + " do not ascend at " + i);
            }
        }
    }
}
