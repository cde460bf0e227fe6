package io.godwit.api;

import io.godwit.api.port.ApiCounts;
import io.godwit.api.port.AuditSink;
import io.godwit.api.port.BanAdmin;
import io.godwit.api.port.ClientAdmin;
import io.godwit.api.port.ClusterAdmin;
import io.godwit.api.port.DelayedAdmin;
import io.godwit.api.port.FileWatch;
import io.godwit.api.port.HistorySource;
import io.godwit.api.port.LocalCallers;
import io.godwit.api.port.LogLevels;
import io.godwit.api.port.MessagePublisher;
import io.godwit.api.port.MetricsSource;
import io.godwit.api.port.RetainedAdmin;
import io.godwit.api.port.SessionAdmin;
import io.godwit.api.port.SettingsAdmin;
import io.godwit.api.port.StatsSource;
import io.godwit.api.port.StoreAdmin;
import io.godwit.api.port.SubscribeOnBehalf;
import io.godwit.api.port.SubscriptionAdmin;
import io.godwit.api.port.TokenAdmin;
import io.godwit.api.port.TopSource;
import io.godwit.api.port.UserAdmin;
import io.godwit.api.port.WatchSource;
import io.godwit.api.port.WebSocketSource;
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
