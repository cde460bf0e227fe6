package io.godwit.kv.balance;

import io.godwit.plugin.balance.ClusterView;
import java.util.Optional;

/** Where a balance loop has its view from. */
@FunctionalInterface
public interface ClusterViewSource {
    /**
     * What is known now. Called on the loop's thread, about once a second; must not wait for anything. What this store
     * leads is told as it is, what others lead as they last told.
     *
     * @return empty while too little is known to decide on anything, as after the start
     */
    Optional<ClusterView> view();
}
