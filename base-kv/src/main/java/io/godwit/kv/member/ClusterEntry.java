package io.godwit.kv.member;

import io.godwit.cluster.Cluster;
import io.godwit.cluster.config.ClusterException;
import io.godwit.cluster.member.Member;
import io.godwit.cluster.member.NodeIdentity;
import io.godwit.cluster.member.ProcessProbe;
import io.godwit.kv.disk.DataDirectory;
import io.godwit.kv.protocol.NodeProtocol;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a node enters its cluster, on the thread that opens it, which blocks:
 *
 * <ol>
 *   <li>the data directory is claimed; if there is data, a higher incarnation is made durable ({@link DataDirectory})
 *   <li>the RPC port is opened and the membership joined; the node announces the cluster of its data, or that it has
 *       none
 *   <li>{@link JoinRule} decides from the announcements of others. A node without data waits until there is a cluster
 *       to join, or until it is the one to found it. A node with data that sees no other waits for a moment for seeds
 *       that listen
 *   <li>if there was no data, {@code FORMAT} is written: the cluster's id before anything else
 *   <li>the node announces its cluster id; from here on the others count it as a member
 * </ol>
 *
 * <p>A node that is refused has written nothing but the incarnation. A crash before the fourth step leaves an empty
 * directory; a crash after it leaves a node of the cluster without ranges, which then gets some.
 */
public final class ClusterEntry {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterEntry.class);
    private static final long LOOK_MILLIS = 200;
    private static final long TELL_MILLIS = 10_000;
    /**
     * How long to wait for a seed that accepts connections to be seen: parts of a cluster that reach each other have
     * merged by then.
     */
    private static final long UNSEEN_MILLIS = 5_000;

    private final MemberSettings settings;
    private final DataDirectory.Claim claim;
    private final JoinRule rule;
    private final Founding founding;
    private final StartProgress progress;

    /**
     * A node that has entered its cluster.
     *
     * @param protocol the versions of the messages between nodes that it has announced
     */
    public record Entered(Cluster cluster, DataDirectory directory, long incarnation, NodeProtocol protocol) {}

    /**
     * @param mayFound whether this node may begin a cluster, if it has no data
     * @param claim passes to the result of {@link #enter}; stays the caller's if that fails
     * @param progress is told what the node waits for
     */
    public ClusterEntry(
            Path dataDirectory,
            boolean mayFound,
            MemberSettings settings,
            DataDirectory.Claim claim,
            StartProgress progress) {
        this.settings = settings;
        this.claim = claim;
        this.progress = progress;
        this.founding = !mayFound || claim.clusterId().isPresent()
                ? Founding.NEVER
                : settings.foundsAlone() ? Founding.ALONE : Founding.TOGETHER;
        this.rule = new JoinRule(
                dataDirectory,
                settings.config().env(),
                claim.storeId().toString(),
                claim.clusterId().map(UUID::toString),
                founding);
    }

    /**
     * Enters the cluster. Blocks.
     *
     * @throws ClusterException saying why the node may not be a member, for an operator
     * @throws IOException if the directory cannot be written
     */
    public Entered enter() throws IOException {
        long incarnation = claim.nextIncarnation();
        String known = claim.clusterId().map(UUID::toString).orElse("");
        MemberFacts facts = new MemberFacts(known, founding, settings.zone(), "", "");
        Cluster cluster = Cluster.open(
                settings.config(),
                new NodeIdentity(claim.storeId().toString(), incarnation, settings.version(), attributes(facts)));
        try {
            await(cluster.start());
            String founded = UUID.randomUUID().toString();
            String clusterId = decide(cluster, founded);
            progress.waitsFor("");
            DataDirectory directory = claim.open(UUID.fromString(clusterId), clusterId.equals(founded));
            String at = seeds(cluster).self();
            cluster.membership().announce(attributes(new MemberFacts(clusterId, settings.zone(), at)));
            LOG.info(
                    "node of the cluster cluster={} store={} incarnation={} fresh={}",
                    clusterId,
                    claim.storeId(),
                    incarnation,
                    directory.isFresh());
            return new Entered(cluster, directory, incarnation, settings.protocol());
        } catch (IOException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private Map<String, String> attributes(MemberFacts facts) {
        Map<String, String> all = new HashMap<>(facts.attributes());
        all.putAll(settings.protocol().announcement());
        return all;
    }

    private static void await(CompletableFuture<Void> joined) throws ClusterException {
        try {
            joined.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ClusterException own
                    ? own
                    : new ClusterException("cannot join the cluster: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted while joining", e);
        }
    }

    /** @param founded the id of the cluster if this node begins it */
    private String decide(Cluster cluster, String founded) throws ClusterException {
        long began = System.nanoTime();
        long end = began + settings.joinTimeout().toNanos();
        long nextWord = began;
        String announced = "";
        while (true) {
            FoundingSeeds seeds = seeds(cluster);
            if (!announced.equals(seeds.text() + " at " + seeds.self())) {
                announced = seeds.text() + " at " + seeds.self();
                cluster.membership().announce(attributes(facts(seeds)));
            }
            JoinRule.Decision decision =
                    rule.decide(others(cluster), seeds, Duration.ofNanos(System.nanoTime() - began), () -> founded);
            String what = decision instanceof JoinRule.Wait waiting ? waiting.what() : decision.toString();
            if (decision instanceof JoinRule.Belong belong) {
                Optional<InetSocketAddress> unseen =
                        unseen(cluster, began + TimeUnit.MILLISECONDS.toNanos(UNSEEN_MILLIS));
                if (unseen.isEmpty()) {
                    return belong.clusterId();
                }
                what = "the node at " + unseen.get() + ": it accepts connections, but may be of another cluster";
            }
            if (decision instanceof JoinRule.Refuse refused) {
                throw new ClusterException(refused.why());
            }
            long now = System.nanoTime();
            if (now - end >= 0) {
                throw new ClusterException("found no cluster to join within "
                        + settings.joinTimeout().toSeconds() + " s, waited for " + what
                        + ". Start the nodes that clusterConfig.seedEndpoints names with bootstrap true, or check"
                        + " seedEndpoints and env");
            }
            if (progress.isCancelled()) {
                throw new ClusterException("told to end while waiting for " + what);
            }
            progress.waitsFor(what);
            if (now - nextWord >= 0) {
                nextWord = now + TimeUnit.MILLISECONDS.toNanos(TELL_MILLIS);
                LOG.info("waiting to join a cluster: waiting for {}", what);
            }
            pause();
        }
    }

    /**
     * The address of a seed that listens but is not seen. A node with data that sees no member would go on with its own
     * cluster; on a busy machine an answer may take longer than the membership waits for one.
     */
    private Optional<InetSocketAddress> unseen(Cluster cluster, long endNanos) {
        if (claim.clusterId().isPresent() && others(cluster).isEmpty()) {
            for (InetSocketAddress seed : FoundingSeeds.others(
                    cluster.membership().endpoint(), cluster.membership().seeds())) {
                if (System.nanoTime() - endNanos >= 0) {
                    return Optional.empty();
                }
                if (ProcessProbe.takesConnections(seed)) {
                    return Optional.of(seed);
                }
            }
        }
        return Optional.empty();
    }

    private MemberFacts facts(FoundingSeeds seeds) {
        return new MemberFacts(
                claim.clusterId().map(UUID::toString).orElse(""),
                founding,
                settings.zone(),
                seeds.self(),
                founding == Founding.NEVER ? "" : seeds.text());
    }

    private FoundingSeeds seeds(Cluster cluster) {
        return FoundingSeeds.of(
                cluster.membership().endpoint(),
                settings.config().host(),
                settings.config().domainName(),
                cluster.membership().seeds());
    }

    private static List<Member> others(Cluster cluster) {
        String self = cluster.membership().self().nodeId();
        return cluster.membership().members().stream()
                .filter(member -> !member.nodeId().equals(self))
                .toList();
    }

    /** Sleeps between two looks at the members; this thread has nothing else to do. */
    private static void pause() throws ClusterException {
        try {
            Thread.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted while waiting for a cluster to join", e);
        }
    }
}
