package io.godwit.dist.peer.choice;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.index.TenantIndex;
import io.godwit.dist.index.TopicIndex;
import io.godwit.dist.index.share.SharedGroup;
import io.godwit.dist.index.share.StickyListener;
import io.godwit.dist.peer.filter.FilterKey;
import io.godwit.dist.peer.filter.RemoteMember;
import io.godwit.dist.peer.link.ControlFrames;
import io.godwit.dist.peer.link.PeerTimers;
import io.godwit.dist.wire.PeerFrame;
import io.godwit.dist.wire.StickyChoice;
import io.godwit.dist.wire.StickyChoices;
import io.godwit.dist.wire.StoredMember;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * What sticky groups keep, between nodes. A node that has not used a group would choose another member than those that
 * used it before members joined; so these tell it ({@link SharedGroup#stickToNode}).
 *
 * <p>Reports are gathered for 100 ms. Groups repeat them, so a report may be dropped: when too many wait, and for a
 * peer whose lane is full. Event loops, timers and threads of the links contend for the lock.
 */
public final class StickyReports implements StickyListener {
    static final Duration GATHER = Duration.ofMillis(100);
    /** Groups whose reports may wait. */
    static final int MAX_WAITING = 1_000;

    private static final int MAX_FRAME_BYTES = 32 * 1024;

    private final TopicIndex index;
    private final String nodeId;
    private final PeerTimers timers;
    /** Guarded by this, like the others. */
    private final Map<FilterKey, Receiver> waiting = new LinkedHashMap<>();

    private final Set<Peer> readers = new LinkedHashSet<>();
    private boolean isGathering;

    public StickyReports(TopicIndex index, String nodeId, PeerTimers timers) {
        this.index = index;
        this.nodeId = nodeId;
        this.timers = timers;
    }

    /** The peer understands reports. */
    public synchronized void reads(Peer peer) {
        readers.add(peer);
    }

    public synchronized void over(Peer peer) {
        readers.remove(peer);
    }

    @Override
    public synchronized void keeps(TenantId tenant, TopicFilter filter, Receiver receiver) {
        if (readers.isEmpty()) {
            return;
        }
        FilterKey key = new FilterKey(tenant, filter);
        if (waiting.size() < MAX_WAITING || waiting.containsKey(key)) {
            waiting.put(key, receiver);
        }
        gather();
    }

    private void gather() {
        if (!isGathering) {
            isGathering = true;
            timers.after(GATHER, this::send);
        }
    }

    private synchronized void send() {
        isGathering = false;
        StickyChoices.Builder choices = StickyChoices.newBuilder();
        int bytes = 0;
        Iterator<Map.Entry<FilterKey, Receiver>> first = waiting.entrySet().iterator();
        while (bytes < MAX_FRAME_BYTES && first.hasNext()) {
            Map.Entry<FilterKey, Receiver> next = first.next();
            StickyChoice choice = encode(next.getKey(), next.getValue());
            choices.addChoices(choice);
            bytes += choice.getSerializedSize();
            first.remove();
        }
        if (!waiting.isEmpty()) {
            gather();
        }
        byte[] frame = ControlFrames.encode(
                PeerFrame.newBuilder().setStickyChoices(choices).build());
        for (Peer peer : readers) {
            if (peer.isWritable(Lane.CONTROL)) {
                peer.send(Lane.CONTROL, frame);
            }
        }
    }

    private StickyChoice encode(FilterKey key, Receiver receiver) {
        StickyChoice.Builder choice = StickyChoice.newBuilder()
                .setTenant(key.tenant().value())
                .setFilter(key.filter().text());
        if (receiver instanceof InboxReceiver stored) {
            choice.setStored(StoredMember.newBuilder()
                    .setClientId(stored.clientId().value())
                    .setIncarnation(stored.incarnation()));
        } else {
            choice.setNodeId(
                    receiver instanceof RemoteMember members ? members.peer().nodeId() : nodeId);
        }
        return choice.build();
    }

    /** Fails with {@link IllegalArgumentException} when the frame is invalid. A group that is not known is left out. */
    public void arrived(Peer from, StickyChoices choices) {
        String reporter = RemoteMember.nameOf(from.nodeId());
        for (StickyChoice choice : choices.getChoicesList()) {
            TopicFilter filter = TopicFilter.parse(choice.getFilter())
                    .filter(TopicFilter::isShared)
                    .orElseThrow(() -> new IllegalArgumentException("not a valid shared filter"));
            TenantIndex tenant = index.known(new TenantId(choice.getTenant()));
            SharedGroup group = tenant == null ? null : tenant.group(filter);
            if (tenant != null && group != null) {
                stick(tenant.id(), group, reporter, choice);
            }
        }
    }

    private static void stick(TenantId tenant, SharedGroup group, String reporter, StickyChoice choice) {
        switch (choice.getWhoCase()) {
            case STORED -> {
                StoredMember stored = choice.getStored();
                ClientId clientId = new ClientId(stored.getClientId());
                group.stickToStored(reporter, new InboxReceiver(tenant, clientId, stored.getIncarnation()));
            }
            case NODE_ID -> group.stickToNode(reporter, RemoteMember.nameOf(choice.getNodeId()));
            case WHO_NOT_SET -> {} // another kind of member, of a later release
        }
    }
}
