package io.godwit.api;

import io.godwit.api.port.ApiCounts;
import io.godwit.api.port.FileWatch;
import io.godwit.api.port.WebSocketSource;
import io.godwit.api.port.access.AuditSink;
import io.godwit.api.port.access.BanAdmin;
import io.godwit.api.port.access.LocalCallers;
import io.godwit.api.port.access.TokenAdmin;
import io.godwit.api.port.access.UserAdmin;
import io.godwit.api.port.client.ClientAdmin;
import io.godwit.api.port.client.SessionAdmin;
import io.godwit.api.port.client.SubscribeOnBehalf;
import io.godwit.api.port.client.SubscriptionAdmin;
import io.godwit.api.port.cluster.ClusterAdmin;
import io.godwit.api.port.cluster.LogLevels;
import io.godwit.api.port.cluster.SettingsAdmin;
import io.godwit.api.port.cluster.StoreAdmin;
import io.godwit.api.port.figure.HistorySource;
import io.godwit.api.port.figure.MetricsSource;
import io.godwit.api.port.figure.StatsSource;
import io.godwit.api.port.figure.TopSource;
import io.godwit.api.port.message.DelayedAdmin;
import io.godwit.api.port.message.MessagePublisher;
import io.godwit.api.port.message.RetainedAdmin;
import io.godwit.api.port.watch.WatchSource;
import java.util.Optional;

/** The interfaces through which the API uses the broker. If one is empty, the API does not serve its routes. */
public record ApiPorts(
        ClusterAdmin cluster,
        Optional<StoreAdmin> stores,
        Optional<SettingsAdmin> settings,
        Optional<ClientAdmin> clients,
        Optional<SessionAdmin> sessions,
        Optional<SubscriptionAdmin> subscriptions,
        Optional<SubscribeOnBehalf> onBehalf,
        Optional<MessagePublisher> publisher,
        Optional<RetainedAdmin> retained,
        Optional<DelayedAdmin> delayed,
        Optional<MetricsSource> metrics,
        Optional<StatsSource> stats,
        Optional<LogLevels> logLevels,
        Optional<HistorySource> history,
        Optional<BanAdmin> bans,
        Optional<TokenAdmin> tokens,
        Optional<UserAdmin> users,
        Optional<WatchSource> watching,
        Optional<TopSource> top,
        Optional<WebSocketSource> webSockets,
        AuditSink audit,
        ApiCounts counts,
        LocalCallers localCallers,
        FileWatch.Factory watches) {}
