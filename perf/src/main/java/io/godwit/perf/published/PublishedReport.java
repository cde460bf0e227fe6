package io.godwit.perf.published;

import java.util.List;

/** A published report: its title, the environment of its tests, and its tables. */
public record PublishedReport(String id, String title, String environment, List<PublishedTable> tables) {
    public PublishedReport {
        tables = List.copyOf(tables);
    }
}
