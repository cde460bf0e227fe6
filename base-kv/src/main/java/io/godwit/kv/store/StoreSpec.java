package io.godwit.kv.store;

import io.godwit.kv.balance.policy.ShippedHinters;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.plugin.balance.SplitHinter;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * The specification of a store.
 *
 * @param name lower-case letters, digits and hyphens; the name of its directory and groups, so it must not change
 * @param coprocessors makes a coprocessor for each range
 * @param splitKeys ascending keys at which the key space is split when the store is created; an existing store keeps
 *     its ranges
 * @param hinters makes a hinter for each leadership of a range
 * @param balance how the ranges are balanced
 */
public record StoreSpec(
        String name,
        Supplier<? extends RangeCoprocessor> coprocessors,
        List<byte[]> splitKeys,
        Supplier<? extends SplitHinter> hinters,
        StoreBalance balance) {
    /** With the default hinter. */
    public StoreSpec(String name, Supplier<? extends RangeCoprocessor> coprocessors, List<byte[]> splitKeys) {
        this(name, coprocessors, splitKeys, () -> ShippedHinters.LOAD.create(ShippedHinters.LOAD.defaults()));
    }

    /** Without balancers. */
    public StoreSpec(
            String name,
            Supplier<? extends RangeCoprocessor> coprocessors,
            List<byte[]> splitKeys,
            Supplier<? extends SplitHinter> hinters) {
        this(name, coprocessors, splitKeys, hinters, StoreBalance.NONE);
    }

    /** A copy with balancers. */
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
