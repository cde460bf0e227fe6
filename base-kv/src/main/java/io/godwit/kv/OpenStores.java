package io.godwit.kv;

import io.godwit.kv.store.StoreHealth;
import io.godwit.kv.store.StoreRanges;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The open stores of a node, in the order in which they were opened. Any thread looks; the wiring thread adds. */
final class OpenStores {
    private final List<KvStore> stores = new CopyOnWriteArrayList<>();

    void add(KvStore store) {
        stores.add(store);
    }

    boolean has(String name) {
        return stores.stream().anyMatch(store -> store.name().equals(name));
    }

    /** The ranges of an open store; null if there is none of that name. */
    @Nullable
    StoreRanges rangesOf(String name) {
        for (KvStore store : stores) {
            if (store.name().equals(name)) {
                return store.ranges();
            }
        }
        return null;
    }

    /** Completes when every store opened so far serves; fails with {@link io.godwit.kv.client.RangeException}. */
    CompletableFuture<Void> ready() {
        return CompletableFuture.allOf(stores.stream().map(KvStore::ready).toArray(CompletableFuture[]::new));
    }

    /** @param diskDetail why writes may be refused; empty if they are not */
    Map<String, StoreHealth> health(String diskDetail) {
        Map<String, StoreHealth> health = new LinkedHashMap<>();
        stores.forEach(store -> health.put(store.name(), store.health(diskDetail)));
        return health;
    }

    /** Stops all ranges of all stores for good, because what they share has failed. For a thread that may block. */
    void fail(String what) {
        stores.forEach(store -> {
            store.failed(what);
            store.ranges().all().forEach(range -> range.fail(what));
        });
    }

    /** Refuses waiting and new requests, stops leaders and groups, and closes the databases; blocks. */
    void close() {
        List<CompletableFuture<Void>> stopped = new ArrayList<>();
        stores.forEach(store -> stopped.add(store.ranges().stop()));
        stopped.forEach(CompletableFuture::join);
        stores.forEach(store -> store.ranges().close());
    }
}
