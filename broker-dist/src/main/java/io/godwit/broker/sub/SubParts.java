package io.godwit.broker.sub;

import io.godwit.dist.client.DistClient;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.SessionDirectory;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * What subscriptions of SubBrokers use of the node.
 *
 * @param isOurs whether this node is to serve the subscription with that client id now; asked on one thread
 * @param nowMillis wall time, of the same clock as the stores have
 */
public record SubParts(
        SessionDirectory directory,
        InboxClient inbox,
        DistClient dist,
        Predicate<String> isOurs,
        LongSupplier nowMillis,
        SubReports reports,
        SubLimits limits) {}
