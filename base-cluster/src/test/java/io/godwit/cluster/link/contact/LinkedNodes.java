package io.godwit.cluster.link.contact;

import io.godwit.cluster.link.LinkSettings;
import io.godwit.cluster.link.Links;
import io.godwit.cluster.link.Peer;
import io.godwit.cluster.link.message.LinkVersions;
import io.godwit.cluster.link.stream.LinkRuntime;
import io.godwit.cluster.member.Departure;
import io.godwit.cluster.member.Member;
import io.godwit.cluster.member.NodeIdentity;
import io.godwit.cluster.rpc.RpcMesh;
import io.godwit.testing.Await;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** Nodes in this process that are linked over gRPC at the loopback address; the test decides who is a member. */
public final class LinkedNodes implements AutoCloseable {
    public static final int MAX_FRAME_BYTES = 32 << 20;

    private final RpcMesh mesh = new RpcMesh(MAX_FRAME_BYTES + (1 << 20));
    private final Map<String, PeerLinks> links = new TreeMap<>();
    private final Map<String, Member> members = new ConcurrentSkipListMap<>();
    private final AtomicLong shiftNanos = new AtomicLong();
    private final LinkSettings settings;
    private final int maxFrameBytes;

    public LinkedNodes() {
        this(LinkSettings.of("test"), MAX_FRAME_BYTES);
    }

    public LinkedNodes(LinkSettings settings, int maxFrameBytes) {
        this.settings = settings;
        this.maxFrameBytes = maxFrameBytes;
    }

    /** Opens a node that is not a member yet and does not dial. */
    public PeerLinks open(String id) throws IOException {
        return open(id, LinkVersions.CURRENT, maxFrameBytes);
    }

    /** Opens a node of another release or configuration. */
    public PeerLinks open(String id, LinkVersions versions, int acceptedBytes) throws IOException {
        RpcMesh.Node node = mesh.start(id, made -> {});
        LinkRuntime runtime = new LinkRuntime(node.server(), node.channels(), settings.threads());
        PeerLinks made = new PeerLinks(
                new PeerLinks.Ground(
                        new NodeIdentity(id, node.self().incarnation(), "1", Map.of()),
                        settings,
                        versions,
                        acceptedBytes,
                        runtime.carrier(),
                        () -> List.copyOf(members.values()),
                        runtime.thread(),
                        runtime.pool(),
                        runtime.control(),
                        () -> System.nanoTime() + shiftNanos.get()),
                runtime);
        links.put(id, made);
        return made;
    }

    /** Makes the node a member. */
    public void join(String id) {
        members.put(id, mesh.node(id).self());
        PeerLinks node = links.get(id);
        if (node != null) {
            node.start();
        }
        links.values().forEach(PeerLinks::tick);
    }

    /** Starts a member whose links are played by the test. */
    public RpcMesh.Node stranger(String id) throws IOException {
        RpcMesh.Node node = mesh.start(id, made -> {});
        members.put(id, node.self());
        return node;
    }

    public Member member(String id) {
        return mesh.node(id).self();
    }

    public void cut(String one, String other) {
        mesh.cut(one, other);
    }

    public void mend(String one, String other) {
        mesh.heal(one, other);
    }

    /** Simulates kill -9. */
    void kill(String id) {
        Member gone = members.remove(id);
        links.remove(id);
        mesh.kill(id);
        links.values().forEach(each -> each.following().gone(gone, Departure.CRASHED));
    }

    public void left(String id) {
        Member gone = members.remove(id);
        links.values().forEach(each -> each.following().gone(gone, Departure.LEFT));
    }

    void pass(long nanos) {
        shiftNanos.addAndGet(nanos);
    }

    public static Peer awaitPeer(Links from, String id) {
        Await.until("link to " + id, () -> {
            Peer peer = from.peer(id);
            return peer != null && peer.isConnected();
        });
        Peer peer = from.peer(id);
        if (peer == null) {
            throw new AssertionError("no peer " + id);
        }
        return peer;
    }

    @Override
    public void close() {
        links.values().forEach(PeerLinks::close);
        mesh.close();
    }
}
