package io.godwit.cluster.member;

import java.net.InetAddress;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.JChannel;
import org.jgroups.logging.LogFactory;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.PerDestinationBundler;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.DiagnosticsHandler;
import org.jgroups.util.DefaultThreadFactory;

/**
 * The JGroups protocol stack of a node. Our messages are few and small, so the stack has no flow control and no
 * fragmentation.
 *
 * <ul>
 *   <li>Broken connections between members ({@code enableSuspectEvents}) and silence reveal crashes. FD_SOCK2 is not
 *       used: it opens another port and has no TLS.
 *   <li>A suspected member whose port refuses connections is declared dead at once; any other gets time to answer
 *       ({@link SuspectVerification}).
 *   <li>One sending thread per destination: a member that accepts no connections does not delay the heartbeats to
 *       others.
 *   <li>No virtual threads: blocking TLS sockets pin their carrier threads before Java 24.
 *   <li>Diagnostics are off, because they answer anybody.
 *   <li>No Java deserialization, and few kinds of messages ({@link AcceptedMessages}).
 * </ul>
 */
final class MembershipStack {
    private static final int MAX_THREADS = 32;
    private static final int BUNDLE_BYTES = 16 << 10;
    private static final int BUNDLE_MESSAGES = 512;
    private static final int CONNECT_MILLIS = 1_000;
    static final int LEAVE_MILLIS = 1_000;

    static {
        LogFactory.setCustomLogFactory(JGroupsLog.FACTORY);
        AcceptedMessages.install();
    }

    private MembershipStack() {}

    static JChannel create(
            InetAddress address, int port, MemberSockets sockets, SeedResolver seeds, MembershipTiming timing)
            throws Exception {
        TCP tcp = new TCP();
        tcp.setBindAddress(address).setBindPort(port).setPortRange(0);
        tcp.useVirtualThreads(false);
        tcp.threadNamingPattern("");
        tcp.setSocketFactory(sockets);
        tcp.enableSuspectEvents(true)
                .setSockConnTimeout(CONNECT_MILLIS)
                .tcpNodelay(true)
                .setMaxLength(AcceptedMessages.MAX_MESSAGE_BYTES)
                .logDetails(false);
        tcp.setBufferedInputStreamSize(BUNDLE_BYTES).setBufferedOutputStreamSize(2 * BUNDLE_BYTES);
        tcp.logAcceptError(false); // anyone may connect and use another protocol
        PerDestinationBundler bundler = new PerDestinationBundler();
        bundler.useRingBuffer(false);
        bundler.useSingleSenderThread(false);
        bundler.setCapacity(BUNDLE_MESSAGES);
        bundler.setMaxSize(BUNDLE_BYTES);
        tcp.setBundler(bundler);
        tcp.getThreadPool().setMinThreads(0).setMaxThreads(MAX_THREADS).setThreadDumpsEnabled(false);
        tcp.setDiagnosticsHandler(new DiagnosticsHandler(
                        LogFactory.getLog(TCP.class), sockets, new DefaultThreadFactory("diagnostics", true))
                .setEnabled(false));
        NAKACK2 multicast = new NAKACK2().useMcastXmit(false);
        multicast.logDiscardMessages(false); // else each message of a member declared dead would be logged
        return new JChannel(
                tcp,
                new SeedDiscovery(seeds::addresses),
                new MERGE3().setMinInterval(timing.mergeMin()).setMaxInterval(timing.mergeMax()),
                new FD_ALL3().setTimeout(timing.silence()).setInterval(timing.heartbeat()),
                new SuspectVerification().setTimeout(timing.verify()),
                multicast,
                new UNICAST3(),
                new STABLE(),
                new GMS()
                        .setJoinTimeout(timing.join())
                        .setLeaveTimeout(LEAVE_MILLIS)
                        .setMergeTimeout(timing.merge())
                        .printLocalAddress(false));
    }

    /**
     * Makes JGroups suspect {@code member} as if its connection had broken: it must answer or is removed from the
     * group. Any thread; does not block.
     */
    static void suspect(JChannel channel, Address member) {
        TP transport = channel.getProtocolStack().getTransport();
        transport
                .getThreadPool()
                .execute(() -> transport.getUpProtocol().up(new Event(Event.SUSPECT, List.of(member))));
    }
}
