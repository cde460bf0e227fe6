package io.godwit.api.port.cluster;

import java.util.List;

/**
 * The health of the node that answers.
 *
 * @param notLive why the process should be restarted; empty while it is live
 * @param notReady why it should get no clients: it starts, stops, drains, or could not keep its guarantees; empty
 *     while it is ready
 */
public record HealthView(List<String> notLive, List<String> notReady) {
    public HealthView {
        notLive = List.copyOf(notLive);
        notReady = List.copyOf(notReady);
    }

    public boolean isLive() {
        return notLive.isEmpty();
    }

    public boolean isReady() {
        return isLive() && notReady.isEmpty();
    }
}
