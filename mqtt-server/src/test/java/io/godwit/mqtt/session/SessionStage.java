package io.godwit.mqtt.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.Will;
import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.auth.Authorizer;
import io.godwit.mqtt.ban.BanTable;
import io.godwit.mqtt.connect.ConnectHandler;
import io.godwit.mqtt.connect.ConnectServices;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.session.core.SessionStores;
import io.godwit.mqtt.session.core.SessionTerms;
import io.godwit.mqtt.session.live.LiveFanOut;
import io.godwit.mqtt.session.live.TransientSession;
import io.godwit.mqtt.session.persistent.InboxMail;
import io.godwit.mqtt.session.persistent.LastingAttachment;
import io.godwit.mqtt.session.persistent.PersistentSession;
import io.godwit.mqtt.tenant.TenantConfig;
import io.godwit.mqtt.tenant.TenantNaming;
import io.godwit.mqtt.tenant.Tenants;
import io.godwit.mqtt.transport.config.BanConfig;
import io.godwit.mqtt.transport.limit.Bans;
import io.godwit.mqtt.transport.limit.OpenCount;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.report.MqttMetrics;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.mqtt.twin.MemoryDirectory;
import io.godwit.mqtt.twin.MemoryDist;
import io.godwit.mqtt.twin.MemoryInbox;
import io.godwit.mqtt.twin.MemoryRetain;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.NodeWait;
import io.micrometer.core.instrument.search.RequiredSearch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Sessions of one client, {@code c}, on the test's thread, on stores in memory; packets sent to it are recorded. */
public final class SessionStage {
    /** Two CONNECTs of the largest size that is usual. */
    static final long MAX_PENDING_CONNECT_BYTES = 150_000;

    public static final int WINDOW = 40;
    public static final SessionConfig.Homes HOMES = new SessionConfig.Homes(4, 6);

    public final MemoryDist dist = new MemoryDist();
    public final MemoryInbox inbox = new MemoryInbox();
    final MemoryDirectory directory = new MemoryDirectory();
    final MemoryRetain retain = new MemoryRetain();
    public final List<BrokerEvent> events = new ArrayList<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final LoopContext loop = new LoopContext(0, tasks::add);
    private final MqttReports reports = new MqttReports(new MqttMetrics(meters), events::add);
    private final SessionServices services;

    /** Of the session made last. */
    public RecordingConnection connection = new RecordingConnection(loop);

    public InboxMail mail = new InboxMail(() -> {});
    /** Whether nothing of a session made here is under way any more. */
    public boolean isEnded;

    private @Nullable ConnectServices connects;
    /** Packets sent to the client that it has looked at. */
    private int seen;

    public SessionStage() {
        this(new MemoryAuth());
    }

    SessionStage(MemoryAuth auth) {
        services = new SessionServices(
                SessionConfig.DEFAULTS.with(HOMES),
                new SessionStores(dist, inbox, retain),
                new Authorizer(auth, AuthConfig.DEFAULTS, reports),
                reports,
                () -> 0,
                1);
        loop.bindToCurrentThread();
        dist.deliverTo(new LiveFanOut(1, () -> 0), inbox.deliverer());
    }

    /** The settings of tenants. */
    Tenants tenants() {
        return services.policies().tenants();
    }

    public static ClientInfo info(String clientId) {
        return new ClientInfo(TenantId.DEFAULT, new ClientId(clientId), null, "test:1", 5);
    }

    private void connect() {
        connection = new RecordingConnection(loop);
        mail = new InboxMail(() -> {});
        seen = 0;
        isEnded = false;
    }

    public PersistentSession persistent() {
        connect();
        AttachReply reply = LastingAttachment.attach(
                        connection, services, new AttachRequest(info("c"), false, 1000, null), mail)
                .join();
        PersistentSession session = new PersistentSession(
                connection,
                services,
                new SessionTerms(info("c"), WINDOW, 0, 1000, null),
                reply,
                mail,
                () -> isEnded = true);
        session.start();
        runTasks();
        return session;
    }

    TransientSession clean() {
        connect();
        return new TransientSession(
                connection, services, new SessionTerms(info("c"), WINDOW, 0, 0, null), null, () -> isEnded = true);
    }

    /** A connection before its CONNECT. All connections share their services. */
    ConnectHandler connecting() {
        connect();
        if (connects == null) {
            Bans bans = new Bans(BanConfig.DEFAULTS, () -> 0, null, new BanTable(() -> 0));
            connects = new ConnectServices(
                    services,
                    directory,
                    () -> "assigned",
                    MAX_PENDING_CONNECT_BYTES,
                    new OpenCount(),
                    bans,
                    new TenantNaming(TenantConfig.NONE, tenant -> false));
        }
        return new ConnectHandler(connection, connects);
    }

    /** The connection ends without a DISCONNECT. */
    public void cut(Session session) {
        session.onClosed(DisconnectCause.CONNECTION_LOST, "cable cut");
        runTasks();
    }

    /** A second passes for everything on the loop. */
    public void sweep() {
        loop.sweep();
        runTasks();
    }

    public double count(String counter) {
        return meters.get("godwit.mqtt." + counter).functionCounter().count();
    }

    /** How many waits of that kind have run out. */
    public double waitsOver(NodeWait wait) {
        return meters.get("godwit.waits.over")
                .tag("wait", wait.name().toLowerCase(Locale.ROOT))
                .functionCounter()
                .count();
    }

    /** A session that ends with its connection and has a will, which the inbox store keeps. */
    public TransientSession cleanWithWill(Will will) {
        connect();
        AttachReply reply = LastingAttachment.attach(
                        connection, services, new AttachRequest(info("c"), true, 0, will), mail)
                .join();
        return new TransientSession(
                connection,
                services,
                new SessionTerms(info("c"), WINDOW, 0, 0, null),
                reply.attachment(),
                () -> isEnded = true);
    }

    /** The client acknowledges the next {@code count} messages of QoS 1, as far as there are any. */
    public void acknowledge(Session session, int count) {
        int left = count;
        while (left > 0 && seen < connection.sent.size()) {
            if (connection.sent.get(seen++) instanceof Publish publish && publish.packetId() != 0) {
                left--;
                session.onPacket(new PubAck(publish.packetId()));
                session.onReadComplete();
                runTasks();
            }
        }
    }

    void tick(Session session) {
        connection.tick(session);
        runTasks();
    }

    /** Publishes sent on the present connection. */
    public List<Publish> publishes() {
        return connection.sent.stream()
                .filter(Publish.class::isInstance)
                .map(Publish.class::cast)
                .toList();
    }

    /** The events of this kind; their counter, if given of that reason, must show the same number. */
    public List<BrokerEvent> events(Class<? extends BrokerEvent> kind, String counter, String... reason) {
        List<BrokerEvent> told = events.stream().filter(kind::isInstance).toList();
        RequiredSearch search = meters.get(counter);
        for (String value : reason) {
            search.tag("reason", value);
        }
        assertThat(search.functionCounter().count()).isEqualTo(told.size());
        return told;
    }

    /** The loop runs the oldest of its tasks; returns whether there was one. */
    boolean runTask() {
        Runnable task = tasks.poll();
        if (task != null) {
            task.run();
        }
        return task != null;
    }

    public void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }
}
