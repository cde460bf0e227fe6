package io.godwit.broker.settings.store;

import io.godwit.broker.config.key.ConfigKey;
import java.util.List;

/** How one key space is split and balanced. */
public record KeySpaceSection(
        @ConfigKey(text = """
                    The balancers that are asked, in this order; names of plugins may stand among them. Empty:
                    replica-count, drain, split, merge, leader-spread, range-spread.
                    """) List<String> balancers,
        @ConfigKey(value = "load", text = """
                    What says where a range is cut when it has too much to do; or the name of a plugin.
                    """) String splitHinter,
        @ConfigKey(commas = false, text = """
                    Settings of balancers and of the split hinter that differ from their defaults: a list of
                    name.setting=value, as in
                      - replica-count.graceSeconds=900
                    """) List<BalanceTuning> balanceSettings) {}
