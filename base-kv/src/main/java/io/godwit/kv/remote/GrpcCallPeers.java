package io.godwit.kv.remote;

import io.godwit.cluster.member.Member;
import io.godwit.cluster.rpc.RpcChannels;
import io.godwit.kv.protocol.NodeProtocol;
import io.godwit.kv.range.leader.RouteToken;
import io.grpc.Channel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The leaders of one store: those on this node are called directly, others by a stream to each node. Called by the
 * executor of a {@link RangeCalls}.
 */
final class GrpcCallPeers implements CallPeers {
    private final RpcChannels channels;
    private final NodeProtocol protocol;
    private final CallFrame.Hello self;
    private final RangeHost local;
    private final Runnable refresh;
    /** Changed by the executor, closed by the thread that closes the store. */
    private final Map<String, Link> links = new ConcurrentHashMap<>();

    /** @param member the other node as it was announced when the version of the stream was last compared with it */
    private record Link(CallStream stream, @Nullable Member member) {}

    private long lastStream;
    private volatile boolean closed;

    /** @param self a hello without version and stream number */
    GrpcCallPeers(
            RpcChannels channels, NodeProtocol protocol, CallFrame.Hello self, RangeHost local, Runnable refresh) {
        this.channels = channels;
        this.protocol = protocol;
        this.self = self;
        this.local = local;
        this.refresh = refresh;
    }

    @Override
    public boolean send(String storeId, RouteToken token, RangeCall call, Consumer<CallReply> answer) {
        if (storeId.equals(self.caller())) {
            local.handle(self.store(), token, call)
                    .whenComplete((value, failure) -> answer.accept(CallReply.of(value, failure)));
            return true;
        }
        CallStream stream = stream(storeId);
        if (stream == null) {
            return false;
        }
        long millisLeft = call.deadline().remainingNanos(System.nanoTime()) / 1_000_000;
        return stream.send(
                new CallFrame.Request(call.kind(), 0, token, millisLeft, call.key(), call.payload(), call.end()),
                answer);
    }

    /** The open stream to a node; null if none can be opened now. */
    @SuppressWarnings("ReferenceEquality") // the announcement changes seldom, and this is called for each request
    private @Nullable CallStream stream(String storeId) {
        Link known = links.get(storeId);
        Link link = known != null && known.stream().isOpen() ? known : null;
        Member member = channels.member(storeId);
        if (link != null && link.member() == member) { // mostly
            return link.stream();
        }
        int version = protocol.agreedWith(member);
        if (link != null && mayKeep(link.stream(), version)) {
            if (link.stream().version() == version) {
                links.put(storeId, new Link(link.stream(), member));
            }
            return link.stream();
        }
        Channel channel = channels.to(storeId);
        // a call queued in gRPC without a connection would be lost with it, and nobody could tell whether it had left
        if (channel == null || !channels.isConnected(storeId) || closed || version == 0) {
            return null;
        }
        if (link != null) {
            link.stream().close();
        }
        CallStream opened = new CallStream(version);
        opened.open(
                channel,
                new CallFrame.Hello(
                        version, self.clusterId(), self.store(), self.caller(), self.incarnation(), ++lastStream));
        links.put(storeId, new Link(opened, member));
        return opened;
    }

    /**
     * A stream may have been opened to a restarted process before its announcement came, with the version of the
     * process before. It is replaced as soon as this loses no call.
     */
    private static boolean mayKeep(CallStream stream, int version) {
        return stream.version() == version || !stream.isIdle();
    }

    @Override
    public void refreshRoutes() {
        refresh.run();
    }

    void close() {
        closed = true;
        links.values().forEach(link -> link.stream().close());
    }
}
