package io.godwit.broker.cluster;

import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.link.Links;
import io.godwit.cluster.link.Peer;
import io.godwit.cluster.member.ClusterListener;
import io.godwit.cluster.member.Departure;
import io.godwit.cluster.member.Member;
import io.godwit.dist.member.Members;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.kv.client.Backoff;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Excludes a member that the membership has lost, so that the others go on without it, and then ends the links to it
 * unless it has joined again. This lets publishes that wait for its confirmation be answered. Asks again while the
 * member stays lost. When connections to its address are refused, its process is over, and its clients need not wait
 * for its possible return.
 *
 * <p>After a cut the membership may lose a member that is linked again, and links break once more before they last. So
 * a member that was heard after its loss must be silent for a while. And a node that has lost most members, or
 * gets answers from few, has probably been cut off itself, so it waits before it excludes any.
 */
final class LostMembers implements ClusterListener {
    private static final Logger LOG = LoggerFactory.getLogger(LostMembers.class);
    private static final long AGAIN_MILLIS = 1_000;

    private static final long PROBE_AGAIN_MILLIS = 300;
    /** Number of checks in a row, a second apart, that must not hear a member that was heard after its loss. */
    private static final int SILENT_CHECKS = 3;
    /** Number of checks that a node waits that is cut off from most members. */
    private static final int ALONE_CHECKS = 15;

    /** The members, and an executor for the blocking probes. */
    interface Parts {
        Members members();

        /** Whether the view contains that life in any state. */
        boolean isKnown(NodeLife life);

        /** Whether that life is joining or serving: after an exclusion, that it has come back. */
        boolean isBack(NodeLife life);

        /** Whether this node still receives from that life over its link. */
        boolean isHeard(NodeLife life);

        /** Whether that life serves and no longer returns what this node sends it. */
        boolean isSilent(NodeLife life);

        /** Receives lives whose process is over. */
        void ended(NodeLife life);

        /** Receives lives that the others have excluded. */
        void excluded(NodeLife life);

        void runBlocking(Runnable task);

        /** See {@code ProcessProbe.isOver}. Blocks. */
        boolean isOver(HostPort rpc);
    }

    private final Parts parts;
    private final Members members;
    private final Links links;
    private final LinkIntroductions.Timer timer;
    private final Backoff backoff;
    /** Lost members by node id. The thread of the membership changes it, timers read it. */
    private final Map<String, NodeLife> lost = new ConcurrentHashMap<>();
    /** Lost members whose process is over. */
    private final Set<NodeLife> over = ConcurrentHashMap.newKeySet();

    /** @param random spreads the requests of the survivors, see {@link Backoff} */
    LostMembers(Parts parts, Links links, LinkIntroductions.Timer timer, DoubleSupplier random) {
        this.parts = parts;
        this.members = parts.members();
        this.links = links;
        this.timer = timer;
        this.backoff = new Backoff(AGAIN_MILLIS, AGAIN_MILLIS, random);
    }

    @Override
    public void joined(Member member) {
        NodeLife before = lost.remove(member.nodeId());
        if (before != null) {
            over.remove(before);
        }
    }

    @Override
    public void gone(Member member, Departure departure) {
        if (departure != Departure.LEFT) {
            NodeLife life = new NodeLife(member.nodeId(), member.incarnation());
            NodeLife before = lost.put(member.nodeId(), life);
            if (before != null) {
                over.remove(before);
            }
            exclude(life, 1, ALONE_CHECKS);
            probe(member, life, false);
        }
    }

    /**
     * Probes until the others have evicted the member. It takes two refusals in a row, since a starting process refuses
     * for a moment too.
     */
    private void probe(Member member, NodeLife life, boolean wasRefused) {
        parts.runBlocking(() -> {
            if (!life.equals(lost.get(life.nodeId())) || !parts.isKnown(life)) {
                return;
            }
            boolean isRefused = parts.isOver(member.rpc());
            if (isRefused && wasRefused) {
                LOG.info("process of a lost member is over member={} rpc={}", life, member.rpc());
                over.add(life);
                parts.ended(life);
                end(life);
            } else {
                timer.later(PROBE_AGAIN_MILLIS, () -> probe(member, life, isRefused));
            }
        });
    }

    /**
     * @param silentChecks number of checks in a row, this one included, that must not hear the member
     * @param aloneChecks number of further checks to wait for while this node is cut off from most members
     */
    private void exclude(NodeLife life, int silentChecks, int aloneChecks) {
        if (!life.equals(lost.get(life.nodeId()))) {
            return; // it is back
        }
        if (parts.isHeard(life)) {
            LOG.info("lost member is still connected to others, it is not excluded member={}", life);
            later(life, SILENT_CHECKS, aloneChecks);
        } else if (silentChecks > 1 && !over.contains(life)) {
            LOG.info("lost member was connected until now, it is not excluded yet member={}", life);
            later(life, silentChecks - 1, aloneChecks);
        } else if (aloneChecks > 0 && isAlone() && !over.contains(life)) {
            LOG.info("this node is cut off from most members, it excludes none of them yet member={}", life);
            later(life, 1, aloneChecks - 1);
        } else {
            members.excludeLost(life, "the membership has lost it").whenComplete((done, failure) -> {
                if (failure == null) {
                    parts.excluded(life);
                    endUnlessBack(life);
                } else {
                    LOG.info("lost member not excluded yet member={} cause={}", life, failure.toString());
                    later(life, 1, aloneChecks);
                }
            });
        }
    }

    private void later(NodeLife life, int silentChecks, int aloneChecks) {
        timer.later(backoff.pause(1), () -> exclude(life, silentChecks, aloneChecks));
    }

    /**
     * Whether most of the others are lost or do not answer. The membership reports losses one after the other, so the
     * first ones do not show that this node has lost all. One of two nodes cannot tell, and could not exclude the other
     * anyway.
     */
    private boolean isAlone() {
        Set<NodeLife> others = members.others();
        long gone = others.stream()
                .filter(life -> lost.containsValue(life) || parts.isSilent(life))
                .count();
        return others.size() > 1 && 2 * gone > others.size();
    }

    /** Ending a link excludes the member, so a member that has come back would be excluded a second time. */
    private void endUnlessBack(NodeLife life) {
        if (parts.isBack(life)) {
            LOG.info("lost member has come back, its link stays member={}", life);
        } else {
            end(life);
        }
    }

    private void end(NodeLife life) {
        Peer peer = links.peer(life.nodeId());
        if (peer != null && peer.incarnation() == life.incarnation() && life.equals(lost.get(life.nodeId()))) {
            peer.abandon("the others have gone on without it");
        }
    }
}
