package io.godwit.inbox.carrier;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.testing.MemoryLinks;
import io.godwit.inbox.carrier.home.HomeSettings;
import io.godwit.inbox.carrier.peer.AgreedMembers;
import io.godwit.inbox.protocol.InboxHome;
import io.godwit.kv.client.Leaders;
import io.godwit.kv.client.WaitReports;
import io.godwit.kv.testing.InMemoryRangeHost;
import java.util.function.Supplier;

/** The peers of a node in a test, with the links, the clock and the timers of the test. */
public final class TestPeers {
    private TestPeers() {}

    public static InboxPeers linked(
            MemoryLinks links,
            Leaders leaders,
            Supplier<? extends InboxHome> newHome,
            AgreedMembers members,
            HomeSettings settings,
            WaitReports reports,
            InMemoryRangeHost host) {
        InboxPeers peers = new InboxPeers(
                leaders, newHome, members, settings, reports, host::nanoTime, host::nowMillis, host::schedule);
        links.receive(Lane.INBOX_UP, peers::receiveUp);
        links.receive(Lane.INBOX_DOWN, peers::receiveDown);
        links.addListener(peers.linkListener());
        return peers;
    }
}
