package io.godwit.it.cluster.plugin;

import java.util.List;
import java.util.Map;

/** The source of a jar that has a well-behaved plugin of each kind. Most note what they are called for. */
final class PluginsOfAllKinds {
    static final String CLASS = "Kinds";

    static final Map<String, List<String>> SERVICES = Map.ofEntries(
            Map.entry("io.godwit.plugin.auth.AuthProviderFactory", List.of("Kinds$Gate", "Kinds$Rest")),
            Map.entry("io.godwit.plugin.event.EventListenerFactory", List.of("Kinds$Ear")),
            Map.entry("io.godwit.plugin.tenant.TenantSettingsProviderFactory", List.of("Kinds$Plans")),
            Map.entry("io.godwit.plugin.throttle.ResourceThrottlerFactory", List.of("Kinds$Caps")),
            Map.entry("io.godwit.plugin.intercept.UserPropertiesCustomizerFactory", List.of("Kinds$Tag")),
            Map.entry("io.godwit.plugin.intercept.PublishInterceptorFactory", List.of("Kinds$Mark")),
            Map.entry("io.godwit.plugin.intercept.DeliverInterceptorFactory", List.of("Kinds$Stamp")),
            Map.entry("io.godwit.plugin.redirect.ClientBalancerFactory", List.of("Kinds$Roam")),
            Map.entry("io.godwit.plugin.sub.SubBrokerFactory", List.of("Kinds$Sink")),
            Map.entry("io.godwit.plugin.balance.RangeBalancerFactory", List.of("Kinds$Highest")),
            Map.entry("io.godwit.plugin.balance.SplitHinterFactory", List.of("Kinds$Hint")));

    /** The names of the plugins with settings, and with notes. */
    static final List<String> NAMES =
            List.of("gate", "ear", "plans", "caps", "tag", "mark", "stamp", "sink", "highest", "hint");

    static final String SOURCE = PluginSource.of(CLASS, """
            static Message plus(Message message, String text) {
                return message.withPayload((new String(message.payload()) + text).getBytes());
            }
            /** Decides about users that begin with "gate-", some of which have it ask the broker for something. */
            public static class Gate extends OnNode implements AuthProviderFactory {
                @Override public String name() { return "gate"; }
                void act(String user, ClientInfo client) {
                    BrokerHandle broker = context.broker();
                    ClientId victim = new ClientId(client.clientId().value().replaceFirst("^by-", ""));
                    switch (user) {
                        case "gate-forget": broker.forgetDecisions(); break;
                        case "gate-kick":
                            broker.disconnect(client.tenant(), victim)
                                .whenComplete((was, failure) -> note("disconnected " + was + " " + failure));
                            break;
                        case "gate-end":
                            broker.closeSession(client.tenant(), victim)
                                .whenComplete((was, failure) -> note("closed " + was + " " + failure));
                            break;
                        case "gate-say":
                            broker.publish(client.tenant(), new Message("say", ("from " + node).getBytes(),
                                Qos.AT_LEAST_ONCE, false, context.clock().millis(), MessageProperties.NONE))
                                .whenComplete((how, failure) -> note("published " + how + " " + failure));
                            break;
                        default: break;
                    }
                }
                @Override public AuthProvider create() {
                    return new AuthProvider() {
                        @Override public CompletableFuture<ConnectResult> connect(ConnectRequest request) {
                            String user = String.valueOf(request.client().userName());
                            if (!user.startsWith("gate-")) { return now(ConnectResult.UNDECIDED); }
                            note("connect " + user);
                            act(user, request.client());
                            return now(user.equals("gate-out")
                                ? new ConnectResult.Refused(RefusalReason.BAD_CREDENTIALS, "as told")
                                : ConnectResult.Accepted.as(request.client()));
                        }
                        @Override public CompletableFuture<AuthDecision> publish(PublishRequest request) {
                            note("publish of " + request.client().clientId().value());
                            return now(Files.exists(shared.resolve("shut"))
                                ? new AuthDecision.Denied("shut") : AuthDecision.ALLOWED);
                        }
                        @Override public CompletableFuture<AuthDecision> subscribe(SubscribeRequest request) {
                            return now(AuthDecision.ALLOWED);
                        }
                    };
                }
            }
            /** Accepts everybody. */
            public static class Rest implements AuthProviderFactory {
                @Override public String name() { return "rest"; }
                @Override public AuthProvider create() {
                    return new AuthProvider() {
                        @Override public Set<AuthCheck> checks() { return EnumSet.of(AuthCheck.CONNECT); }
                        @Override public CompletableFuture<ConnectResult> connect(ConnectRequest request) {
                            return now(ConnectResult.Accepted.as(request.client()));
                        }
                        @Override public CompletableFuture<AuthDecision> publish(PublishRequest request) {
                            return now(AuthDecision.UNDECIDED);
                        }
                        @Override public CompletableFuture<AuthDecision> subscribe(SubscribeRequest request) {
                            return now(AuthDecision.UNDECIDED);
                        }
                    };
                }
            }
            public static class Ear extends OnNode implements EventListenerFactory {
                @Override public String name() { return "ear"; }
                @Override public EventListener create() {
                    return event -> {
                        if (event instanceof BrokerEvent.ClientConnected it) {
                            note("connected " + it.client().clientId().value());
                        } else if (event instanceof BrokerEvent.ClientDisconnected it) {
                            note("disconnected " + it.client().clientId().value());
                        } else if (event instanceof BrokerEvent.ClientRedirected it) {
                            note("redirected " + it.client().clientId().value());
                        } else if (event instanceof BrokerEvent.MessageDropped it) {
                            note("dropped " + it.topic() + " for " + it.receiver().value() + " " + it.reason());
                        }
                    };
                }
            }
            /** Lines of the shared file "plans" are a tenant and its highest QoS. */
            public static class Plans extends OnNode implements TenantSettingsProviderFactory {
                @Override public String name() { return "plans"; }
                String plans() {
                    try {
                        return Files.readString(shared.resolve("plans"));
                    } catch (IOException e) { throw new UncheckedIOException(e); }
                }
                @Override public TenantSettingsProvider create(TenantChanges changes) {
                    ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor(task -> {
                        Thread thread = new Thread(task);
                        thread.setDaemon(true);
                        return thread;
                    });
                    String[] seen = {plans()};
                    watch.scheduleWithFixedDelay(() -> {
                        if (!plans().equals(seen[0])) {
                            seen[0] = plans();
                            changes.changed();
                        }
                    }, 50, 50, TimeUnit.MILLISECONDS);
                    return tenant -> now(tenant.equals(TenantId.DEFAULT)
                        ? Optional.of(TenantSettings.NONE)
                        : plans().lines().filter(line -> line.startsWith(tenant.value() + " ")).findFirst()
                            .map(line -> TenantSettings.builder()
                                .parse(TenantSetting.MAX_QOS, line.substring(line.indexOf(' ') + 1)).build()));
                }
            }
            /** The tenant "cap" may have three connections. */
            public static class Caps extends OnNode implements ResourceThrottlerFactory {
                @Override public String name() { return "caps"; }
                @Override public ResourceThrottler create() {
                    return usage -> {
                        if (!usage.tenant().value().equals("cap")) { return now(TenantLimits.NONE); }
                        note("connections " + usage.inCluster(TenantResource.CONNECTIONS));
                        return now(TenantLimits.builder().most(TenantResource.CONNECTIONS, 3).build());
                    };
                }
            }
            public static class Tag extends OnNode implements UserPropertiesCustomizerFactory {
                @Override public String name() { return "tag"; }
                List<UserProperty> tagged(Message message, String name) {
                    List<UserProperty> all = new ArrayList<>(message.properties().userProperties());
                    if (message.topic().equals("tag")) { all.add(new UserProperty(name, node)); }
                    return all;
                }
                @Override public UserPropertiesCustomizer create() {
                    return new UserPropertiesCustomizer() {
                        @Override public List<UserProperty> onPublish(ClientInfo client, Message message) {
                            return tagged(message, "in");
                        }
                        @Override public List<UserProperty> onDeliver(ClientInfo client, Message message) {
                            return tagged(message, "out");
                        }
                    };
                }
            }
            public static class Mark extends OnNode implements PublishInterceptorFactory {
                @Override public String name() { return "mark"; }
                @Override public PublishInterceptor create() {
                    return (client, message) -> message.topic().equals("mark")
                        ? new Interception.Changed(plus(message, " in" + node)) : Interception.UNCHANGED;
                }
            }
            public static class Stamp extends OnNode implements DeliverInterceptorFactory {
                @Override public String name() { return "stamp"; }
                @Override public DeliverInterceptor create() {
                    return (client, message) -> {
                        boolean isDeaf = client.clientId().value().startsWith("deaf")
                            && new String(message.payload()).equals("secret");
                        return isDeaf ? new Interception.Dropped("as told") : message.topic().equals("stamp")
                            ? new Interception.Changed(plus(message, " out" + node)) : Interception.UNCHANGED;
                    };
                }
            }
            /** A client id that begins with "roam" ends with the port that the client belongs to. */
            public static class Roam implements ClientBalancerFactory {
                @Override public String name() { return "roam"; }
                @Override public ClientBalancer create() {
                    return (client, nodes) -> {
                        String id = client.client().clientId().value();
                        String port = id.substring(id.lastIndexOf('-') + 1);
                        for (NodeLoad each : nodes.others()) {
                            if (id.startsWith("roam") && each.serverReference().endsWith(":" + port)) {
                                return now(new Placement.UseAnother(each.serverReference()));
                            }
                        }
                        return now(Placement.HERE);
                    };
                }
            }
            public static class Sink extends OnNode implements SubBrokerFactory {
                @Override public String name() { return "sink"; }
                @Override public SubBroker create() {
                    return new SubBroker() {
                        @Override public List<SubBrokerSubscription> subscriptions() {
                            return List.of(new SubBrokerSubscription("all", List.of("sink")));
                        }
                        @Override public CompletableFuture<Void> deliver(SubBrokerBatch batch) {
                            for (SubBrokerMessage each : batch.messages()) {
                                note(new String(each.message().payload()) + (each.isRepeated() ? " again" : ""));
                            }
                            return now(null);
                        }
                    };
                }
            }
            /** The store with the highest id leads the ranges of "retain". Notes whose split hints it sees. */
            public static class Highest extends OnNode implements RangeBalancerFactory {
                private final Set<String> noted = ConcurrentHashMap.newKeySet();
                @Override public String name() { return "highest"; }
                @Override public RangeBalancer create(Map<String, String> settings) {
                    return view -> {
                        for (RangeView range : view.ranges()) {
                            String leader = range.leader().orElse("nobody");
                            if (range.splitHint().isPresent() && noted.add(leader)) { note("hint of " + leader); }
                        }
                        String highest = view.stores().get(view.stores().size() - 1).id();
                        return view.actionable().stream()
                            .filter(range -> view.keySpace().equals("retain") && !range.isLedBy(highest)
                                && range.voters().contains(highest))
                            .map(range -> (BalanceAction) new BalanceAction.MoveLeader(range.id(), range.epoch(),
                                highest, "it has the highest id"))
                            .findFirst();
                    };
                }
            }
            /** Would cut a range at the key of the last access. */
            public static class Hint extends OnNode implements SplitHinterFactory {
                @Override public String name() { return "hint"; }
                @Override public boolean isNonBlocking() { return true; }
                @Override public SplitHinter create(Map<String, String> settings) {
                    return new SplitHinter() {
                        private Key last = Key.FIRST;
                        @Override public void onAccess(byte[] key, AccessKind kind, int operations, long nanos) {
                            last = Key.of(key);
                        }
                        @Override public Optional<SplitHint> hint(RangeLoad load) {
                            return last.isEmpty() ? Optional.empty() : Optional.of(new SplitHint(last, 0.5));
                        }
                    };
                }
            }
            """);

    private PluginsOfAllKinds() {}
}
