package io.godwit.dist.index;

import io.godwit.dist.index.compact.CompactTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The filters with a wildcard, by level. Written under the lock of its {@link TenantIndex}, read without one: nodes are
 * linked and unlinked only while empty, so a reader at such a node misses nothing.
 *
 * <p>Walked level by level, never recursively: a topic has up to 65,536 levels and an event loop's stack is small.
 */
final class FilterTrie {
    private static final int INTERN_SLOTS = 1024;

    private final TrieNode root = new TrieNode("");
    /**
     * Recently used level names, in the slots of their hashes. Filters repeat names ("sensor", "state") under each
     * device; a million copies of them would be the larger part of the trie. Each slot keeps only the last name, so the
     * array needs no bound and no clean-up. Used by the writer only.
     */
    private final @Nullable String[] recentLevels = new @Nullable String[INTERN_SLOTS];

    boolean isEmpty() {
        return root.isEmpty();
    }

    /** The subscribers of exactly this filter. */
    @Nullable
    Subscribers get(String filter) {
        TrieNode node = root;
        int from = 0;
        while (true) {
            int end = levelEnd(filter, from);
            if (isWildcard(filter, from, end, '#')) {
                return node.multi();
            }
            node = isWildcard(filter, from, end, '+') ? node.plus() : node.child(filter.substring(from, end));
            if (node == null) {
                return null;
            }
            if (end == filter.length()) {
                return node.own();
            }
            from = end + 1;
        }
    }

    /** Adds {@code subscribers}, not empty, for a filter that has none. */
    void put(String filter, Subscribers subscribers) {
        TrieNode node = root;
        int from = 0;
        while (true) {
            int end = levelEnd(filter, from);
            if (isWildcard(filter, from, end, '#')) {
                node.setMulti(subscribers);
                return;
            }
            TrieNode next =
                    isWildcard(filter, from, end, '+') ? plusOf(node) : childOf(node, filter.substring(from, end));
            if (end == filter.length()) {
                next.setOwn(subscribers);
                return;
            }
            node = next;
            from = end + 1;
        }
    }

    /** Removes the subscribers of {@code filter}, and all nodes that become empty. */
    void remove(String filter) {
        List<TrieNode> path = new ArrayList<>();
        path.add(root);
        TrieNode node = root;
        int from = 0;
        while (true) {
            int end = levelEnd(filter, from);
            if (isWildcard(filter, from, end, '#')) {
                node.setMulti(null);
                break;
            }
            TrieNode next = isWildcard(filter, from, end, '+') ? node.plus() : node.child(filter.substring(from, end));
            if (next == null) {
                return;
            }
            path.add(next);
            node = next;
            if (end == filter.length()) {
                node.setOwn(null);
                break;
            }
            from = end + 1;
        }
        for (int i = path.size() - 1; i > 0 && path.get(i).isEmpty(); i--) {
            unlink(path.get(i - 1), path.get(i));
        }
    }

    /** The subscribers of all filters here that match {@code topic}. */
    List<Subscribers> match(String topic) {
        if (root.isEmpty()) {
            return List.of();
        }
        List<Subscribers> found = new ArrayList<>(4);
        walk(topic, (subscribers, path) -> found.add(subscribers), false);
        return found;
    }

    /**
     * As {@link #match}, with the text of each filter; for the rare callers that need it, because nodes do not keep it.
     */
    void matchWithFilters(String topic, BiConsumer<String, Subscribers> action) {
        walk(topic, (subscribers, path) -> action.accept(path, subscribers), true);
    }

    /** Visits all filters; weakly consistent. */
    void forEach(BiConsumer<String, Subscribers> action) {
        List<Step> pending = new ArrayList<>();
        pending.add(new Step(root, ""));
        while (!pending.isEmpty()) {
            Step step = pending.remove(pending.size() - 1);
            step.take(step.node.multi(), "#", (subscribers, filter) -> action.accept(filter, subscribers));
            if (step.node != root) {
                step.takeOwn((subscribers, filter) -> action.accept(filter, subscribers));
            }
            TrieNode plus = step.node.plus();
            if (plus != null) {
                pending.add(new Step(plus, step.path + "+/"));
            }
            CompactTable.<TrieNode>forEach(
                    step.node.children(), child -> pending.add(new Step(child, step.path + child.key() + '/')));
        }
    }

    private interface Found {
        void accept(Subscribers subscribers, String filter);
    }

    /**
     * A node reached by the levels so far.
     *
     * @param path the levels of the filter so far, each followed by '/'; empty when filters are not needed
     */
    private record Step(TrieNode node, String path) {
        void take(@Nullable Subscribers subscribers, String lastLevel, Found found) {
            if (subscribers != null) {
                found.accept(subscribers, path + lastLevel);
            }
        }

        void takeOwn(Found found) {
            Subscribers own = node.own();
            if (own != null) {
                found.accept(own, path.isEmpty() ? path : path.substring(0, path.length() - 1));
            }
        }
    }

    private void walk(String topic, Found found, boolean withPaths) {
        List<Step> level = new ArrayList<>(4);
        List<Step> next = new ArrayList<>(4);
        level.add(new Step(root, ""));
        // a leading wildcard matches no topic that begins with '$' [MQTT5-4.7.2-1]
        boolean wildcards = topic.charAt(0) != '$';
        int from = 0;
        while (true) {
            int end = levelEnd(topic, from);
            String name = topic.substring(from, end);
            for (int i = 0; i < level.size(); i++) {
                Step step = level.get(i);
                if (wildcards) {
                    step.take(step.node.multi(), withPaths ? "#" : "", found);
                    add(next, step, step.node.plus(), withPaths);
                }
                add(next, step, step.node.child(name), withPaths);
            }
            if (next.isEmpty()) {
                return;
            }
            List<Step> done = level;
            level = next;
            next = done;
            next.clear();
            wildcards = true;
            if (end == topic.length()) {
                break;
            }
            from = end + 1;
        }
        for (int i = 0; i < level.size(); i++) {
            level.get(i).takeOwn(found);
            // "sport/#" matches "sport" too: the multi-level wildcard includes the parent level (MQTT 5.0, 4.7.1.2)
            level.get(i).take(level.get(i).node.multi(), withPaths ? "#" : "", found);
        }
    }

    private static void add(List<Step> steps, Step from, @Nullable TrieNode node, boolean withPaths) {
        if (node != null) {
            steps.add(new Step(node, withPaths ? from.path + node.key() + '/' : ""));
        }
    }

    private static TrieNode plusOf(TrieNode node) {
        TrieNode plus = node.plus();
        if (plus == null) {
            plus = new TrieNode("+");
            node.setPlus(plus);
        }
        return plus;
    }

    private TrieNode childOf(TrieNode node, String level) {
        TrieNode child = node.child(level);
        if (child == null) {
            child = new TrieNode(intern(level));
            node.putChild(child);
        }
        return child;
    }

    private static void unlink(TrieNode parent, TrieNode empty) {
        if (parent.plus() == empty) {
            parent.setPlus(null);
        } else {
            parent.removeChild(empty);
        }
    }

    private String intern(String level) {
        int slot = level.hashCode() & INTERN_SLOTS - 1;
        String recent = recentLevels[slot];
        if (recent != null && recent.equals(level)) {
            return recent;
        }
        recentLevels[slot] = level;
        return level;
    }

    private static boolean isWildcard(String filter, int from, int end, char wildcard) {
        return end - from == 1 && filter.charAt(from) == wildcard;
    }

    private static int levelEnd(String text, int from) {
        int slash = text.indexOf('/', from);
        return slash < 0 ? text.length() : slash;
    }
}
