package io.godwit.kv.remote;

import io.godwit.cluster.rpc.RpcChannels;
import io.godwit.kv.range.leader.RouteToken;
import io.grpc.Channel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The leaders of one store: those on this node are called directly, others by a stream to each node. Called by the
 * executor of a {@link RangeCalls}.
 */
final class GrpcCallPeers implements CallPeers {
    private final RpcChannels channels;
    private final CallFrame.Hello self;
    private final RangeHost local;
    private final Runnable refresh;
    /** Changed by the executor, closed by the thread that closes the store. */
    private final Map<String, CallStream> streams = new ConcurrentHashMap<>();

    private long lastStream;
    private volatile boolean closed;

    /** @param self a hello without a stream number */
    GrpcCallPeers(RpcChannels channels, CallFrame.Hello self, RangeHost local, Runnable refresh) {
        this.channels = channels;
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
        CallStream stream = streams.get(storeId);
        if (stream == null || !stream.isOpen()) {
            Channel channel = channels.to(storeId);
            // a call queued in gRPC without a connection would be lost with it, and nobody could tell whether it had
            // left
            if (channel == null || !channels.isConnected(storeId) || closed) {
                return false;
            }
            stream = new CallStream();
            stream.open(
                    channel,
                    new CallFrame.Hello(
                            self.clusterId(), self.store(), self.caller(), self.incarnation(), ++lastStream));
            streams.put(storeId, stream);
        }
        long millisLeft = call.deadline().remainingNanos(System.nanoTime()) / 1_000_000;
        return stream.send(
                new CallFrame.Request(
                        CallFrame.numberOf(call.kind()),
                        call.number(),
                        token,
                        millisLeft,
                        call.key(),
                        call.payload(),
                        call.end()),
                answer);
    }

    @Override
    public void refreshRoutes() {
        refresh.run();
    }

    void close() {
        closed = true;
        streams.values().forEach(CallStream::close);
    }
}
