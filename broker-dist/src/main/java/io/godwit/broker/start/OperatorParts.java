package io.godwit.broker.start;

import io.godwit.broker.admin.Admin;
import io.godwit.broker.admin.rpc.AdminService;
import io.godwit.broker.admin.steering.OperatorCalls;
import io.godwit.broker.admin.steering.SettingsSteering;
import io.godwit.broker.admin.steering.StoreSteering;
import io.godwit.broker.auth.FileAuth;
import io.godwit.broker.clients.ClusterClients;
import io.godwit.broker.clients.ClusterNodes;
import io.godwit.broker.clients.SessionsOverNodes;
import io.godwit.broker.effective.AuthProviders;
import io.godwit.broker.messages.RetainedOverNodes;
import io.godwit.broker.metrics.RmqttStats;
import io.godwit.broker.records.EndedRecords;
import io.godwit.broker.records.OperatorBans;
import io.godwit.broker.records.OperatorTokens;
import io.godwit.broker.records.OperatorUsers;
import io.godwit.broker.report.Reporting;
import io.godwit.broker.store.DelayedOverNodes;
import io.godwit.broker.watch.ClusterWatch;
import io.godwit.broker.watch.top.ClusterTop;
import io.godwit.cluster.Cluster;
import io.godwit.cluster.rpc.LocalRpcServer;
import io.godwit.inbox.InboxStore;
import io.godwit.inbox.client.catalog.SessionCatalog;
import io.godwit.kv.KvNode;
import io.godwit.mqtt.MqttServer;
import io.godwit.plugin.auth.AuthProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * What operators see and change through this node of a {@code Broker}. Fills the ports for the API. Used by the
 * starting thread.
 *
 * <p>In the order of the start: {@link #serveCommands} when the node is open - {@link #acceptTokens} when the dist
 * store serves - {@link #serveClients} before the listeners open.
 */
public final class OperatorParts {
    private final StartContext context;
    private final OpenedParts opened;
    private final ServedPorts ports;
    private final KvNode node;

    public OperatorParts(StartContext context, KvNode node) {
        this.context = context;
        this.opened = context.opened();
        this.ports = context.ports();
        this.node = node;
    }

    /** Called early: an operator may have to repair the very condition that delays the start. */
    public void serveCommands(BrokerFacts told) throws IOException {
        Cluster cluster = node.cluster().orElse(null);
        AdminService service = new AdminService(
                node.operations(),
                node.backups(),
                nodeId -> cluster == null ? null : cluster.channels().to(nodeId),
                told);
        opened.push(service);
        if (cluster != null) {
            cluster.server().add(service.definition());
        }
        Path access = context.data().resolve(Admin.ACCESS_FILE);
        opened.push(LocalRpcServer.start(List.of(service.definition()), access));
        OperatorCalls calls = OperatorCalls.to(access);
        opened.push(calls);
        StoreSteering steering = new StoreSteering(calls);
        opened.push(steering);
        ports.stores.set(steering);
        ports.settings.set(new SettingsSteering(calls));
    }

    public OperatorTokens acceptTokens(MqttStores stores) {
        OperatorTokens accepted = new OperatorTokens(stores.dist().records(), stores.clock()::millis);
        ports.tokens.set(accepted);
        return accepted;
    }

    /** Serves clients, figures, bans, users, sessions and messages; any node can answer for all nodes. */
    public void serveClients(MqttStores stores, MqttFrontEnd front, AuthProvider auth, OperatorTokens accepted) {
        SessionCatalog catalog = InboxStore.catalog(stores.inboxRanges().client(), stores.clock()::millis);
        ClusterClients asked = serveConnections(stores, front.server(), catalog);
        serveBans(stores, front.server(), asked, accepted);
        FileAuth files = AuthProviders.files(auth).orElse(null);
        if (files != null) {
            OperatorUsers known = new OperatorUsers(stores.dist().records(), files, stores.clock()::millis);
            opened.push(known);
            ports.users.set(known);
        }
        ports.sessions.set(new SessionsOverNodes(
                catalog, stores.inbox(), stores.inboxRanges().leaders(), stores.self()));
        ports.delayedMessages.set(new DelayedOverNodes(catalog, stores.inbox(), stores.delayed()));
        ports.retained.set(
                new RetainedOverNodes(front.retained(), front.topics().rules(), stores.clock()::millis));
    }

    private ClusterClients serveConnections(MqttStores stores, MqttServer server, SessionCatalog catalog) {
        ClusterNodes nodes = stores.nodes();
        ClusterClients made = new ClusterClients(server, new TopicsHere(stores.dist()), catalog, nodes);
        opened.push(made);
        node.cluster().ifPresent(cluster -> cluster.server().add(made.service()));
        ports.clients.set(made.admin());
        ports.subscriptions.set(made.subscriptions());
        ports.onBehalf.set(made.onBehalf());
        Reporting reporting = context.reporting();
        RmqttStats counted = RmqttStats.of(node, reporting.meters(), nodes, stores.clock()::millis);
        opened.push(counted);
        node.cluster().ifPresent(cluster -> cluster.server().add(counted.service()));
        counted.start();
        ports.figures.set(counted);
        ports.history.set(counted);
        ClusterWatch watching = new ClusterWatch(reporting.events(), reporting.traces(), nodes);
        opened.push(watching);
        ClusterTop counting = new ClusterTop(server, nodes);
        opened.push(counting);
        node.cluster().ifPresent(cluster -> cluster.server().add(watching.service(counting)));
        ports.watches.set(watching);
        ports.top.set(counting);
        return made;
    }

    /** Called before the listeners open, so that a banned client never gets in. */
    private void serveBans(MqttStores stores, MqttServer server, ClusterClients all, OperatorTokens accepted) {
        OperatorBans made = new OperatorBans(stores.dist().records(), server.operatorBans(), stores.clock()::millis);
        String self = stores.self();
        EndedRecords ended = new EndedRecords(
                stores.dist().records(),
                made,
                accepted,
                () -> stores.others() == null
                        || stores.dist().members().get().serving().stream()
                                .findFirst()
                                .map(first -> first.nodeId().equals(self))
                                .orElse(false),
                stores.clock()::millis);
        opened.push(ended);
        ended.start();
        ports.bans.set(all.bans(made, stores.clock()::millis));
    }
}
