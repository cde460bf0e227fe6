package io.godwit.broker;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * The order of the packages of each module: which ones use which, as the tables of ARCHITECTURE.md say.
 * {@link LayeringTest} checks these rules with its own, because reading all classes takes longer than all rules.
 */
final class PackageLayers {
    /**
     * The stored form of inboxes does not depend on the code that decides about them, and so on upwards
     * (docs/adr/0061).
     */
    @ArchTest
    static final ArchRule inboxPackagesUseThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.godwit.inbox..")
            .layer("values")
            .definedBy("io.godwit.inbox.client..", "io.godwit.inbox.protocol..", "io.godwit.inbox.expiry..")
            .layer("format")
            .definedBy("io.godwit.inbox.format..")
            .layer("report")
            .definedBy("io.godwit.inbox.report..")
            .layer("ledger")
            .definedBy("io.godwit.inbox.ledger..")
            .layer("local")
            .definedBy("io.godwit.inbox.local..")
            .layer("leader")
            .definedBy("io.godwit.inbox.leader..")
            .layer("entry")
            .definedBy("io.godwit.inbox")
            .layer("carriers")
            .definedBy("io.godwit.inbox.carrier..", "io.godwit.inbox.session..", "io.godwit.inbox.edge..")
            .whereLayer("values")
            .mayNotAccessAnyLayer()
            .whereLayer("format")
            .mayOnlyAccessLayers("values")
            .whereLayer("report")
            .mayOnlyAccessLayers("values", "format")
            .whereLayer("ledger")
            .mayOnlyAccessLayers("values", "format", "report")
            .whereLayer("local")
            .mayOnlyAccessLayers("values", "format", "report")
            .whereLayer("leader")
            .mayOnlyBeAccessedByLayers("entry");

    /** What a client does with its own session does not depend on the lists of operators. */
    @ArchTest
    static final ArchRule inboxClientPackagesUseThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.godwit.inbox.client..")
            .layer("catalog")
            .definedBy("io.godwit.inbox.client.catalog..")
            .layer("sessions")
            .definedBy("io.godwit.inbox.client")
            .whereLayer("sessions")
            .mayNotAccessAnyLayer();

    /** What is stored does not depend on the questions of operators. */
    @ArchTest
    static final ArchRule inboxFormatPackagesUseThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.godwit.inbox.format..")
            .layer("query")
            .definedBy("io.godwit.inbox.format.query..")
            .layer("stored")
            .definedBy("io.godwit.inbox.format")
            .whereLayer("stored")
            .mayNotAccessAnyLayer();

    /** The memory of a leader does not depend on its decisions, nor the end of a session on its commands. */
    @ArchTest
    static final ArchRule inboxLeaderPackagesUseThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.godwit.inbox.leader..")
            .layer("queue")
            .definedBy("io.godwit.inbox.leader.queue..")
            .layer("session")
            .definedBy("io.godwit.inbox.leader.session..")
            .layer("delivery")
            .definedBy("io.godwit.inbox.leader.delivery..")
            .layer("state")
            .definedBy("io.godwit.inbox.leader.state..")
            .layer("qos")
            .definedBy("io.godwit.inbox.leader.qos..")
            .layer("end")
            .definedBy("io.godwit.inbox.leader.end..")
            .layer("command")
            .definedBy("io.godwit.inbox.leader.command..")
            .layer("whole")
            .definedBy("io.godwit.inbox.leader")
            .whereLayer("queue")
            .mayNotAccessAnyLayer()
            .whereLayer("session")
            .mayOnlyAccessLayers("queue")
            .whereLayer("delivery")
            .mayOnlyAccessLayers("queue")
            .whereLayer("state")
            .mayOnlyAccessLayers("queue", "session", "delivery")
            .whereLayer("qos")
            .mayOnlyAccessLayers("queue", "session", "delivery", "state")
            .whereLayer("end")
            .mayOnlyAccessLayers("queue", "session", "delivery", "state", "qos")
            .whereLayer("command")
            .mayOnlyBeAccessedByLayers("whole");

    /** Both ends of a link to a peer do not depend on who leads an inbox, nor the other way round. */
    @ArchTest
    static final ArchRule carrierPackagesUseThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.godwit.inbox.carrier..")
            .layer("link")
            .definedBy("io.godwit.inbox.carrier.link..")
            .layer("peer")
            .definedBy("io.godwit.inbox.carrier.peer..")
            .layer("home")
            .definedBy("io.godwit.inbox.carrier.home..")
            .layer("whole")
            .definedBy("io.godwit.inbox.carrier")
            .whereLayer("link")
            .mayNotAccessAnyLayer()
            .whereLayer("peer")
            .mayOnlyAccessLayers("link")
            .whereLayer("home")
            .mayOnlyAccessLayers("link");

    /** Claims on client ids and their owners meet only in the messages of both. */
    @ArchTest
    static final ArchRule directoryPackagesUseThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.godwit.inbox.session..")
            .layer("port")
            .definedBy("io.godwit.inbox.session.port..")
            .layer("claim")
            .definedBy("io.godwit.inbox.session.claim..")
            .layer("owner")
            .definedBy("io.godwit.inbox.session.owner..")
            .layer("frame")
            .definedBy("io.godwit.inbox.session.frame..")
            .layer("whole")
            .definedBy("io.godwit.inbox.session")
            .whereLayer("port")
            .mayNotAccessAnyLayer()
            .whereLayer("claim")
            .mayOnlyAccessLayers("port")
            .whereLayer("owner")
            .mayOnlyAccessLayers("port")
            .whereLayer("frame")
            .mayOnlyAccessLayers("port");

    /** The view of members does not depend on how a node joins, proves that it serves, or excludes another. */
    @ArchTest
    static final ArchRule distMembersUseTheirView = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.godwit.dist.member..")
            .layer("members")
            .definedBy("io.godwit.dist.member")
            .layer("view")
            .definedBy("io.godwit.dist.member.view..")
            .whereLayer("view")
            .mayNotAccessAnyLayer();

    /** The membership does not depend on RPC, nor both on the links, and so on downwards. */
    @ArchTest
    static final ArchRule clusterPackagesUseThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.godwit.cluster..")
            .layer("links")
            .definedBy("io.godwit.cluster.link..")
            .layer("whole")
            .definedBy("io.godwit.cluster")
            .layer("rpc")
            .definedBy("io.godwit.cluster.rpc..")
            .layer("member")
            .definedBy("io.godwit.cluster.member..")
            .layer("trust")
            .definedBy("io.godwit.cluster.trust..")
            .layer("thread")
            .definedBy("io.godwit.cluster.thread..")
            .layer("config")
            .definedBy("io.godwit.cluster.config..")
            .whereLayer("links")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("whole")
            .mayOnlyBeAccessedByLayers("links")
            .whereLayer("rpc")
            .mayOnlyAccessLayers("member", "trust", "thread", "config")
            .whereLayer("member")
            .mayOnlyAccessLayers("trust", "thread", "config")
            .whereLayer("trust")
            .mayOnlyAccessLayers("config")
            .whereLayer("thread")
            .mayNotAccessAnyLayer()
            .whereLayer("config")
            .mayNotAccessAnyLayer();

    /** A pairing does not depend on which nodes are linked, nor a connection on its pairing. */
    @ArchTest
    static final ArchRule linkPackagesUseThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.godwit.cluster.link..")
            .layer("contact")
            .definedBy("io.godwit.cluster.link.contact..")
            .layer("pairing")
            .definedBy("io.godwit.cluster.link.pairing..")
            .layer("connection")
            .definedBy("io.godwit.cluster.link.connection..")
            .layer("stream")
            .definedBy("io.godwit.cluster.link.stream..")
            .layer("message")
            .definedBy("io.godwit.cluster.link.message..")
            .layer("values")
            .definedBy("io.godwit.cluster.link")
            .layer("wire")
            .definedBy("io.godwit.cluster.link.wire..")
            .whereLayer("contact")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("pairing")
            .mayOnlyBeAccessedByLayers("contact")
            .whereLayer("connection")
            .mayOnlyBeAccessedByLayers("contact", "pairing")
            .whereLayer("stream")
            .mayNotAccessAnyLayer()
            .whereLayer("message")
            .mayOnlyAccessLayers("values", "wire")
            .whereLayer("values")
            .mayNotAccessAnyLayer();

    /**
     * A range does not depend on its leader's code, the leader not on the sources of its requests, and so on upwards.
     */
    @ArchTest
    static final ArchRule rangePackagesUseThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.godwit.kv.range..")
            .layer("state")
            .definedBy("io.godwit.kv.range.state..")
            .layer("replica")
            .definedBy("io.godwit.kv.range.replica..")
            .layer("data")
            .definedBy("io.godwit.kv.range.data..")
            .layer("apply")
            .definedBy("io.godwit.kv.range.apply..")
            .layer("leader")
            .definedBy("io.godwit.kv.range.leader..")
            .layer("uses of a leader")
            .definedBy("io.godwit.kv.range.request..", "io.godwit.kv.range.change..")
            .layer("whole")
            .definedBy("io.godwit.kv.range")
            .whereLayer("state")
            .mayNotAccessAnyLayer()
            .whereLayer("replica")
            .mayOnlyAccessLayers("state")
            .whereLayer("data")
            .mayOnlyAccessLayers("state")
            .whereLayer("apply")
            .mayOnlyAccessLayers("state", "data")
            .whereLayer("leader")
            .mayOnlyAccessLayers("state", "replica", "data", "apply")
            .whereLayer("uses of a leader")
            .mayOnlyAccessLayers("state", "replica", "data", "apply", "leader");

    /** Requests only need to know whether they have to wait for a change, and changes need nothing of requests. */
    @ArchTest
    static final ArchRule requestsAndChangesOfARangeAreApart =
            slices().matching("io.godwit.kv.range.(request|change)..").should().notDependOnEachOther();

    /** A store does not depend on its node's peers, nor these on the operators' calls. */
    @ArchTest
    static final ArchRule kvPackagesUseThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.godwit.kv..")
            .layer("node")
            .definedBy("io.godwit.kv")
            .layer("operate")
            .definedBy("io.godwit.kv.operate..")
            .layer("peers")
            .definedBy("io.godwit.kv.peers..")
            .layer("member")
            .definedBy("io.godwit.kv.member..")
            .layer("backup")
            .definedBy("io.godwit.kv.backup..")
            .layer("store")
            .definedBy("io.godwit.kv.store..")
            .layer("range")
            .definedBy("io.godwit.kv.range..")
            .whereLayer("node")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("operate")
            .mayOnlyBeAccessedByLayers("node")
            .whereLayer("backup")
            .mayOnlyBeAccessedByLayers("node")
            .whereLayer("peers")
            .mayOnlyBeAccessedByLayers("node", "operate")
            .whereLayer("member")
            .mayOnlyBeAccessedByLayers("node", "operate", "peers")
            .whereLayer("store")
            .mayOnlyBeAccessedByLayers("node", "operate", "peers", "backup");

    /** What packets consist of does not depend on the packets. */
    @ArchTest
    static final ArchRule packetsUseTheirFields = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.godwit.mqtt.packet..")
            .layer("packets")
            .definedBy("io.godwit.mqtt.packet")
            .layer("fields")
            .definedBy("io.godwit.mqtt.packet.field..")
            .whereLayer("fields")
            .mayNotAccessAnyLayer();

    /** A socket does not depend on its listener, nor what sessions see of a connection on sockets and limits. */
    @ArchTest
    static final ArchRule transportPackagesUseThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.godwit.mqtt.transport..")
            .layer("tls")
            .definedBy("io.godwit.mqtt.transport.tls..")
            .layer("config")
            .definedBy("io.godwit.mqtt.transport.config..")
            .layer("packing")
            .definedBy("io.godwit.mqtt.transport.packing..")
            .layer("loop")
            .definedBy("io.godwit.mqtt.transport.loop..")
            .layer("connection")
            .definedBy("io.godwit.mqtt.transport.connection..")
            .layer("report")
            .definedBy("io.godwit.mqtt.transport.report..")
            .layer("limits")
            .definedBy("io.godwit.mqtt.transport.limit..", "io.godwit.mqtt.transport.memory..")
            .layer("ws")
            .definedBy("io.godwit.mqtt.transport.ws..")
            .layer("socket")
            .definedBy("io.godwit.mqtt.transport.socket..")
            .layer("listeners")
            .definedBy("io.godwit.mqtt.transport")
            .whereLayer("tls")
            .mayNotAccessAnyLayer()
            .whereLayer("config")
            .mayOnlyAccessLayers("tls")
            .whereLayer("packing")
            .mayNotAccessAnyLayer()
            .whereLayer("loop")
            .mayOnlyAccessLayers("config", "packing")
            .whereLayer("connection")
            .mayOnlyAccessLayers("loop")
            .whereLayer("report")
            .mayOnlyAccessLayers("connection")
            .whereLayer("limits")
            .mayOnlyAccessLayers("config", "report")
            .whereLayer("ws")
            .mayOnlyAccessLayers("config", "connection")
            .whereLayer("socket")
            .mayOnlyBeAccessedByLayers("listeners");

    /** The parts of a session do not depend on it, nor on whether it is live or persistent. */
    @ArchTest
    static final ArchRule sessionPackagesUseThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.godwit.mqtt.session..")
            .layer("core")
            .definedBy("io.godwit.mqtt.session.core..")
            .layer("parts")
            .definedBy(
                    "io.godwit.mqtt.session.inbound..",
                    "io.godwit.mqtt.session.outbound..",
                    "io.godwit.mqtt.session.filter..")
            .layer("session")
            .definedBy("io.godwit.mqtt.session")
            .layer("kinds")
            .definedBy("io.godwit.mqtt.session.live..", "io.godwit.mqtt.session.persistent..")
            .whereLayer("core")
            .mayNotAccessAnyLayer()
            .whereLayer("parts")
            .mayOnlyAccessLayers("core")
            .whereLayer("session")
            .mayOnlyAccessLayers("core", "parts");

    @ArchTest
    static final ArchRule partsOfASessionAreApart = slices().matching(
                    "io.godwit.mqtt.session.(inbound|outbound|filter)..")
            .should()
            .notDependOnEachOther();

    @ArchTest
    static final ArchRule liveAndPersistentSessionsAreApart = slices().matching(
                    "io.godwit.mqtt.session.(live|persistent)..")
            .should()
            .notDependOnEachOther();

    /** The process uses the steps of a start, these use the parts of the broker, and so on downwards. */
    @ArchTest
    static final ArchRule brokerPackagesUseThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.godwit.broker..")
            .layer("process")
            .definedBy("io.godwit.broker")
            .layer("check")
            .definedBy("io.godwit.broker.check..")
            .layer("start")
            .definedBy("io.godwit.broker.start..")
            .layer("parts")
            .definedBy("io.godwit.broker.cluster..", "io.godwit.broker.store..", "io.godwit.broker.sys..")
            .layer("report")
            .definedBy("io.godwit.broker.report..")
            .layer("effective")
            .definedBy("io.godwit.broker.effective..")
            .whereLayer("process")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("check")
            .mayOnlyBeAccessedByLayers("process")
            .whereLayer("start")
            .mayOnlyBeAccessedByLayers("process")
            .whereLayer("parts")
            .mayOnlyBeAccessedByLayers("process", "start")
            .whereLayer("report")
            .mayOnlyBeAccessedByLayers("process", "start", "parts")
            .whereLayer("effective")
            .mayOnlyBeAccessedByLayers("process", "check", "start");

    /** What operators do does not depend on who asks for it: the command line or the API. */
    @ArchTest
    static final ArchRule adminPackagesUseThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.godwit.broker.admin..")
            .layer("command line")
            .definedBy("io.godwit.broker.admin")
            .layer("commands")
            .definedBy("io.godwit.broker.admin.command..")
            .layer("steering")
            .definedBy("io.godwit.broker.admin.steering..")
            .layer("backup")
            .definedBy("io.godwit.broker.admin.backup..")
            .layer("action")
            .definedBy("io.godwit.broker.admin.action..")
            .whereLayer("command line")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("commands")
            .mayOnlyBeAccessedByLayers("command line")
            .whereLayer("steering")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("backup")
            .mayOnlyBeAccessedByLayers("commands", "steering")
            .whereLayer("action")
            .mayOnlyBeAccessedByLayers("commands", "steering", "backup");

    /** The guards of plugins use the plugin behind them, and this uses what it sees of the broker. */
    @ArchTest
    static final ArchRule pluginPackagesUseThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.godwit.broker.plugin..")
            .layer("host")
            .definedBy("io.godwit.broker.plugin")
            .layer("guard")
            .definedBy("io.godwit.broker.plugin.guard..")
            .layer("instance")
            .definedBy("io.godwit.broker.plugin.instance..")
            .layer("context")
            .definedBy("io.godwit.broker.plugin.context..")
            .whereLayer("context")
            .mayNotAccessAnyLayer()
            .whereLayer("instance")
            .mayOnlyAccessLayers("context")
            .whereLayer("guard")
            .mayOnlyAccessLayers("instance", "context");

    /** The taps of a node do not depend on who watches it, nor the questions on the taps. */
    @ArchTest
    static final ArchRule watchPackagesUseThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.godwit.broker.watch..")
            .layer("watch")
            .definedBy("io.godwit.broker.watch")
            .layer("top")
            .definedBy("io.godwit.broker.watch.top..")
            .layer("tap")
            .definedBy("io.godwit.broker.watch.tap..")
            .layer("question")
            .definedBy("io.godwit.broker.watch.question..")
            .layer("wire")
            .definedBy("io.godwit.broker.watch.wire..")
            .whereLayer("watch")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("top")
            .mayOnlyAccessLayers("question", "wire")
            .whereLayer("tap")
            .mayOnlyAccessLayers("question")
            .whereLayer("question")
            .mayOnlyAccessLayers("wire");
}
