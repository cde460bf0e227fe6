package io.godwit.cluster;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the addresses behind the seeds and the cluster's domain name. Asks again and again, since nodes come, move and
 * may not have a name yet when this one starts; on a thread of its own, since a name server may not answer for long.
 */
final class SeedResolver implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SeedResolver.class);

    /** Looks a name up. Blocks. */
    interface Names {
        InetAddress[] addressesOf(String name) throws UnknownHostException;
    }

    private final List<HostPort> names;
    /** How many of the names, from the first on, are seeds; what follows is the domain name. */
    private final int seedCount;

    private final Names lookUp;
    private final ScheduledThreadPoolExecutor thread;
    private final CountDownLatch firstRound = new CountDownLatch(1);
    private final Set<String> unresolved = new HashSet<>();
    /** What is known of each name, in their order. The thread's. */
    private final List<Seed> known;

    private volatile Set<InetSocketAddress> addresses = Set.of();
    private volatile List<Seed> seeds;

    SeedResolver(ClusterConfig config, Names lookUp) {
        List<HostPort> all = new ArrayList<>(config.seeds());
        if (!config.domainName().isEmpty()) {
            all.add(new HostPort(config.domainName(), config.port()));
        }
        this.names = List.copyOf(all);
        this.seedCount = config.seeds().size();
        this.lookUp = lookUp;
        this.known = new ArrayList<>(
                names.stream().map(name -> new Seed(name, List.of())).toList());
        this.seeds = List.copyOf(known.subList(0, seedCount));
        this.thread = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("cluster-names"));
    }

    /** Returns when every name has been asked for once, or after {@code waitMillis}. */
    @SuppressWarnings("FutureReturnValueIgnored") // ends with the thread
    void start(long everyMillis, long waitMillis) {
        thread.scheduleWithFixedDelay(this::resolve, 0, everyMillis, TimeUnit.MILLISECONDS);
        try {
            if (!firstRound.await(waitMillis, TimeUnit.MILLISECONDS)) {
                LOG.warn(
                        "name servers are slow, going on without the seeds that have not been resolved seeds={}",
                        names);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What is known now; empty until something resolves. */
    Set<InetSocketAddress> addresses() {
        return addresses;
    }

    /**
     * The seeds and what is known of them now, without the domain name: all of them from the beginning, each without an
     * address until its name has been answered for. A node that saw fewer could take itself for the only one.
     */
    List<Seed> seeds() {
        return seeds;
    }

    private void resolve() {
        for (int i = 0; i < names.size(); i++) {
            HostPort name = names.get(i);
            known.set(i, new Seed(name, addressesOf(name)));
            publish(); // the next one may take long
        }
        firstRound.countDown();
    }

    private List<InetSocketAddress> addressesOf(HostPort name) {
        List<InetSocketAddress> behind = new ArrayList<>();
        try {
            for (InetAddress address : lookUp.addressesOf(name.host())) {
                behind.add(new InetSocketAddress(address, name.port()));
            }
            unresolved.remove(name.host());
        } catch (UnknownHostException | RuntimeException e) { // whatever it is, the thread asks again
            if (unresolved.add(name.host())) {
                LOG.warn("seed does not resolve, will be asked for again seed={} cause={}", name, e.toString());
            }
        }
        return behind;
    }

    private void publish() {
        Set<InetSocketAddress> found = new LinkedHashSet<>();
        known.forEach(seed -> found.addAll(seed.addresses()));
        seeds = List.copyOf(known.subList(0, seedCount));
        addresses = Set.copyOf(found);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
