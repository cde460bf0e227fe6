package io.godwit.kv.balance;

import io.godwit.plugin.balance.ClusterView;
import java.util.Optional;

/** Gives a balance loop its view. */
@FunctionalInterface
public interface ClusterViewSource {
    /**
     * The current view. Called on the loop's thread about once a second; must not block. Ranges that this store leads
     * have their current state, ranges led elsewhere the state that their leaders last reported.
     *
     * @return empty while too little is known to decide anything, for example after the start
     */
    Optional<ClusterView> view();
}
