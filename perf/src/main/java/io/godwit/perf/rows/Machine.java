package io.godwit.perf.rows;

import io.godwit.perf.observe.SelfUsage;
import java.util.ArrayList;
import java.util.List;

/** What this machine has done since this was made. Used by one thread. */
final class Machine {
    /** Share of all cores above which there is no CPU left for anybody. */
    private static final double FULL = 0.95;

    private final SelfUsage usage = new SelfUsage(List.of());

    /** Whether it had no CPU left, as a caution beside figures; a list that can be added to. */
    List<String> cautions() {
        List<String> cautions = new ArrayList<>();
        if (usage.look().machine() > FULL) {
            cautions.add("the machine had no CPU left");
        }
        return cautions;
    }
}
