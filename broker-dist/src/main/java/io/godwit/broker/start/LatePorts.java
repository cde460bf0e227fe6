package io.godwit.broker.start;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.Page;
import io.godwit.api.port.access.BanAdmin;
import io.godwit.api.port.access.TokenAdmin;
import io.godwit.api.port.access.UserAdmin;
import io.godwit.api.port.client.ClientAdmin;
import io.godwit.api.port.client.ClientFilter;
import io.godwit.api.port.client.ClientReference;
import io.godwit.api.port.client.ClientView;
import io.godwit.api.port.client.SessionAdmin;
import io.godwit.api.port.client.SessionView;
import io.godwit.api.port.client.SubscribeOnBehalf;
import io.godwit.api.port.client.SubscriptionAdmin;
import io.godwit.api.port.cluster.SettingsAdmin;
import io.godwit.api.port.cluster.StoreAdmin;
import io.godwit.api.port.figure.HistorySource;
import io.godwit.api.port.figure.NodeFigures;
import io.godwit.api.port.figure.StatsSource;
import io.godwit.api.port.figure.TopSource;
import io.godwit.api.port.message.DelayedAdmin;
import io.godwit.api.port.message.MessagePublisher;
import io.godwit.api.port.message.RetainedAdmin;
import io.godwit.api.port.watch.WatchFeed;
import io.godwit.api.port.watch.WatchSource;
import io.godwit.plugin.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The ports of the API, usable before the broker has made them: until then calls fail with {@link NotServingException}.
 */
final class LatePorts {
    private LatePorts() {}

    /** @param made empty while the node starts; called on any thread */
    static StoreAdmin stores(Supplier<Optional<StoreAdmin>> made) {
        return new StoreAdmin() {
            @Override
            public CompletableFuture<Done> split(RangeName range, Optional<String> key, Duration within) {
                return ask(made, stores -> stores.split(range, key, within));
            }

            @Override
            public CompletableFuture<Done> merge(RangeName range, OptionalLong rightEpoch, Duration within) {
                return ask(made, stores -> stores.merge(range, rightEpoch, within));
            }

            @Override
            public CompletableFuture<Done> transfer(RangeName range, String to, Duration within) {
                return ask(made, stores -> stores.transfer(range, to, within));
            }

            @Override
            public CompletableFuture<MoveState> move(
                    RangeName range, String from, String to, boolean mayReduce, Duration within) {
                return ask(made, stores -> stores.move(range, from, to, mayReduce, within));
            }

            @Override
            public CompletableFuture<ClusterAnswer<List<BalancerView>>> balancers(List<String> of, Duration within) {
                return ask(made, stores -> stores.balancers(of, within));
            }

            @Override
            public CompletableFuture<ClusterAnswer<List<BalancerView>>> change(BalancerChange change, Duration within) {
                return ask(made, stores -> stores.change(change, within));
            }

            @Override
            public CompletableFuture<List<ReplicasView>> replicas(Duration within) {
                return ask(made, stores -> stores.replicas(within));
            }

            @Override
            public CompletableFuture<Done> wantVoters(String store, int count, boolean mayReduce, Duration within) {
                return ask(made, stores -> stores.wantVoters(store, count, mayReduce, within));
            }

            @Override
            public CompletableFuture<DrainView> drainState(String node, Duration within) {
                return ask(made, stores -> stores.drainState(node, within));
            }

            @Override
            public CompletableFuture<DrainView> drain(String node, boolean isToGo, boolean mayReduce, Duration within) {
                return ask(made, stores -> stores.drain(node, isToGo, mayReduce, within));
            }

            @Override
            public CompletableFuture<Done> forget(String node, Duration within) {
                return ask(made, stores -> stores.forget(node, within));
            }

            @Override
            public CompletableFuture<ReplaceView> replace(String node, String by, Duration within) {
                return ask(made, stores -> stores.replace(node, by, within));
            }

            @Override
            public CompletableFuture<Optional<ReplaceView>> replaceState(String node) {
                return ask(made, stores -> stores.replaceState(node));
            }

            @Override
            public CompletableFuture<Backup> backup(String store, Duration within) {
                return ask(made, stores -> stores.backup(store, within));
            }
        };
    }

    /** @param made empty while the node starts; called on any thread */
    static SettingsAdmin settings(Supplier<Optional<SettingsAdmin>> made) {
        return new SettingsAdmin() {
            @Override
            public CompletableFuture<ClusterAnswer<List<NodeSettings>>> configuration(Duration within) {
                return ask(made, settings -> settings.configuration(within));
            }

            @Override
            public CompletableFuture<ClusterAnswer<List<PluginView>>> plugins(Duration within) {
                return ask(made, settings -> settings.plugins(within));
            }
        };
    }

    /** @param made empty while the node starts; called on any thread */
    static ClientAdmin clients(Supplier<Optional<ClientAdmin>> made) {
        return new ClientAdmin() {
            @Override
            public CompletableFuture<ClusterAnswer<Page<ClientView, ClientReference>>> clients(
                    ClientFilter filter, @Nullable ClientReference after, int limit, Duration within) {
                return ask(made, clients -> clients.clients(filter, after, limit, within));
            }

            @Override
            public CompletableFuture<ClusterAnswer<Optional<ClientView>>> client(ClientReference key, Duration within) {
                return ask(made, clients -> clients.client(key, within));
            }

            @Override
            public CompletableFuture<ClusterAnswer<Boolean>> disconnect(
                    ClientReference key, int reasonCode, Duration within) {
                return ask(made, clients -> clients.disconnect(key, reasonCode, within));
            }
        };
    }

    /** @param made empty while the node starts; called on any thread */
    static SessionAdmin sessions(Supplier<Optional<SessionAdmin>> made) {
        return new SessionAdmin() {
            @Override
            public CompletableFuture<SessionPage> sessions(
                    Filter filter, @Nullable String cursor, int limit, Duration within) {
                return ask(made, sessions -> sessions.sessions(filter, cursor, limit, within));
            }

            @Override
            public CompletableFuture<Optional<SessionView>> session(ClientReference key, Duration within) {
                return ask(made, sessions -> sessions.session(key, within));
            }

            @Override
            public CompletableFuture<Boolean> delete(ClientReference key, Duration within) {
                return ask(made, sessions -> sessions.delete(key, within));
            }

            @Override
            public CompletableFuture<Optional<Purged>> purge(ClientReference key, Duration within) {
                return ask(made, sessions -> sessions.purge(key, within));
            }
        };
    }

    /** @param made empty while the node starts; called on any thread */
    static SubscriptionAdmin subscriptions(Supplier<Optional<SubscriptionAdmin>> made) {
        return new SubscriptionAdmin() {
            @Override
            public CompletableFuture<ClusterAnswer<Optional<Page<Subscription, String>>>> subscriptions(
                    ClientReference key, @Nullable String after, int limit, Duration within) {
                return ask(made, subscriptions -> subscriptions.subscriptions(key, after, limit, within));
            }

            @Override
            public CompletableFuture<ClusterAnswer<Receivers>> receivers(
                    String tenant, String topic, int limit, Duration within) {
                return ask(made, subscriptions -> subscriptions.receivers(tenant, topic, limit, within));
            }

            @Override
            public CompletableFuture<ClusterAnswer<Receivers>> subscribers(
                    String tenant, String filter, int limit, Duration within) {
                return ask(made, subscriptions -> subscriptions.subscribers(tenant, filter, limit, within));
            }

            @Override
            public CompletableFuture<Page<GroupView, String>> groups(
                    String tenant,
                    Optional<String> group,
                    Optional<String> filter,
                    @Nullable String after,
                    int limit,
                    Duration within) {
                return ask(made, subscriptions -> subscriptions.groups(tenant, group, filter, after, limit, within));
            }
        };
    }

    /** @param made empty while the node starts; called on any thread */
    static SubscribeOnBehalf onBehalf(Supplier<Optional<SubscribeOnBehalf>> made) {
        return new SubscribeOnBehalf() {
            @Override
            public CompletableFuture<ClusterAnswer<Optional<List<Coded>>>> subscribe(
                    ClientReference key, List<SubscribeOnBehalf.Wanted> wanted, int subscriptionId, Duration within) {
                return ask(made, clients -> clients.subscribe(key, wanted, subscriptionId, within));
            }

            @Override
            public CompletableFuture<ClusterAnswer<Optional<List<Coded>>>> unsubscribe(
                    ClientReference key, List<String> filters, Duration within) {
                return ask(made, clients -> clients.unsubscribe(key, filters, within));
            }
        };
    }

    /** @param made empty while the node starts; called on any thread */
    static MessagePublisher publisher(Supplier<Optional<MessagePublisher>> made) {
        return (tenant, message) -> ask(made, publisher -> publisher.publish(tenant, message));
    }

    /** @param made empty while the node starts; called on any thread */
    static RetainedAdmin retained(Supplier<Optional<RetainedAdmin>> made) {
        return new RetainedAdmin() {
            @Override
            public CompletableFuture<Page<RetainedView, String>> retained(
                    String tenant, String filter, @Nullable String cursor, int limit, Duration within) {
                return ask(made, retained -> retained.retained(tenant, filter, cursor, limit, within));
            }

            @Override
            public CompletableFuture<Optional<Message>> message(String tenant, String topic, Duration within) {
                return ask(made, retained -> retained.message(tenant, topic, within));
            }

            @Override
            public CompletableFuture<Boolean> clear(String tenant, String topic, Duration within) {
                return ask(made, retained -> retained.clear(tenant, topic, within));
            }

            @Override
            public CompletableFuture<Cleared> clearMatching(
                    String tenant, String filter, @Nullable String cursor, int limit, Duration within) {
                return ask(made, retained -> retained.clearMatching(tenant, filter, cursor, limit, within));
            }
        };
    }

    /** @param made empty while the node starts; called on any thread */
    static DelayedAdmin delayed(Supplier<Optional<DelayedAdmin>> made) {
        return new DelayedAdmin() {
            @Override
            public CompletableFuture<Page<DelayedView, String>> delayed(
                    String tenant, Optional<String> filter, @Nullable String cursor, int limit, Duration within) {
                return ask(made, delayed -> delayed.delayed(tenant, filter, cursor, limit, within));
            }

            @Override
            public CompletableFuture<Count> count(String tenant, Optional<String> filter, Duration within) {
                return ask(made, delayed -> delayed.count(tenant, filter, within));
            }

            @Override
            public CompletableFuture<Boolean> discard(String tenant, String id, Duration within) {
                return ask(made, delayed -> delayed.discard(tenant, id, within));
            }

            @Override
            public CompletableFuture<Discarded> discardMatching(
                    String tenant, String filter, @Nullable String cursor, int limit, Duration within) {
                return ask(made, delayed -> delayed.discardMatching(tenant, filter, cursor, limit, within));
            }
        };
    }

    /** @param made empty while the node starts; called on any thread */
    static StatsSource figures(Supplier<Optional<StatsSource>> made) {
        return new StatsSource() {
            @Override
            public CompletableFuture<ClusterAnswer<List<NodeFigures>>> stats(Duration within) {
                return ask(made, figures -> figures.stats(within));
            }

            @Override
            public CompletableFuture<ClusterAnswer<List<NodeFigures>>> metrics(Duration within) {
                return ask(made, figures -> figures.metrics(within));
            }

            @Override
            public Map<String, Number> sum(List<NodeFigures> figures) {
                return made.get().map(each -> each.sum(figures)).orElse(Map.of());
            }
        };
    }

    /** @param made empty while the node starts; called on any thread */
    static HistorySource history(Supplier<Optional<HistorySource>> made) {
        return (sinceMillis, within) -> ask(made, history -> history.history(sinceMillis, within));
    }

    /** @param made empty while the node starts; called on any thread */
    static BanAdmin bans(Supplier<Optional<BanAdmin>> made) {
        return new BanAdmin() {
            @Override
            public CompletableFuture<ClusterAnswer<Page<Ban, BanKey>>> bans(
                    BanFilter filter, @Nullable BanKey after, int limit, Duration within) {
                return ask(made, bans -> bans.bans(filter, after, limit, within));
            }

            @Override
            public CompletableFuture<Made> ban(BanAdmin.Wanted wanted, Duration within) {
                return ask(made, bans -> bans.ban(wanted, within));
            }

            @Override
            public CompletableFuture<ClusterAnswer<Boolean>> unban(
                    Optional<String> tenant, String id, Duration within) {
                return ask(made, bans -> bans.unban(tenant, id, within));
            }
        };
    }

    /** @param made empty while the node starts: there are no tokens then; called on any thread */
    static TokenAdmin tokens(Supplier<Optional<TokenAdmin>> made) {
        return new TokenAdmin() {
            private final List<Token> none = List.of();

            @Override
            public List<Token> tokens() {
                return made.get().map(TokenAdmin::tokens).orElse(none);
            }

            @Override
            public long nowMillis() {
                return made.get().map(TokenAdmin::nowMillis).orElseGet(System::currentTimeMillis);
            }

            @Override
            public CompletableFuture<Boolean> add(Token token, Duration within) {
                return ask(made, tokens -> tokens.add(token, within));
            }

            @Override
            public CompletableFuture<ClusterAnswer<Boolean>> remove(String name, Duration within) {
                return ask(made, tokens -> tokens.remove(name, within));
            }
        };
    }

    static WatchSource watches(Supplier<Optional<WatchSource>> made) {
        return new WatchSource() {
            @Override
            public Optional<WatchFeed> events(EventFilter filter, Duration longest) {
                return now(made).events(filter, longest);
            }

            @Override
            public WatchFeed trace(TraceFilter filter, Duration longest) {
                return now(made).trace(filter, longest);
            }
        };
    }

    /** @param made empty while the node starts; called on any thread */
    static UserAdmin users(Supplier<Optional<UserAdmin>> made) {
        return new UserAdmin() {
            @Override
            public CompletableFuture<Page<User, User>> users(@Nullable User after, int limit) {
                return ask(made, users -> users.users(after, limit));
            }

            @Override
            public CompletableFuture<Boolean> put(String name, byte[] password, Hash hash, String by, Duration within) {
                return ask(made, users -> users.put(name, password, hash, by, within));
            }

            @Override
            public CompletableFuture<Boolean> remove(String name, Duration within) {
                return ask(made, users -> users.remove(name, within));
            }

            @Override
            public CompletableFuture<Rules> rules() {
                return ask(made, UserAdmin::rules);
            }

            @Override
            public CompletableFuture<Void> setRules(
                    List<String> lines, Predicate<String> mayReplace, String by, Duration within) {
                return ask(made, users -> users.setRules(lines, mayReplace, by, within));
            }
        };
    }

    static TopSource top(Supplier<Optional<TopSource>> made) {
        return new TopSource() {
            @Override
            public CompletableFuture<ClusterAnswer<List<SlowSubscriber>>> slowSubscribers(
                    Optional<String> tenant, int limit, Duration within) {
                return ask(made, top -> top.slowSubscribers(tenant, limit, within));
            }

            @Override
            public CompletableFuture<ClusterAnswer<List<BusyClient>>> clients(
                    Optional<String> tenant, boolean isByBytes, int limit, Duration within) {
                return ask(made, top -> top.clients(tenant, isByBytes, limit, within));
            }

            @Override
            public CompletableFuture<ClusterAnswer<List<BusyTopic>>> topics(
                    Optional<String> tenant, int limit, Duration within) {
                return ask(made, top -> top.topics(tenant, limit, within));
            }
        };
    }

    private static <P> P now(Supplier<Optional<P>> made) {
        return made.get().orElseThrow(() -> new NotServingException("the node starts"));
    }

    private static <P, T> CompletableFuture<T> ask(
            Supplier<Optional<P>> made, Function<P, CompletableFuture<T>> question) {
        return made.get()
                .map(question)
                .orElseGet(() -> CompletableFuture.failedFuture(new NotServingException("the node starts")));
    }
}
