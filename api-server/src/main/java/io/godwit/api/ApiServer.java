package io.godwit.api;

import io.godwit.api.audit.AuditLog;
import io.godwit.api.audit.RecordBudget;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.auth.Tokens;
import io.godwit.api.contract.Contract;
import io.godwit.api.contract.Operation;
import io.godwit.api.gateway.Answers;
import io.godwit.api.gateway.Authenticator;
import io.godwit.api.gateway.Bodies;
import io.godwit.api.gateway.CallerRates;
import io.godwit.api.gateway.ChangeRecords;
import io.godwit.api.gateway.Gateway;
import io.godwit.api.gateway.RouterSetup;
import io.godwit.api.http.WorkerPools;
import io.godwit.api.http.gate.AcceptGate;
import io.godwit.api.http.gate.Connections;
import io.godwit.api.http.gate.Gated;
import io.godwit.api.http.gate.TlsFiles;
import io.godwit.api.route.Routes;
import io.godwit.api.route.access.BanRoutes;
import io.godwit.api.route.access.TokenRoutes;
import io.godwit.api.route.access.UserRoutes;
import io.godwit.api.route.client.ClientRoutes;
import io.godwit.api.route.client.OnBehalfRoutes;
import io.godwit.api.route.client.SessionRoutes;
import io.godwit.api.route.client.SubscriptionRoutes;
import io.godwit.api.route.cluster.ClusterRoutes;
import io.godwit.api.route.cluster.HealthRoutes;
import io.godwit.api.route.cluster.LogRoutes;
import io.godwit.api.route.cluster.SettingsRoutes;
import io.godwit.api.route.cluster.StoreRoutes;
import io.godwit.api.route.figure.FigureRoutes;
import io.godwit.api.route.figure.HistoryRoutes;
import io.godwit.api.route.figure.MetricsRoutes;
import io.godwit.api.route.figure.TopRoutes;
import io.godwit.api.route.message.DelayedRoutes;
import io.godwit.api.route.message.PublishRoutes;
import io.godwit.api.route.message.RetainedRoutes;
import io.godwit.api.route.page.DashboardRoutes;
import io.godwit.api.route.page.DocumentRoutes;
import io.godwit.api.route.watch.EventRoutes;
import io.godwit.api.route.watch.TraceRoutes;
import io.godwit.api.stream.EventStreams;
import io.godwit.api.stream.StreamBounds;
import io.godwit.common.failure.Failures;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerConfig;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP API: one port, with its own event loop and worker threads. {@link #start} and {@link #close} block and are
 * called by one thread at a time.
 */
public final class ApiServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ApiServer.class);
    private static final long SWEEP_MILLIS = 250;
    private static final long LOOK_MILLIS = 1_000;
    private static final long PATIENCE_SECONDS = 30;

    private final ApiConfig config;
    private final ApiPorts ports;
    private final StreamBounds streamBounds;
    private final WorkerPools pools = WorkerPools.create();
    private final AuditLog audit;
    private final RecordBudget records;
    private final Routes routes = new Routes();
    private final Contract contract;
    private @Nullable Vertx vertx;
    private @Nullable EventStreams streams;
    private @Nullable Tokens tokens;
    private @Nullable TlsFiles tls;
    /** Whether a check of the files is under way. Confined to the event loop. */
    private boolean looks;
    /** The last error in reading certificates, so that it is logged once. Used by one check at a time. */
    private String unread = "";

    public ApiServer(ApiConfig config, ApiPorts ports) {
        this(
                config,
                ports,
                StreamBounds.DEFAULTS,
                RecordBudget.Bounds.of(config.limits().requestsPerSecondPerCaller()));
    }

    ApiServer(ApiConfig config, ApiPorts ports, StreamBounds streamBounds, RecordBudget.Bounds recordBounds) {
        this.streamBounds = streamBounds;
        this.config = config;
        this.ports = ports;
        this.audit = new AuditLog(ports.audit());
        this.records = new RecordBudget(recordBounds, System::nanoTime);
        this.contract = Contract.load();
        HealthRoutes.add(routes, ports.cluster());
        ClusterRoutes.add(routes, ports.cluster(), pools.requests());
        DocumentRoutes.add(routes, contract, pools.requests());
        ports.stores().ifPresent(stores -> StoreRoutes.add(routes, stores));
        ports.settings().ifPresent(settings -> SettingsRoutes.add(routes, settings));
        ports.clients().ifPresent(clients -> ClientRoutes.add(routes, clients, ports.bans()));
        ports.sessions().ifPresent(sessions -> SessionRoutes.add(routes, sessions));
        ports.subscriptions().ifPresent(subscriptions -> SubscriptionRoutes.add(routes, subscriptions));
        ports.onBehalf().ifPresent(clients -> OnBehalfRoutes.add(routes, clients));
        ports.publisher().ifPresent(publisher -> PublishRoutes.add(routes, publisher));
        ports.retained().ifPresent(retained -> RetainedRoutes.add(routes, retained, pools.encoders()));
        ports.delayed().ifPresent(delayed -> DelayedRoutes.add(routes, delayed));
        ports.metrics().ifPresent(metrics -> MetricsRoutes.add(routes, metrics, pools.requests(), System::nanoTime));
        ports.stats().ifPresent(stats -> FigureRoutes.add(routes, stats, System::nanoTime));
        DashboardRoutes.add(routes, ports.webSockets(), pools.requests());
        ports.history().ifPresent(history -> HistoryRoutes.add(routes, history, System::nanoTime));
        ports.bans().ifPresent(bans -> BanRoutes.add(routes, bans));
        ports.tokens().ifPresent(made -> TokenRoutes.add(routes, made, this::tokensOfFile));
        ports.users().ifPresent(users -> UserRoutes.add(routes, users));
        ports.logLevels().ifPresent(levels -> LogRoutes.add(routes, levels));
        ports.top().ifPresent(top -> TopRoutes.add(routes, top, System::nanoTime));
        ports.watching().ifPresent(watches -> {
            EventRoutes.add(routes, watches);
            TraceRoutes.add(routes, watches);
        });
    }

    private List<TokenFile.Entry> tokensOfFile() {
        Tokens known = tokens;
        return known == null ? List.of() : known.ofFile();
    }

    /** The operations that have a handler. */
    List<Operation> operations() {
        return routes.handlers().keySet().stream().map(contract::operation).toList();
    }

    Contract contract() {
        return contract;
    }

    /**
     * Opens the port.
     *
     * @return the address it listens on
     * @throws IOException naming the setting: the port is taken, a file is wrong, or other machines could use the
     *     API without a token
     */
    public InetSocketAddress start() throws IOException, InterruptedException {
        InetAddress address = address();
        if (config.tokensFile().isPresent()) {
            tokens = Tokens.load(config.tokensFile().get(), ports.watches(), ports.tokens());
        }
        AcceptGate gate = new AcceptGate(config.limits(), ports.counts());
        Vertx mine = Gated.vertx(gate);
        vertx = mine;
        audit.start();
        Connections connections = new Connections(config.limits(), gate, ports.counts(), System::nanoTime);
        EventStreams open = new EventStreams(mine, streamBounds, System::nanoTime);
        streams = open;
        Authenticator authenticator = new Authenticator(tokens, ports.localCallers(), pools.requests());
        Gateway gateway = new Gateway(
                mine,
                config.limits(),
                connections,
                authenticator,
                new CallerRates(config.limits(), authenticator, System::nanoTime),
                new ChangeRecords(audit, records),
                new Bodies(mine, config.limits(), pools.requests()),
                new Answers(
                        mine,
                        connections,
                        config.limits(),
                        pools,
                        open,
                        authenticator,
                        ports.counts(),
                        config.checksAnswers()));
        HttpServer server = server(mine)
                .connectionHandler(connections::opened)
                .invalidRequestHandler(request -> RouterSetup.invalid(request, gateway))
                .requestHandler(RouterSetup.router(mine, contract, routes, gateway, ports.counts()));
        await(
                server.listen(config.port(), address.getHostAddress()),
                "cannot listen on " + config.host() + ":" + config.port()
                        + ": set another apiServerConfig.port, or apiServerConfig.enable to false");
        mine.setPeriodic(SWEEP_MILLIS, tick -> {
            connections.closeLate();
            open.tick();
        });
        mine.setPeriodic(LOOK_MILLIS, tick -> look(mine, server));
        InetSocketAddress bound = new InetSocketAddress(address, server.actualPort());
        LOG.info(
                "API listens address={} tls={} tokens={}",
                bound,
                tls != null,
                config.tokensFile().orElse(null));
        return bound;
    }

    private InetAddress address() throws IOException {
        try {
            InetAddress[] all = InetAddress.getAllByName(config.host());
            if (config.tokensFile().isEmpty()) {
                requireLoopback(config, all);
            }
            return all[0]; // resolve once: the name may resolve to another address the next time
        } catch (UnknownHostException e) {
            throw new IOException("apiServerConfig.host " + config.host() + " is no address of this machine", e);
        }
    }

    /**
     * Checks that an API without tokens is reachable from this machine only.
     *
     * @throws IOException when other machines could reach it
     */
    public static void requireLoopback(ApiConfig config) throws IOException {
        requireLoopback(config, InetAddress.getAllByName(config.host()));
    }

    private static void requireLoopback(ApiConfig config, InetAddress[] all) throws IOException {
        for (InetAddress address : all) {
            if (!address.isLoopbackAddress()) {
                throw new IOException("apiServerConfig.host is " + config.host()
                        + ", which other machines can reach, but the API would not ask for tokens: set "
                        + "apiServerConfig.tokensFile (bin/godwit-admin token add makes one), or apiServerConfig.host "
                        + "to 127.0.0.1");
            }
        }
    }

    private HttpServer server(Vertx mine) throws IOException {
        HttpServerOptions options = Gated.server(config.limits());
        if (config.tls().isEmpty()) {
            return mine.createHttpServer(options);
        }
        ApiConfig.Tls files = config.tls().get();
        TlsFiles read = new TlsFiles(
                mine,
                files.certificate(),
                files.key(),
                files.clientAuthority().orElse(null),
                config.limits(),
                ports.watches());
        tls = read;
        return mine.createHttpServer(new HttpServerConfig(options.setSsl(true)), read.options());
    }

    /** Reloads changed files on a worker; one check at a time. */
    private void look(Vertx mine, HttpServer server) {
        if (looks || tokens == null && tls == null) {
            return;
        }
        looks = true;
        Context loop = mine.getOrCreateContext();
        pools.requests()
                .supply(() -> {
                    reload(server);
                    return true;
                })
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        LOG.warn("check for changed files failed cause={}", failure.toString());
                    }
                    loop.runOnContext(now -> looks = false);
                });
    }

    private void reload(HttpServer server) {
        if (tokens != null) {
            tokens.reloadIfChanged();
        }
        TlsFiles files = tls;
        if (files == null || !files.haveChanged()) {
            return;
        }
        try {
            ServerSSLOptions options = files.options();
            unread = "";
            server.updateSSLOptions(options).onComplete(result -> {
                if (result.succeeded()) {
                    LOG.info("certificates reloaded");
                } else {
                    LOG.error(
                            "certificates not reloaded, the old ones stay in force: {}",
                            result.cause().toString());
                }
            });
        } catch (IOException e) {
            String why = String.valueOf(e.getMessage());
            if (!why.equals(unread)) {
                LOG.error("certificates not reloaded, the old ones stay in force: {}", why);
            }
            unread = why;
        }
    }

    private static <T> void await(Future<T> future, String failed) throws IOException, InterruptedException {
        try {
            future.toCompletionStage().toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            Throwable cause = Failures.cause(e);
            throw new IOException(failed + " (" + cause.getMessage() + ")", cause);
        } catch (TimeoutException e) {
            throw new IOException(failed + " (not within " + PATIENCE_SECONDS + " seconds)", e);
        }
    }

    /** Ends all streams; each gets a last event with the reason. */
    private void endStreams(Vertx mine) throws IOException, InterruptedException {
        EventStreams open = streams;
        if (open != null) {
            Promise<Void> ended = Promise.promise();
            mine.runOnContext(now -> {
                open.close();
                ended.complete();
            });
            await(ended.future(), "streams do not end");
        }
    }

    /** Closes all connections after the audit log is written. Further calls do nothing. */
    @Override
    public void close() {
        audit.close(); // while connections are open, so that callers whose change is recorded can still be answered
        pools.close();
        Vertx mine = vertx;
        vertx = null;
        if (mine == null) {
            return;
        }
        try {
            endStreams(mine);
            await(mine.close(), "the API does not end");
        } catch (IOException e) {
            LOG.warn("{}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
