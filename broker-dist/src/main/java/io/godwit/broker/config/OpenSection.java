package io.godwit.broker.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A section whose keys somebody else knows.
 *
 * @param path in the file
 * @param values as they were written, by their path in the section: {@code tls.caFile}; in the order of the file
 */
public record OpenSection(String path, Map<String, Given> values) {
    public OpenSection {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** Names the keys only: values may be secret. */
    @Override
    public String toString() {
        return path + values.keySet();
    }
}
