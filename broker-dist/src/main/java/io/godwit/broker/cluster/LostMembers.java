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
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Excludes a member that the membership has lost, so that the others go on without it, and then ends the links to it
 * unless it has joined again. This lets publishes that wait for its confirmation be answered. Asks again while the
 * member stays lost. When connections to its address are refused, its process is over, and its clients need not wait
 * for its possible return.
 */
final class LostMembers implements ClusterListener {
    private static final Logger LOG = LoggerFactory.getLogger(LostMembers.class);
    private static final long AGAIN_MILLIS = 1_000;

    private static final long PROBE_AGAIN_MILLIS = 300;

    /** The members, and an executor for the blocking probes. */
    interface Parts {
        Members members();

        /** Whether the view contains that life in any state. */
        boolean isKnown(NodeLife life);

        /** Whether that life is joining or serving: after an exclusion, that it has come back. */
        boolean isBack(NodeLife life);

        /** Whether this node still receives from that life over its link. */
        boolean isHeard(NodeLife life);

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
        lost.remove(member.nodeId());
    }

    @Override
    public void gone(Member member, Departure departure) {
        if (departure != Departure.LEFT) {
            NodeLife life = new NodeLife(member.nodeId(), member.incarnation());
            lost.put(member.nodeId(), life);
            exclude(life);
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
                parts.ended(life);
                end(life);
            } else {
                timer.later(PROBE_AGAIN_MILLIS, () -> probe(member, life, isRefused));
            }
        });
    }

    private void exclude(NodeLife life) {
        if (!life.equals(lost.get(life.nodeId()))) {
            return; // it is back
        }
        if (parts.isHeard(life)) {
            LOG.info("lost member is still connected to others, it is not excluded member={}", life);
            timer.later(backoff.pause(1), () -> exclude(life));
            return;
        }
        members.excludeLost(life, "the membership has lost it").whenComplete((done, failure) -> {
            if (failure == null) {
                parts.excluded(life);
                endUnlessBack(life);
            } else {
                LOG.info("lost member not excluded yet member={} cause={}", life, failure.toString());
                timer.later(backoff.pause(1), () -> exclude(life));
            }
        });
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
