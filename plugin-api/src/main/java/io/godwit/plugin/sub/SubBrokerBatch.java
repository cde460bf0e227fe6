package io.godwit.plugin.sub;

import java.util.List;

/**
 * Messages of one subscription, in the order in which they are to be delivered: at most
 * {@code subBrokerConfig.maxBatchMessages}, and {@code subBrokerConfig.maxBatchBytes} unless it is a single one.
 *
 * @param attempt 1 at first, 2 when the same batch comes again after a failure, and so on
 */
public record SubBrokerBatch(SubBrokerSubscription subscription, List<SubBrokerMessage> messages, int attempt) {
    public SubBrokerBatch {
        messages = List.copyOf(messages);
    }
}
