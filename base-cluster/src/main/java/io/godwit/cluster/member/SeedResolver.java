package io.godwit.cluster.member;

import io.godwit.cluster.config.ClusterConfig;
import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.thread.DaemonThreads;
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
 * Resolves the names of the seeds and the cluster's domain name again and again, because nodes come, move and may not
 * have a name yet when this node starts. Uses its own thread, because a name server may take long to answer.
 */
public final class SeedResolver implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SeedResolver.class);

    /** Resolves a name. Blocks. */
    public interface Names {
        InetAddress[] addressesOf(String name) throws UnknownHostException;
    }

    private final List<HostPort> names;
    /** How many of the names are seeds; they come first. The domain name, if any, follows. */
    private final int seedCount;

    private final Names lookUp;
    private final ScheduledThreadPoolExecutor thread;
    private final CountDownLatch firstRound = new CountDownLatch(1);
    private final Set<String> unresolved = new HashSet<>();
    /** The addresses of each name, in the order of {@link #names}. Used by the thread only. */
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

    /** Starts the look-ups. Returns when every name has been looked up once, or after {@code waitMillis}. */
    @SuppressWarnings("FutureReturnValueIgnored") // the task ends with the thread
    void start(long everyMillis, long waitMillis) {
        thread.scheduleWithFixedDelay(this::resolve, 0, everyMillis, TimeUnit.MILLISECONDS);
        try {
            if (!firstRound.await(waitMillis, TimeUnit.MILLISECONDS)) {
                LOG.warn("name servers are slow, continuing without the seeds that are not resolved seeds={}", names);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** All addresses known now; empty until a name resolves. */
    Set<InetSocketAddress> addresses() {
        return addresses;
    }

    /**
     * The seeds with their addresses, without the domain name. Always includes every seed, with no addresses until its
     * name resolves: a node that saw fewer seeds could take itself for the only one.
     */
    List<Seed> seeds() {
        return seeds;
    }

    private void resolve() {
        for (int i = 0; i < names.size(); i++) {
            HostPort name = names.get(i);
            known.set(i, new Seed(name, addressesOf(name)));
            publish(); // the next name may take long
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
        } catch (UnknownHostException | RuntimeException | Error e) { // any error: it is looked up again later
            if (unresolved.add(name.host())) {
                LOG.warn("seed does not resolve, trying again later seed={} cause={}", name, e.toString());
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
