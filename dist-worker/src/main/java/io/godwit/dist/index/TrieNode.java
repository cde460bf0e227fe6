package io.godwit.dist.index;

import io.godwit.dist.index.compact.CompactTable;
import org.jspecify.annotations.Nullable;

/** One level of the {@link FilterTrie}. Written under the lock of its {@link TenantIndex}, read without one. */
final class TrieNode implements CompactTable.Keyed<String> {
    private final String level;
    /** A {@link CompactTable} of nodes by their level, without the wildcard levels. */
    private volatile @Nullable Object children;

    private volatile @Nullable TrieNode plus;
    /** Subscribers of the filter that ends here. */
    private volatile @Nullable Subscribers own;
    /** Subscribers of the filter that ends with '#' after this level. */
    private volatile @Nullable Subscribers multi;

    TrieNode(String level) {
        this.level = level;
    }

    @Override
    public String key() {
        return level;
    }

    @Nullable
    TrieNode child(String literal) {
        return CompactTable.<String, TrieNode>get(children, literal);
    }

    @Nullable
    Object children() {
        return children;
    }

    void putChild(TrieNode child) {
        children = CompactTable.put(children, child);
    }

    void removeChild(TrieNode child) {
        children = CompactTable.remove(children, child.level);
    }

    @Nullable
    TrieNode plus() {
        return plus;
    }

    void setPlus(@Nullable TrieNode node) {
        plus = node;
    }

    @Nullable
    Subscribers own() {
        return own;
    }

    void setOwn(@Nullable Subscribers subscribers) {
        own = subscribers;
    }

    @Nullable
    Subscribers multi() {
        return multi;
    }

    void setMulti(@Nullable Subscribers subscribers) {
        multi = subscribers;
    }

    boolean isEmpty() {
        return children == null && plus == null && own == null && multi == null;
    }
}
