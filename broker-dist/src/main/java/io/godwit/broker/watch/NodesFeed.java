package io.godwit.broker.watch;

import io.godwit.api.port.watch.WatchFeed;
import io.godwit.broker.clients.ClusterNodes;
import io.godwit.broker.watch.question.TraceQuestion;
import io.godwit.broker.watch.question.WatchQuestion;
import io.godwit.broker.watch.question.WatchWire;
import io.grpc.Channel;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One watch over all nodes or a single one. Follows members that join and leave, and reports which nodes are watched.
 * Its sources are confined to the thread of watches; {@link #next} belongs to the reader.
 */
final class NodesFeed implements WatchFeed {
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Duration SLACK = Duration.ofSeconds(30);

    private final ClusterNodes nodes;
    private final OwnWatches own;
    private final WatchThread thread;
    private final WatchQuestion question;
    private final Optional<String> only;
    private final LongSupplier nanoClock;
    private final long endNanos;
    private final Runnable ended;

    // confined to the thread of watches
    private final Map<String, NodeSource> sources = new HashMap<>();
    private final Map<String, Boolean> told = new HashMap<>();
    private long lookedNanos;

    /** The sources to read from. Replaced by the thread of watches, read by the reader. */
    private volatile List<NodeSource> taken = List.of();

    /** Changes of the watched nodes, a few per change of members. Filled by the thread of watches. */
    private final Queue<Item> changes = new ConcurrentLinkedQueue<>();

    private volatile boolean isOver;
    private volatile Runnable ready = () -> {};
    /** The last source read from, so that the reader serves the sources in turn. Confined to the reader. */
    private int at;

    /**
     * @param only the single node to watch; empty for all
     * @param ended called once at the end
     */
    NodesFeed(
            ClusterNodes nodes,
            OwnWatches own,
            WatchThread thread,
            WatchQuestion question,
            Optional<String> only,
            Duration longest,
            LongSupplier nanoClock,
            Runnable ended) {
        this.nodes = nodes;
        this.own = own;
        this.thread = thread;
        this.question = question;
        this.only = only;
        this.nanoClock = nanoClock;
        this.endNanos = nanoClock.getAsLong() + longest.plus(SLACK).toNanos();
        this.lookedNanos = nanoClock.getAsLong() - LOOK_NANOS;
        this.ended = ended;
    }

    /** Called on the thread of watches. */
    void open() {
        if (!isOver) {
            thread.add(this, this::look);
            look();
        }
    }

    boolean isAbout(Class<? extends WatchQuestion> kind) {
        return kind.isInstance(question);
    }

    /** Whether this is a trace for exactly that tenant. */
    boolean traces(Optional<String> tenant) {
        return question instanceof TraceQuestion asked && asked.tenant().equals(tenant);
    }

    /** Whether this is a trace for some tenant. */
    boolean tracesTenant() {
        return question instanceof TraceQuestion asked && asked.tenant().isPresent();
    }

    private void look() {
        long now = nanoClock.getAsLong();
        if (isOver || now - lookedNanos < LOOK_NANOS) {
            return;
        }
        if (now - endNanos >= 0) {
            end(); // the reader should have closed it before
            return;
        }
        lookedNanos = now;
        Set<String> wanted = new HashSet<>();
        wanted.add(nodes.self());
        wanted.addAll(nodes.others());
        only.ifPresent(node -> wanted.retainAll(Set.of(node)));
        for (String node : List.copyOf(sources.keySet())) {
            if (!wanted.contains(node)) {
                drop(node);
            }
        }
        told.keySet().removeIf(node -> !wanted.contains(node));
        for (String node : wanted) {
            if (!sources.containsKey(node)) {
                begin(node);
            }
        }
    }

    private void begin(String node) {
        if (node.equals(nodes.self())) {
            beginOwn(node);
            return;
        }
        Channel channel = nodes.to(node);
        if (channel == null) {
            tell(node, false);
            return;
        }
        PeerSource source = new PeerSource(node, question.told(), thread, new PeerSource.Listener() {
            @Override
            public void began() {
                tell(node, true);
            }

            @Override
            public void ready() {
                ready.run();
            }

            @Override
            public void ended(PeerSource over) {
                if (sources.get(node) == over) {
                    drop(node); // entries not yet read are lost; the next look tries again
                }
            }
        });
        put(node, source);
        source.open(channel, WatchWire.request(question), Duration.ofNanos(endNanos - nanoClock.getAsLong()));
    }

    private void beginOwn(String node) {
        try {
            put(node, new OwnSource(own, own.open(question), node, question.told(), nanoClock, () -> ready.run()));
            tell(node, true);
        } catch (TooManyWatchesException e) {
            tell(node, false);
        }
    }

    private void put(String node, NodeSource source) {
        sources.put(node, source);
        taken = List.copyOf(sources.values());
    }

    private void drop(String node) {
        NodeSource source = sources.remove(node);
        taken = List.copyOf(sources.values());
        if (source != null) {
            source.close();
            tell(node, false);
        }
    }

    private void tell(String node, boolean isWatched) {
        if (!Boolean.valueOf(isWatched).equals(told.put(node, isWatched))) {
            changes.add(Item.node(node, isWatched));
            ready.run();
        }
    }

    @Override
    public @Nullable Item next() {
        Item change = changes.poll();
        if (change != null) {
            return change;
        }
        List<NodeSource> from = taken;
        for (int i = 0; i < from.size(); i++) {
            at = (at + 1) % from.size();
            Item item = from.get(at).next();
            if (item != null) {
                return item;
            }
        }
        return null;
    }

    @Override
    public void onReady(Runnable task) {
        ready = task;
        task.run(); // for entries from before
    }

    @Override
    public boolean isOver() {
        return isOver;
    }

    @Override
    public void close() {
        if (!thread.run(this::end)) {
            isOver = true; // the node stops and has ended all feeds
        }
    }

    /** Called on the thread of watches. */
    void end() {
        isOver = true;
        thread.remove(this);
        sources.values().forEach(NodeSource::close);
        sources.clear();
        taken = List.of();
        ended.run();
    }
}
