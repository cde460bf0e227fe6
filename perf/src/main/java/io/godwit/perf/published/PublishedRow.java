package io.godwit.perf.published;

import java.util.List;

/**
 * A row of a published table.
 *
 * @param values one for each column of the table, as printed; empty if the report has none
 */
public record PublishedRow(String scenario, List<String> values) {
    public PublishedRow {
        values = List.copyOf(values);
    }
}
