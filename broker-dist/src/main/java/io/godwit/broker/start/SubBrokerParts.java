package io.godwit.broker.start;

import io.godwit.broker.effective.SubBrokerSettings;
import io.godwit.broker.report.Reporting;
import io.godwit.broker.sub.NodeTurns;
import io.godwit.broker.sub.SubConsumers;
import io.godwit.broker.sub.SubParts;
import io.godwit.broker.sub.SubReports;
import io.godwit.inbox.client.SessionDirectory;
import io.godwit.plugin.sub.SubBroker;
import io.godwit.plugin.sub.SubBrokerSubscription;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Starts what brings messages to the SubBrokers of a {@code Broker}, which in a cluster serve by turns. */
public final class SubBrokerParts {
    private SubBrokerParts() {}

    /** Called when the listeners are open. Does nothing without a SubBroker. */
    public static void start(
            StartContext context, Map<String, SubBroker> brokers, MqttStores stores, SessionDirectory directory) {
        if (brokers.isEmpty()) {
            return;
        }
        String self = stores.self();
        Predicate<String> isOurs = id -> stores.others() == null
                || NodeTurns.isOf(
                        self,
                        stores.dist().members().get().serving().stream()
                                .map(life -> life.nodeId())
                                .toList(),
                        id);
        Map<String, List<SubBrokerSubscription>> subscriptions = new LinkedHashMap<>();
        brokers.forEach((name, broker) -> subscriptions.put(name, broker.subscriptions()));
        Reporting reporting = context.reporting();
        SubConsumers consumers = new SubConsumers(
                brokers,
                subscriptions,
                new SubParts(
                        directory,
                        stores.inbox(),
                        stores.dist().client(),
                        isOurs,
                        stores.clock()::millis,
                        new SubReports(reporting.events(), reporting.meters()),
                        SubBrokerSettings.limits(context.config())));
        context.opened().push(consumers);
        consumers.start();
    }
}
