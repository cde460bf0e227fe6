package io.godwit.kv;

import io.godwit.cluster.Cluster;
import io.godwit.cluster.ClusterException;
import io.godwit.cluster.Member;
import io.godwit.cluster.NodeIdentity;
import io.godwit.kv.raft.DataDirectory;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a node comes into its cluster, on the thread that opens it, which waits:
 *
 * <ol>
 *   <li>the data directory is claimed; a higher incarnation is made durable if there is data ({@link DataDirectory})
 *   <li>the RPC port is opened and the membership joined; the node tells which cluster its data is of, or that it has
 *       none
 *   <li>{@link JoinRule} decides by what the others tell; a node without data, that is not to found a cluster, waits
 *       for one that knows
 *   <li>{@code FORMAT} is written if there was no data: the cluster's id before anything else
 *   <li>the node tells its cluster id; from here on the others count it in
 * </ol>
 *
 * <p>A node that is refused has written nothing but the incarnation. A crash before the fourth step leaves an empty
 * directory, one behind it a node of the cluster without ranges, which is given some.
 */
final class ClusterEntry {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterEntry.class);
    private static final long LOOK_MILLIS = 200;
    private static final long TELL_MILLIS = 10_000;

    private final ClusterSettings settings;
    private final DataDirectory.Claim claim;
    private final JoinRule rule;
    private final boolean isFounder;

    /** A node that is in. */
    record Entered(Cluster cluster, DataDirectory directory, long incarnation) {}

    /** @param claim passes to what {@link #enter} returns; stays the caller's if that fails */
    ClusterEntry(KvNodeConfig config, ClusterSettings settings, DataDirectory.Claim claim) {
        this.settings = settings;
        this.claim = claim;
        this.isFounder = config.bootstrap() && claim.clusterId().isEmpty();
        this.rule = new JoinRule(
                config.dataDirectory(),
                settings.config().env(),
                claim.storeId().toString(),
                claim.clusterId().map(UUID::toString),
                isFounder);
    }

    /**
     * @throws ClusterException saying why the node may not be a member, for the operator
     * @throws IOException if the directory cannot be written
     */
    Entered enter() throws IOException {
        long incarnation = claim.nextIncarnation();
        String known = claim.clusterId().map(UUID::toString).orElse("");
        MemberFacts facts = new MemberFacts(known, isFounder, settings.zone());
        Cluster cluster = Cluster.open(
                settings.config(),
                new NodeIdentity(claim.storeId().toString(), incarnation, settings.version(), facts.attributes()));
        try {
            await(cluster.start());
            String clusterId = decide(cluster);
            DataDirectory directory = claim.open(UUID.fromString(clusterId));
            cluster.membership().announce(new MemberFacts(clusterId, false, settings.zone()).attributes());
            LOG.info(
                    "node of the cluster cluster={} store={} incarnation={} fresh={}",
                    clusterId,
                    claim.storeId(),
                    incarnation,
                    directory.isFresh());
            return new Entered(cluster, directory, incarnation);
        } catch (IOException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private static void await(CompletableFuture<Void> joined) throws ClusterException {
        try {
            joined.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ClusterException own
                    ? own
                    : new ClusterException("not joined: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted while joining", e);
        }
    }

    private String decide(Cluster cluster) throws ClusterException {
        long end = System.nanoTime() + settings.joinTimeout().toNanos();
        long nextWord = System.nanoTime();
        String founded = UUID.randomUUID().toString();
        while (true) {
            JoinRule.Decision decision = rule.decide(others(cluster), () -> founded);
            if (decision instanceof JoinRule.Belong belong) {
                return belong.clusterId();
            }
            if (decision instanceof JoinRule.Refuse refused) {
                throw new ClusterException(refused.why());
            }
            String why = decision instanceof JoinRule.Wait waiting ? waiting.why() : decision.toString();
            long now = System.nanoTime();
            if (now - end >= 0) {
                throw new ClusterException(
                        "no cluster to join within " + settings.joinTimeout().toSeconds() + " s: " + why
                                + ". Start the node with bootstrap true, or check clusterConfig.seedEndpoints and env");
            }
            if (now - nextWord >= 0) {
                nextWord = now + TimeUnit.MILLISECONDS.toNanos(TELL_MILLIS);
                LOG.info("waiting for a cluster to join cause={}", why);
            }
            pause();
        }
    }

    private static List<Member> others(Cluster cluster) {
        String self = cluster.membership().self().nodeId();
        return cluster.membership().members().stream()
                .filter(member -> !member.nodeId().equals(self))
                .toList();
    }

    /** Between two looks at the members: this thread has nothing else to do. */
    private static void pause() throws ClusterException {
        try {
            Thread.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted while waiting for a cluster to join", e);
        }
    }
}
