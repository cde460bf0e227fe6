package io.godwit.broker.settings.store;

import io.godwit.broker.config.key.Key;
import java.util.List;

/** How one key space is split and balanced. */
public record KeySpaceSection(
        @Key(text = """
                    The balancers that are asked, in this order; names of plugins may stand among them. Empty:
                    replica-count, drain, split, merge, leader-spread, range-spread.
                    """) List<String> balancers,
        @Key(value = "load", text = """
                    What says where a range is cut when it has too much to do; or the name of a plugin.
                    """) String splitHinter,
        @Key(commas = false, text = """
                    Settings of balancers and of the split hinter that differ from their defaults: a list of
                    name.setting=value, as in
                      - replica-count.graceSeconds=900
                    """) List<BalanceTuning> balanceSettings) {}
