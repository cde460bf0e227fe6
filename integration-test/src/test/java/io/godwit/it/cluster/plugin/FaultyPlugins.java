package io.godwit.it.cluster.plugin;

import java.util.List;
import java.util.Map;

/**
 * The source of a jar with a plugin of each kind that misbehaves on the node whose settings say so, as names and texts
 * of clients tell it: it throws, answers null, or blocks for ever. On other nodes it does its work.
 */
final class FaultyPlugins {
    static final String CLASS = "Faulty";

    static final Map<String, List<String>> SERVICES = Map.ofEntries(
            Map.entry("io.godwit.plugin.auth.AuthProviderFactory", List.of("Faulty$Auth")),
            Map.entry("io.godwit.plugin.event.EventListenerFactory", List.of("Faulty$Ear", "Faulty$Stuck")),
            Map.entry("io.godwit.plugin.tenant.TenantSettingsProviderFactory", List.of("Faulty$Plans")),
            Map.entry("io.godwit.plugin.throttle.ResourceThrottlerFactory", List.of("Faulty$Caps")),
            Map.entry("io.godwit.plugin.intercept.UserPropertiesCustomizerFactory", List.of("Faulty$Tag")),
            Map.entry("io.godwit.plugin.intercept.PublishInterceptorFactory", List.of("Faulty$Mark")),
            Map.entry("io.godwit.plugin.intercept.DeliverInterceptorFactory", List.of("Faulty$Stamp")),
            Map.entry("io.godwit.plugin.redirect.ClientBalancerFactory", List.of("Faulty$Roam")),
            Map.entry("io.godwit.plugin.sub.SubBrokerFactory", List.of("Faulty$Sink")),
            Map.entry("io.godwit.plugin.balance.RangeBalancerFactory", List.of("Faulty$Ranges")),
            Map.entry("io.godwit.plugin.balance.SplitHinterFactory", List.of("Faulty$Hint")));

    /** The names of all plugins. */
    static final List<String> NAMES =
            List.of("auth", "ear", "stuck", "plans", "caps", "tag", "mark", "stamp", "roam", "sink", "ranges", "hint");

    /** Of the SubBroker; each has a filter of the same name below "sink". */
    static final int SUBSCRIPTIONS = 30;

    static final String SOURCE = PluginSource.of(CLASS, """
            public abstract static class Misbehaving extends OnNode {
                boolean isFaulty;
                @Override public void create(PluginContext given) {
                    super.create(given);
                    isFaulty = given.settings().flag("faulty", false);
                }
                /** On the faulty node what the end of the text says; else the answer. */
                <T> T act(String text, T answer) {
                    if (!isFaulty) { return answer; }
                    if (text.endsWith("throw")) { throw new IllegalStateException("as told"); }
                    if (text.endsWith("null")) { return null; }
                    while (text.endsWith("block")) {
                        try { new CountDownLatch(1).await(); } catch (InterruptedException e) { /* for ever */ }
                    }
                    return answer;
                }
                Interception act(Message message) {
                    return message.topic().equals(context.name())
                        ? act(new String(message.payload()), Interception.UNCHANGED) : Interception.UNCHANGED;
                }
            }
            /** By user names that begin with "auth-", and topics below "auth". */
            public static class Auth extends Misbehaving implements AuthProviderFactory {
                @Override public String name() { return "auth"; }
                @Override public AuthProvider create() {
                    return new AuthProvider() {
                        @Override public CompletableFuture<ConnectResult> connect(ConnectRequest request) {
                            String user = String.valueOf(request.client().userName());
                            CompletableFuture<ConnectResult> in = now(ConnectResult.Accepted.as(request.client()));
                            return user.startsWith("auth-") ? act(user, in) : in;
                        }
                        @Override public CompletableFuture<AuthDecision> publish(PublishRequest request) {
                            String topic = request.topic();
                            CompletableFuture<AuthDecision> allowed = now(AuthDecision.ALLOWED);
                            return topic.startsWith("auth/") ? act(topic, allowed) : allowed;
                        }
                        @Override public CompletableFuture<AuthDecision> subscribe(SubscribeRequest request) {
                            return now(AuthDecision.ALLOWED);
                        }
                    };
                }
            }
            /** By client ids that begin with "ear-". */
            public static class Ear extends Misbehaving implements EventListenerFactory {
                @Override public String name() { return "ear"; }
                @Override public EventListener create() {
                    return event -> {
                        if (event instanceof BrokerEvent.ClientConnected it) {
                            String id = it.client().clientId().value();
                            note(act(id.startsWith("ear-") ? id : "", id));
                        }
                    };
                }
            }
            public static class Stuck extends Ear {
                @Override public String name() { return "stuck"; }
                @Override <T> T act(String text, T answer) {
                    return super.act(text.equals("ear-stuck") ? "block" : "", answer);
                }
            }
            /** By names of tenants that begin with "plan-". */
            public static class Plans extends Misbehaving implements TenantSettingsProviderFactory {
                @Override public String name() { return "plans"; }
                @Override public TenantSettingsProvider create(TenantChanges changes) {
                    return tenant -> act(tenant.value().startsWith("plan-") ? tenant.value() : "",
                        now(Optional.of(TenantSettings.NONE)));
                }
            }
            /** By names of tenants that begin with "cap-". */
            public static class Caps extends Misbehaving implements ResourceThrottlerFactory {
                @Override public String name() { return "caps"; }
                @Override public ResourceThrottler create() {
                    return usage -> act(usage.tenant().value().startsWith("cap-") ? usage.tenant().value() : "",
                        now(TenantLimits.NONE));
                }
            }
            public static class Tag extends Misbehaving implements UserPropertiesCustomizerFactory {
                @Override public String name() { return "tag"; }
                @Override public UserPropertiesCustomizer create() {
                    return new UserPropertiesCustomizer() {
                        @Override public List<UserProperty> onPublish(ClientInfo client, Message message) {
                            return act(message) == null ? null : message.properties().userProperties();
                        }
                    };
                }
            }
            public static class Mark extends Misbehaving implements PublishInterceptorFactory {
                @Override public String name() { return "mark"; }
                @Override public PublishInterceptor create() { return (client, message) -> act(message); }
            }
            public static class Stamp extends Misbehaving implements DeliverInterceptorFactory {
                @Override public String name() { return "stamp"; }
                @Override public DeliverInterceptor create() { return (client, message) -> act(message); }
            }
            /** Redirects clients whose ids begin with "roam-". */
            public static class Roam extends Misbehaving implements ClientBalancerFactory {
                @Override public String name() { return "roam"; }
                @Override public ClientBalancer create() {
                    return (client, nodes) -> {
                        String id = client.client().clientId().value();
                        return id.startsWith("roam-")
                            ? act(id, now(new Placement.UseAnother("elsewhere:1883"))) : now(Placement.HERE);
                    };
                }
            }
            /** By names of subscriptions, until the shared file "healed" exists. */
            public static class Sink extends Misbehaving implements SubBrokerFactory {
                private static final List<String> FAULTS = List.of("throw", "null", "wait");
                @Override public String name() { return "sink"; }
                @Override public SubBroker create() {
                    List<SubBrokerSubscription> all = new ArrayList<>();
                    for (int i = 0; i < SUBSCRIPTIONS; i++) {
                        String name = i + "-" + FAULTS.get(i % FAULTS.size());
                        all.add(new SubBrokerSubscription(name, List.of("sink/" + name)));
                    }
                    return new SubBroker() {
                        @Override public List<SubBrokerSubscription> subscriptions() { return all; }
                        @Override public CompletableFuture<Void> deliver(SubBrokerBatch batch) {
                            String name = batch.subscription().name();
                            if (isFaulty && !Files.exists(shared.resolve("healed"))) {
                                note("failed " + name);
                                return name.endsWith("wait") ? new CompletableFuture<>() : act(name, now(null));
                            }
                            for (SubBrokerMessage each : batch.messages()) { note("took " + name); }
                            return now(null);
                        }
                    };
                }
            }
            /** As the setting says that the store has. */
            public static class Ranges extends Misbehaving implements RangeBalancerFactory {
                @Override public String name() { return "ranges"; }
                @Override public Map<String, String> defaults() { return Map.of("fault", ""); }
                @Override public RangeBalancer create(Map<String, String> settings) {
                    return view -> act(settings.get("fault"), Optional.empty());
                }
            }
            /** As the setting says that the store has. */
            public static class Hint extends Misbehaving implements SplitHinterFactory {
                @Override public String name() { return "hint"; }
                @Override public Map<String, String> defaults() { return Map.of("fault", ""); }
                @Override public SplitHinter create(Map<String, String> settings) {
                    return new SplitHinter() {
                        @Override public void onAccess(byte[] key, AccessKind kind, int operations, long nanos) {}
                        @Override public Optional<SplitHint> hint(RangeLoad load) {
                            return act(settings.get("fault"), Optional.empty());
                        }
                    };
                }
            }
            """.replace("SUBSCRIPTIONS", Integer.toString(SUBSCRIPTIONS)));

    private FaultyPlugins() {}
}
