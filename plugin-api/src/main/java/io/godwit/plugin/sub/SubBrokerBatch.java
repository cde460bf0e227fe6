package io.godwit.plugin.sub;

import java.util.List;

/**
 * Messages of one subscription, in the order of delivery: at most {@code subBrokerConfig.maxBatchMessages} messages and
 * {@code subBrokerConfig.maxBatchBytes} bytes; a single message may exceed the bytes.
 *
 * @param attempt 1 at first, 2 when the same batch comes again after a failure, and so on
 */
public record SubBrokerBatch(SubBrokerSubscription subscription, List<SubBrokerMessage> messages, int attempt) {
    public SubBrokerBatch {
        messages = List.copyOf(messages);
    }
}
