package io.godwit.broker.start;

import io.godwit.api.port.WebSocketSource.WebSocketListener;
import io.godwit.api.port.access.BanAdmin;
import io.godwit.api.port.access.TokenAdmin;
import io.godwit.api.port.access.UserAdmin;
import io.godwit.api.port.client.ClientAdmin;
import io.godwit.api.port.client.SessionAdmin;
import io.godwit.api.port.client.SubscribeOnBehalf;
import io.godwit.api.port.client.SubscriptionAdmin;
import io.godwit.api.port.cluster.SettingsAdmin;
import io.godwit.api.port.cluster.StoreAdmin;
import io.godwit.api.port.figure.HistorySource;
import io.godwit.api.port.figure.StatsSource;
import io.godwit.api.port.figure.TopSource;
import io.godwit.api.port.message.DelayedAdmin;
import io.godwit.api.port.message.MessagePublisher;
import io.godwit.api.port.message.RetainedAdmin;
import io.godwit.api.port.watch.WatchSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the HTTP API and plugins can use of a {@code Broker}. A port is empty until the start has reached its part, and
 * then keeps it. The starting thread sets the ports; any thread reads them.
 */
public final class ServedPorts {
    /** A port that may still be empty. Set once by the starting thread, read by any. */
    public static final class Port<T> implements Supplier<Optional<T>> {
        private volatile @Nullable T made;

        public void set(T part) {
            made = part;
        }

        @Override
        public Optional<T> get() {
            return Optional.ofNullable(made);
        }
    }

    /** Changes of ranges and nodes. */
    final Port<StoreAdmin> stores = new Port<>();

    /** The configuration and the plugins of all nodes. */
    final Port<SettingsAdmin> settings = new Port<>();

    /** The tokens of the API, which hold on all nodes. Set as soon as the dist store serves. */
    final Port<TokenAdmin> tokens = new Port<>();

    /** The clients of all nodes. */
    public final Port<ClientAdmin> clients = new Port<>();

    /** The subscriptions of all nodes. */
    public final Port<SubscriptionAdmin> subscriptions = new Port<>();

    /** Subscribes clients of all nodes. */
    final Port<SubscribeOnBehalf> onBehalf = new Port<>();

    /** Figures of all nodes. */
    public final Port<StatsSource> figures = new Port<>();

    /** The last hour of all nodes. */
    final Port<HistorySource> history = new Port<>();

    /** Watches all nodes. */
    final Port<WatchSource> watches = new Port<>();

    /** The slowest subscribers and the busiest clients and topics of all nodes. */
    final Port<TopSource> top = new Port<>();

    /** The bans by operators. */
    final Port<BanAdmin> bans = new Port<>();

    /** Users and rules of the file provider; stays empty without users from a file. */
    final Port<UserAdmin> users = new Port<>();

    /** The stored sessions of all nodes. */
    public final Port<SessionAdmin> sessions = new Port<>();

    /** The delayed messages of all nodes. */
    final Port<DelayedAdmin> delayedMessages = new Port<>();

    /** The retained messages of all nodes. */
    final Port<RetainedAdmin> retained = new Port<>();

    /** Publishes messages for operators. Set just before the listeners open. */
    final Port<MessagePublisher> publisher = new Port<>();

    /** The same for plugins. */
    final Port<MessagePublisher> pluginPublisher = new Port<>();

    /** Set when the listeners are open. */
    public final Port<List<WebSocketListener>> webSockets = new Port<>();
}
