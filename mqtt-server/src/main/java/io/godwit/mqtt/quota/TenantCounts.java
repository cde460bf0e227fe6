package io.godwit.mqtt.quota;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/** The counts of one tenant, or of several together. LongAdders, since all event loops count. */
public final class TenantCounts {
    private final boolean hasSeries;
    /** By {@link TenantCount#ordinal}. */
    private final LongAdder[] adders = new LongAdder[TenantCount.values().length];

    /** @param hasSeries whether these counts have their own meters */
    TenantCounts(boolean hasSeries) {
        this.hasSeries = hasSeries;
        Arrays.setAll(adders, i -> new LongAdder());
    }

    boolean hasSeries() {
        return hasSeries;
    }

    void add(TenantCount what, long more) {
        adders[what.ordinal()].add(more);
    }

    public long sum(TenantCount what) {
        return adders[what.ordinal()].sum();
    }
}
