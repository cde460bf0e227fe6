package io.godwit.broker.start;

import io.godwit.broker.clients.ClusterNodes;
import io.godwit.broker.cluster.Late;
import io.godwit.broker.cluster.LeadershipHandover;
import io.godwit.broker.cluster.MqttCluster;
import io.godwit.broker.cluster.NodeWaits;
import io.godwit.broker.effective.BalanceSettings;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.BrokerSettings;
import io.godwit.broker.effective.PluginLoader;
import io.godwit.broker.effective.TenantsOf;
import io.godwit.broker.report.Reporting;
import io.godwit.broker.store.DelayedMessages;
import io.godwit.broker.store.DelayedRoom;
import io.godwit.broker.store.InboxDeliverer;
import io.godwit.broker.store.StorePublisher;
import io.godwit.dist.DistWorker;
import io.godwit.dist.client.Delayer;
import io.godwit.inbox.InboxOutlets;
import io.godwit.inbox.InboxStore;
import io.godwit.inbox.client.InboxClient;
import io.godwit.kv.KvNode;
import io.godwit.kv.KvStore;
import io.godwit.kv.coprocessor.SteadyClock;
import io.godwit.mqtt.MqttServer;
import io.godwit.retain.RetainStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The dist, the retain and the inbox store of a {@code Broker}, with the cluster side that connects them to those of
 * other nodes. Wires them to each other; decides nothing itself. Used by the starting thread; the parts it returns have
 * their own rules.
 *
 * <p>In the order of the start: {@link #open} for the dist and the retain store - {@link #openInboxes} when both serve,
 * since the leaders of inboxes may publish wills at once - {@link #deliverTo} before the listeners open.
 */
public final class MqttStores {
    private final BrokerConfig config;
    private final Reporting reporting;
    private final OpenedParts opened;
    private final KvNode node;
    private final PluginLoader plugins;
    private final SteadyClock clock = SteadyClock.system();
    private final Late<MqttServer> mqtt = new Late<>();
    private final Late<InboxClient> inbox = new Late<>();
    private final Late<KvStore> distRanges = new Late<>();
    private final Late<KvStore> retainRanges = new Late<>();
    private final Late<KvStore> inboxRanges = new Late<>();
    private final Late<InboxStore> inboxStore = new Late<>();
    private final boolean delays;
    private final DelayedRoom delayedRoom;
    private final DelayedMessages delayed;
    private final NodeWaits waits;
    private final @Nullable MqttCluster others;
    private final DistWorker dist;
    private final RetainStore retain;

    /** @throws IOException if the certificates of the cluster cannot be read */
    public MqttStores(StartContext context, KvNode node, PluginLoader plugins) throws IOException {
        this.config = context.config();
        this.reporting = context.reporting();
        this.opened = context.opened();
        this.node = node;
        this.plugins = plugins;
        this.delays = config.topics().delayedPublish().maxSeconds() > 0;
        this.delayedRoom = new DelayedRoom(
                () -> inboxStore.get().countedRecords(),
                tenant -> inboxStore.get().countedRecords(tenant),
                config.topics().delayedPublish().maxMessages());
        this.delayed = new DelayedMessages(inbox, delayedRoom);
        this.waits = new NodeWaits(config.cluster().waits(), reporting.events(), reporting.meters());
        this.others = node.cluster().isPresent()
                ? MqttCluster.open(node.cluster().get(), node.operations().clusterId(), waits)
                : null;
        this.dist = new DistWorker(
                BrokerSettings.dist(config),
                () -> distRanges.get().client(),
                reporting.traces().live(delivery -> mqtt.get().liveDeliverer().deliver(delivery)),
                new InboxDeliverer(inbox, reporting.traces()),
                delays ? delayed : Delayer.NONE,
                reporting.events(),
                reporting.meters(),
                others == null
                        ? null
                        : others.parts(clock::millis, config.cluster().maxLiveFilterBytes()));
        if (others != null) {
            opened.push(others);
        }
        this.retain = new RetainStore(
                BrokerSettings.retain(config),
                () -> retainRanges.get().client(),
                clock::millis,
                reporting.events(),
                reporting.meters());
    }

    /** Opens the dist and the retain store. They may not serve yet when this returns. */
    public void open() throws IOException {
        distRanges.set(node.open(BalanceSettings.DIST.store(dist.coprocessorFactory(), List.of(), config, plugins)));
        retainRanges.set(
                node.open(BalanceSettings.RETAIN.store(retain.coprocessorFactory(), List.of(), config, plugins)));
        dist.start();
        opened.push(dist);
        if (others != null) {
            others.members(dist, distRanges.get(), reporting.events(), reporting.meters());
        }
        retain.start();
        opened.push(retain);
    }

    /** Opens the inbox store and the links to other nodes. The store may not serve yet when this returns. */
    public void openInboxes(Serving serving) throws IOException {
        StorePublisher outlet = new StorePublisher(dist::client, retain::client, delayed, delays);
        inboxStore.set(new InboxStore(
                BrokerSettings.inbox(config),
                new InboxOutlets(outlet, outlet, outlet),
                DelayedMessages::isKeeper,
                config.topics().sysIntervalSeconds() > 0 || TenantsOf.countSessions(config),
                reporting.events(),
                reporting.meters(),
                others == null ? Duration.ZERO : waits.connection(),
                others == null ? Integer.MAX_VALUE : config.cluster().lostWillsPerSecond()));
        List<byte[]> splitKeys = InboxStore.splitKeys(config.properties().initialRanges());
        // on start a leader publishes messages that were stored but not distributed, and needs the inbox client for it
        inboxRanges.set(node.open(
                BalanceSettings.INBOX.store(inboxStore.get().coprocessorFactory(), splitKeys, config, plugins),
                ranges -> inbox.set(
                        others == null
                                ? inboxStore.get().client(ranges.client())
                                : others.inbox(inboxStore.get(), ranges, clock::millis, reporting.meters()))));
        if (others != null) {
            others.link();
            opened.push(others::leave);
            Runnable handOver =
                    () -> LeadershipHandover.handOver(node.operations(), waits.handOver(), waits::notHandedOver);
            serving.handOver(handOver);
            opened.push(handOver::run);
        }
    }

    /** Called before the listeners open. */
    void deliverTo(MqttServer server) {
        mqtt.set(server);
    }

    /** The clock of the stores. */
    SteadyClock clock() {
        return clock;
    }

    /** The id of this node. */
    String self() {
        return node.operations().self();
    }

    KvNode node() {
        return node;
    }

    /** The cluster side; null on a node without a cluster. */
    @Nullable
    public MqttCluster others() {
        return others;
    }

    /** The nodes to ask about clients and figures. */
    ClusterNodes nodes() {
        return others == null ? ClusterNodes.alone(self()) : others.nodes();
    }

    DistWorker dist() {
        return dist;
    }

    RetainStore retain() {
        return retain;
    }

    DelayedMessages delayed() {
        return delayed;
    }

    DelayedRoom delayedRoom() {
        return delayedRoom;
    }

    /** Usable after {@link #openInboxes}; so are those below. */
    InboxStore inboxes() {
        return inboxStore.get();
    }

    InboxClient inbox() {
        return inbox.get();
    }

    KvStore inboxRanges() {
        return inboxRanges.get();
    }
}
