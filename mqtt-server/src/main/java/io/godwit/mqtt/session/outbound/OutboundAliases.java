package io.godwit.mqtt.session.outbound;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The topic aliases set up towards a client: the most recently used topics have one; the least recently used topic
 * loses its alias. Confined to the loop of its session.
 */
final class OutboundAliases {
    private final int maximum;
    private final Map<String, Integer> aliases = new LinkedHashMap<>(16, 0.75f, true);

    OutboundAliases(int maximum) {
        this.maximum = maximum;
    }

    /** The client's alias for {@code topic}; 0 for none. */
    int known(String topic) {
        Integer alias = aliases.get(topic);
        return alias == null ? 0 : alias;
    }

    /** The alias to announce with {@code topic}, which has none. Takes effect with {@link #announced}. */
    int next() {
        return aliases.size() < maximum
                ? aliases.size() + 1
                : aliases.values().iterator().next();
    }

    /** The packet that announces {@code alias} from {@link #next} has been sent. */
    void announced(String topic, int alias) {
        if (aliases.size() == maximum) {
            aliases.remove(aliases.keySet().iterator().next());
        }
        aliases.put(topic, alias);
    }
}
