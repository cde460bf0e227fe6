package io.godwit.dist.index;

import io.godwit.cluster.link.Peer;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.index.compact.NodeSets;
import io.godwit.dist.index.share.ConnectedElsewhere;
import io.godwit.dist.index.share.GroupMember;
import io.godwit.dist.index.share.SharedGroup;
import io.godwit.dist.index.share.SharedMember;
import io.godwit.dist.index.share.SharedStrategies;
import io.godwit.dist.index.share.StickyListener;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of one tenant that this node knows: those of its own live receivers, the routes of all persistent
 * sessions, and which other nodes have live receivers of a filter, or a client of a stored member of a shared group.
 *
 * <p>Filters without a wildcard are in a hash table by their text, so that the usual publish costs one look-up; the
 * others are in a trie by level. Readers take no lock. Writers do: event loops that subscribe, and the apply threads of
 * the route ranges. A subscription must be in force when its call returns, which a queue to a single owner could not
 * ensure without blocking. The work under the lock is a few pointer writes.
 *
 * <p>{@link #version} rises after each change that can alter a {@link Matches}. A publisher that reads it before
 * {@link #match} may reuse the result until the version changes.
 */
public final class TenantIndex {
    private final TenantId id;
    private final SharedStrategies strategies;
    private final String node;
    private final StickyListener sticky;
    private final NodeSets nodeSets;
    private final ConcurrentHashMap<String, Subscribers> exact = new ConcurrentHashMap<>();
    private final FilterTrie wildcards = new FilterTrie();
    /** Guarded by this. */
    private final ExclusiveHolders exclusive = new ExclusiveHolders();
    /** Guarded by this. */
    private final ConnectedElsewhere elsewhere;

    private volatile long version;
    /** Replaced under the lock. */
    private volatile SubscriptionCounts counts = SubscriptionCounts.NONE;

    /** For a node that is alone. */
    TenantIndex(TenantId id, SharedStrategies strategies) {
        this(id, strategies, "", StickyListener.NONE, new NodeSets());
    }

    /**
     * @param node see {@link TopicIndex}
     * @param sticky see {@link TopicIndex}
     */
    TenantIndex(TenantId id, SharedStrategies strategies, String node, StickyListener sticky, NodeSets nodeSets) {
        this.id = id;
        this.strategies = strategies;
        this.node = node;
        this.sticky = sticky;
        this.nodeSets = nodeSets;
        this.elsewhere = new ConnectedElsewhere(nodeSets);
    }

    /** The instance that all receivers decoded from the store share. */
    public TenantId id() {
        return id;
    }

    public long version() {
        return version;
    }

    /** Number of subscriptions. Any thread. */
    public SubscriptionCounts counts() {
        return counts;
    }

    private void count(TopicFilter filter, Receiver receiver, int change) {
        if (change != 0) {
            counts = counts.plus(receiver instanceof InboxReceiver, filter.isShared(), change);
        }
    }

    /** The receivers of a message of {@code publisher} on {@code topic}, a valid topic name. */
    public Matches match(String topic, ClientId publisher) {
        Subscribers exactly = exact.get(topic);
        List<Subscribers> found = wildcards.match(topic);
        if (found.isEmpty()) {
            return exactly == null ? Matches.NONE : Overlaps.forPublisher(exactly.snapshot(), publisher);
        }
        if (exactly == null && found.size() == 1) {
            return Overlaps.forPublisher(found.get(0).snapshot(), publisher);
        }
        List<Matches> parts = new ArrayList<>(found.size() + 1);
        if (exactly != null) {
            parts.add(Overlaps.forPublisher(exactly.snapshot(), publisher));
        }
        for (Subscribers subscribers : found) {
            parts.add(Overlaps.forPublisher(subscribers.snapshot(), publisher));
        }
        return Overlaps.merge(parts);
    }

    /**
     * Adds or replaces a subscription; every later match sees it. Returns whether the receiver had none to this filter.
     */
    public synchronized boolean add(TopicFilter filter, Receiver receiver, SubscriptionOptions options) {
        Subscribers known = find(filter.filter());
        Subscribers subscribers = known == null ? new Subscribers() : known;
        boolean added = filter.isShared()
                ? addShared(subscribers, filter, receiver, options)
                : addPlain(
                        subscribers,
                        new Subscriber(match(receiver, options, null), options.noLocal(), filter.isExclusive()));
        if (filter.isExclusive()) {
            exclusive.added(filter.filter(), receiver);
        }
        if (known == null) {
            link(filter.filter(), subscribers);
            changed();
        }
        count(filter, receiver, added ? 1 : 0);
        return added;
    }

    /** Whether the subscription exists with exactly these options. */
    public synchronized boolean has(TopicFilter filter, Receiver receiver, SubscriptionOptions options) {
        Subscribers subscribers = find(filter.filter());
        if (subscribers == null) {
            return false;
        }
        Match match = match(receiver, options, null);
        if (!filter.isShared()) {
            Subscriber known = subscribers.get(Subscriber.keyOf(receiver, filter.isExclusive()));
            return known != null && isSame(known, new Subscriber(match, options.noLocal(), filter.isExclusive()));
        }
        SharedGroup group = subscribers.group(SharedGroup.keyOf(filter));
        SharedMember known = group == null ? null : group.memberOf(receiver);
        // no-local is not allowed for a shared subscription [MQTT5-3.8.3-4]
        return known != null && isSame(known.match(), match);
    }

    /** Whether the subscription exists, with any options. */
    public synchronized boolean has(TopicFilter filter, Receiver receiver) {
        Subscribers subscribers = find(filter.filter());
        if (subscribers == null) {
            return false;
        }
        if (!filter.isShared()) {
            return subscribers.get(Subscriber.keyOf(receiver, filter.isExclusive())) != null;
        }
        SharedGroup group = subscribers.group(SharedGroup.keyOf(filter));
        return group != null && group.memberOf(receiver) != null;
    }

    /** The options of the subscription; null when there is none. */
    public synchronized @Nullable SubscriptionOptions options(TopicFilter filter, Receiver receiver) {
        Subscribers subscribers = find(filter.filter());
        if (subscribers == null) {
            return null;
        }
        if (!filter.isShared()) {
            Subscriber known = subscribers.get(Subscriber.keyOf(receiver, filter.isExclusive()));
            return known == null ? null : options(known.match(), known.noLocal());
        }
        SharedGroup group = subscribers.group(SharedGroup.keyOf(filter));
        SharedMember known = group == null ? null : group.memberOf(receiver);
        return known == null ? null : options(known.match(), false);
    }

    private static SubscriptionOptions options(Match match, boolean noLocal) {
        int[] ids = match.subscriptionIds();
        return new SubscriptionOptions(match.qos(), noLocal, match.retainAsPublished(), ids.length == 0 ? 0 : ids[0]);
    }

    /** Removes a subscription; no later match has it. Returns whether it existed. */
    public synchronized boolean remove(TopicFilter filter, Receiver receiver) {
        Subscribers subscribers = find(filter.filter());
        if (subscribers == null) {
            return false;
        }
        boolean removed = filter.isShared()
                ? removeShared(subscribers, SharedGroup.keyOf(filter), receiver)
                : removePlain(subscribers, Subscriber.keyOf(receiver, filter.isExclusive()));
        if (filter.isExclusive()) {
            exclusive.removed(filter.filter(), receiver);
        }
        if (subscribers.isEmpty()) {
            unlink(filter.filter());
        }
        count(filter, receiver, removed ? -1 : 0);
        return removed;
    }

    /**
     * Records that {@code peer} has a live subscriber of the filter; every later match sees it. Returns whether that is
     * new.
     */
    public synchronized boolean addNode(String filter, Peer peer) {
        Subscribers known = find(filter);
        Subscribers subscribers = known == null ? new Subscribers() : known;
        if (subscribers.nodes().contains(peer)) {
            return false;
        }
        subscribers.setNodes(nodeSets.with(subscribers.nodes(), peer));
        counts = counts.plusOfNodes(1);
        if (known == null) {
            link(filter, subscribers);
        }
        changed();
        return true;
    }

    /** Records that {@code peer} has no live subscriber of the filter any more. Returns whether it had one. */
    public synchronized boolean removeNode(String filter, Peer peer) {
        Subscribers subscribers = find(filter);
        if (subscribers == null || !subscribers.nodes().contains(peer)) {
            return false;
        }
        subscribers.setNodes(nodeSets.without(subscribers.nodes(), peer));
        counts = counts.plusOfNodes(-1);
        if (subscribers.isEmpty()) {
            unlink(filter);
        }
        changed();
        return true;
    }

    /** The filters that {@code peer} has live subscribers of; visits all filters. */
    List<String> filtersOf(Peer peer) {
        List<String> filters = new ArrayList<>();
        BiConsumer<String, Subscribers> each = (filter, subscribers) -> {
            if (subscribers.nodes().contains(peer)) {
                filters.add(filter);
            }
        };
        exact.forEach(each);
        wildcards.forEach(each);
        return filters;
    }

    /** The group of a shared filter; null when it has no members. */
    public synchronized @Nullable SharedGroup group(TopicFilter filter) {
        Subscribers subscribers = find(filter.filter());
        return subscribers == null ? null : subscribers.group(SharedGroup.keyOf(filter));
    }

    /**
     * Sets whether the client of {@code receiver}, a member of the group of {@code filter}, is connected to this node.
     * Does nothing for other receivers.
     */
    public void setConnected(TopicFilter filter, InboxReceiver receiver, boolean isConnected) {
        SharedGroup group = group(filter);
        if (group != null) {
            group.setConnected(receiver, isConnected);
        }
    }

    /**
     * Records whether the client of a stored member is connected to {@code peer}. The route of the member may come
     * later. Returns whether that is new.
     */
    public synchronized boolean setConnectedTo(Peer peer, GroupMember member, boolean isConnected) {
        boolean isNew = isConnected ? elsewhere.add(member, peer) : elsewhere.remove(member, peer);
        if (isNew) {
            tellConnectedElsewhere(member);
        }
        return isNew;
    }

    private void tellConnectedElsewhere(GroupMember member) {
        SharedGroup group = group(member.filter());
        if (group != null) {
            group.setConnectedElsewhere(member.receiver(), elsewhere.has(member));
        }
    }

    /** Whether clients of stored members are connected to other nodes. */
    synchronized boolean hasConnectedElsewhere() {
        return !elsewhere.isEmpty();
    }

    /** As {@link ConnectedElsewhere#removeNext}. */
    synchronized @Nullable GroupMember removeConnectedTo(Peer peer, @Nullable GroupMember after, int count) {
        return elsewhere.removeNext(peer, after, count, this::tellConnectedElsewhere);
    }

    /**
     * Claims the exclusive filter for {@code client}. Returns false when another client has it, or is about to. Else
     * the client keeps it until {@link #releaseExclusive}, and as long as it has a subscription to it.
     */
    public synchronized boolean claimExclusive(TopicFilter filter, ClientId client) {
        return exclusive.claim(filter.filter(), client);
    }

    public synchronized void releaseExclusive(TopicFilter filter, ClientId client) {
        exclusive.release(filter.filter(), client);
    }

    /**
     * The filters, shared ones included, that match {@code topic} and that {@code receiver} is subscribed to. Visits
     * many subscriptions; for rare use.
     */
    public synchronized List<TopicFilter> filtersOf(Receiver receiver, String topic) {
        List<TopicFilter> filters = new ArrayList<>();
        Subscribers exactly = exact.get(topic);
        if (exactly != null) {
            collect(receiver, topic, exactly, filters);
        }
        wildcards.matchWithFilters(topic, (filter, subscribers) -> collect(receiver, filter, subscribers, filters));
        return filters;
    }

    /** Visits all subscriptions of {@link InboxReceiver}s; those that come or go meanwhile may be missed. */
    public void forEachRoute(BiConsumer<TopicFilter, InboxReceiver> action) {
        BiConsumer<String, Subscribers> each = (filter, subscribers) -> {
            subscribers.forEachPlain(subscriber -> {
                if (subscriber.match().receiver() instanceof InboxReceiver inbox) {
                    action.accept(plain(filter, subscriber.isExclusive()), inbox);
                }
            });
            subscribers.forEachGroup(group -> group.forEach(match -> {
                if (match.receiver() instanceof InboxReceiver inbox) {
                    action.accept(group.filter(), inbox);
                }
            }));
        };
        exact.forEach(each);
        wildcards.forEach(each);
    }

    /**
     * Visits all subscriptions to exactly this filter; for a filter that is not shared also the members of all groups
     * on it. Those that come or go meanwhile may be missed.
     */
    void forEachSubscription(TopicFilter filter, Consumer<Match> action) {
        Subscribers subscribers = subscribersOf(filter.filter());
        if (subscribers == null) {
            return;
        }
        if (filter.isShared()) {
            SharedGroup group = subscribers.group(SharedGroup.keyOf(filter));
            if (group != null) {
                group.forEach(action);
            }
            return;
        }
        subscribers.forEachPlain(subscriber -> action.accept(subscriber.match()));
        subscribers.forEachGroup(group -> group.forEach(action));
    }

    /** Visits all shared groups, by visiting all filters; those that come or go meanwhile may be missed. */
    void forEachGroup(Consumer<SharedGroup> action) {
        BiConsumer<String, Subscribers> each = (filter, subscribers) -> subscribers.forEachGroup(action);
        exact.forEach(each);
        wildcards.forEach(each);
    }

    private synchronized @Nullable Subscribers subscribersOf(String filter) {
        return find(filter);
    }

    /** Whether the index has no filter, no node, no connected member and no exclusive claim. */
    boolean isEmpty() {
        return exact.isEmpty() && wildcards.isEmpty() && elsewhere.isEmpty() && exclusive.isEmpty();
    }

    private boolean addPlain(Subscribers subscribers, Subscriber subscriber) {
        Subscriber before = subscribers.get(subscriber.key());
        if (before != null && isSame(before, subscriber)) {
            return false; // clients often repeat a subscription: caches stay valid
        }
        subscribers.put(subscriber);
        changed();
        return before == null;
    }

    private boolean addShared(
            Subscribers subscribers, TopicFilter filter, Receiver receiver, SubscriptionOptions options) {
        SharedGroup group = subscribers.group(SharedGroup.keyOf(filter));
        if (group != null) {
            boolean isNew = group.add(match(receiver, options, group.filter()));
            if (isNew) {
                connectIfElsewhere(group, receiver);
            }
            return isNew;
        }
        group = new SharedGroup(id, filter, strategies, System::nanoTime, node, sticky);
        group.add(match(receiver, options, filter));
        connectIfElsewhere(group, receiver);
        subscribers.putGroup(group);
        changed();
        return true;
    }

    /** Another node may have reported the client of a new member before its route came. */
    private void connectIfElsewhere(SharedGroup group, Receiver receiver) {
        if (receiver instanceof InboxReceiver stored && elsewhere.has(new GroupMember(group.filter(), stored))) {
            group.setConnectedElsewhere(stored, true);
        }
    }

    private boolean removePlain(Subscribers subscribers, Object key) {
        if (subscribers.get(key) == null) {
            return false;
        }
        subscribers.remove(key);
        changed();
        return true;
    }

    private boolean removeShared(Subscribers subscribers, String key, Receiver receiver) {
        SharedGroup group = subscribers.group(key);
        if (group == null || !group.remove(receiver)) {
            return false;
        }
        if (group.isEmpty()) {
            subscribers.removeGroup(key);
            changed();
        }
        return true;
    }

    private @Nullable Subscribers find(String filter) {
        return isExact(filter) ? exact.get(filter) : wildcards.get(filter);
    }

    private void link(String filter, Subscribers subscribers) {
        counts = counts.plusFilters(1);
        if (isExact(filter)) {
            exact.put(filter, subscribers);
        } else {
            wildcards.put(filter, subscribers);
        }
    }

    private void unlink(String filter) {
        counts = counts.plusFilters(-1);
        if (isExact(filter)) {
            exact.remove(filter);
        } else {
            wildcards.remove(filter);
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    private void changed() {
        version++;
    }

    private static void collect(Receiver receiver, String filter, Subscribers subscribers, List<TopicFilter> filters) {
        for (boolean isExclusive : new boolean[] {false, true}) {
            if (subscribers.get(Subscriber.keyOf(receiver, isExclusive)) != null) {
                filters.add(plain(filter, isExclusive));
            }
        }
        subscribers.forEachGroup(group -> {
            if (group.memberOf(receiver) != null) {
                filters.add(group.filter());
            }
        });
    }

    private static TopicFilter plain(String filter, boolean isExclusive) {
        return new TopicFilter(null, filter, isExclusive ? TopicFilter.Sharing.EXCLUSIVE : TopicFilter.Sharing.NONE);
    }

    private static boolean isSame(Subscriber a, Subscriber b) {
        return a.noLocal() == b.noLocal() && isSame(a.match(), b.match());
    }

    /** Compares all but the receiver. */
    private static boolean isSame(Match a, Match b) {
        return a.qos() == b.qos()
                && a.retainAsPublished() == b.retainAsPublished()
                && Arrays.equals(a.subscriptionIds(), b.subscriptionIds());
    }

    private static boolean isExact(String filter) {
        return filter.indexOf('+') < 0 && filter.indexOf('#') < 0;
    }

    private static Match match(Receiver receiver, SubscriptionOptions options, @Nullable TopicFilter sharedBy) {
        return new Match(receiver, options.qos(), options.retainAsPublished(), ids(options.subscriptionId()), sharedBy);
    }

    private static int[] ids(int subscriptionId) {
        return subscriptionId == 0 ? Match.NO_IDS : new int[] {subscriptionId};
    }
}
