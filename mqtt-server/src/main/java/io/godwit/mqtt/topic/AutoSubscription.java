package io.godwit.mqtt.topic;

import io.godwit.mqtt.packet.field.RetainHandling;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.Optional;

/**
 * A subscription that every client gets when it connects.
 *
 * @param filter as in a SUBSCRIBE, with {@link Placeholders}
 */
public record AutoSubscription(String filter, Qos qos) {

    /**
     * Reads {@code filter} or {@code filter qos}. Fails with an {@link IllegalArgumentException} that gives the
     * expected form.
     */
    public static AutoSubscription parse(String text) {
        String[] parts = text.strip().split("\\s+", -1);
        if (parts.length > 2 || parts.length == 2 && !parts[1].matches("[012]")) {
            throw new IllegalArgumentException("must be \"filter\" or \"filter qos\" but has \"" + text + "\"");
        }
        if (TopicFilter.parse(parts[0]).isEmpty()) {
            throw new IllegalArgumentException("\"" + parts[0] + "\" is no topic filter");
        }
        return new AutoSubscription(
                parts[0], parts.length == 2 ? Qos.of(Integer.parseInt(parts[1])) : Qos.AT_MOST_ONCE);
    }

    private static boolean beginsWithDollar(TopicFilter filter) {
        return filter.filter().startsWith("$");
    }

    /** The subscription of one client; empty when its values do not make a valid filter. */
    Optional<Subscription> of(ClientInfo client) {
        return Optional.ofNullable(Placeholders.fill(filter, client))
                .flatMap(TopicFilter::parse)
                .filter(valid -> !beginsWithDollar(valid)
                        || TopicFilter.parse(filter)
                                .filter(AutoSubscription::beginsWithDollar)
                                .isPresent())
                .map(valid -> new Subscription(valid, qos, false, false, RetainHandling.SEND_IF_NEW));
    }
}
