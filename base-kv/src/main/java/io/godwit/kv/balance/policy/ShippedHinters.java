package io.godwit.kv.balance.policy;

import io.godwit.plugin.balance.SplitHinterFactory;
import java.util.List;

/** The split hinters that come with the broker. */
public final class ShippedHinters {
    /** The default hinter. */
    public static final SplitHinterFactory LOAD = new LoadSplitHinter.Factory();

    public static final List<SplitHinterFactory> ALL = List.of(LOAD);

    private ShippedHinters() {}
}
