package io.godwit.api;

import io.godwit.api.port.ClientAdmin;
import io.godwit.api.port.ClusterAdmin;
import io.godwit.api.port.FileWatch;
import io.godwit.api.port.HistorySource;
import io.godwit.api.port.LocalCallers;
import io.godwit.api.port.LogLevels;
import io.godwit.api.port.MessagePublisher;
import io.godwit.api.port.MetricsSource;
import io.godwit.api.port.RetainedAdmin;
import io.godwit.api.port.SessionAdmin;
import io.godwit.api.port.StatsSource;
import io.godwit.api.port.SubscriptionAdmin;
import java.util.Optional;

/** What the broker gives the API. Routes of what is empty are not there. */
public record ApiPorts(
        ClusterAdmin cluster,
        Optional<ClientAdmin> clients,
        Optional<SessionAdmin> sessions,
        Optional<SubscriptionAdmin> subscriptions,
        Optional<MessagePublisher> publisher,
        Optional<RetainedAdmin> retained,
        Optional<MetricsSource> metrics,
        Optional<StatsSource> stats,
        Optional<LogLevels> logLevels,
        Optional<HistorySource> history,
        LocalCallers localCallers,
        FileWatch.Factory watches) {}
