package io.godwit.broker.sub;

import io.godwit.dist.client.DistClient;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.SessionDirectory;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * The parts of the node that subscriptions of SubBrokers use.
 *
 * @param isOurs whether this node should serve the subscription with that client id now; called on one thread
 * @param nowMillis wall time, by the clock of the stores
 */
public record SubParts(
        SessionDirectory directory,
        InboxClient inbox,
        DistClient dist,
        Predicate<String> isOurs,
        LongSupplier nowMillis,
        SubReports reports,
        SubLimits limits) {}
