package io.godwit.broker.config.key;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A section with keys that are not known here.
 *
 * @param path in the file
 * @param values as written, by their path in the section, such as {@code tls.caFile}; in the order of the file
 */
public record OpenSection(String path, Map<String, Given> values) {
    public OpenSection {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** Only the keys, since values may be secret. */
    @Override
    public String toString() {
        return path + values.keySet();
    }
}
