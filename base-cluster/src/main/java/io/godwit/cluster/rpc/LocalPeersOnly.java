package io.godwit.cluster.rpc;

import io.godwit.cluster.trust.LocalPeers;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;

/**
 * Refuses every call on connections that {@link LocalPeers} does not admit. The check is made once per connection,
 * before its first call.
 */
final class LocalPeersOnly extends ServerTransportFilter implements ServerInterceptor {
    private static final Attributes.Key<Boolean> ADMITTED = Attributes.Key.create("io.godwit.cluster.admitted");
    private static final Status REFUSED = Status.PERMISSION_DENIED.withDescription(
            "without certificates a node serves processes of its own user and of root only");

    private final LocalPeers peers;

    private LocalPeersOnly(LocalPeers peers) {
        this.peers = peers;
    }

    static void guard(NettyServerBuilder server, LocalPeers peers) {
        LocalPeersOnly guard = new LocalPeersOnly(peers);
        server.addTransportFilter(guard).intercept(guard);
    }

    @Override
    public Attributes transportReady(Attributes connection) {
        boolean admitted = peers.isAdmitted(
                connection.get(Grpc.TRANSPORT_ATTR_LOCAL_ADDR), connection.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
        return connection.toBuilder().set(ADMITTED, admitted).build();
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (Boolean.TRUE.equals(call.getAttributes().get(ADMITTED))) {
            return next.startCall(call, headers);
        }
        call.close(REFUSED, new Metadata());
        return new ServerCall.Listener<>() {};
    }
}
