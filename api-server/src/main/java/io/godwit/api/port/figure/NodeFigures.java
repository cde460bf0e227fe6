package io.godwit.api.port.figure;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Statistics of one node under RMQTT's names.
 *
 * @param id store id
 * @param name for people, such as the RPC address
 * @param status {@code Running}, or why there are no values
 * @param figures by names such as {@code connections.count}, sorted by name; values are {@code Long} or {@code Double}
 */
public record NodeFigures(String id, String name, String status, Map<String, Number> figures) {
    public NodeFigures {
        figures = Collections.unmodifiableMap(new TreeMap<>(figures));
    }
}
