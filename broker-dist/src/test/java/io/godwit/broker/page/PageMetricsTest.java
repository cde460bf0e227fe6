package io.godwit.broker.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.testing.DocumentPage;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The metrics that pages name are on the page of metrics, which is written from a scrape. */
class PageMetricsTest {
    private static final String METRICS = "docs/metrics.md";
    private static final Pattern NAME = Pattern.compile("\\bgodwit_[a-z][a-z0-9_]*");
    private static final Pattern SERIES_OF_HISTOGRAM = Pattern.compile("_(bucket|sum|count|max)$");

    @Test
    void thePageOfMetricsHasWhatOtherPagesName() throws IOException {
        Set<String> known = names(DocumentPage.read(METRICS));
        Set<String> unknown = new TreeSet<>();
        Set<String> named = new TreeSet<>();
        for (DocumentPage page : DocumentPage.all()) {
            if (!page.name().equals(METRICS)) {
                names(page).forEach(name -> {
                    named.add(name);
                    if (!isKnown(name, known)) {
                        unknown.add(page.name() + ": " + name);
                    }
                });
            }
        }

        assertThat(unknown).isEmpty();
        assertThat(named).hasSizeGreaterThan(5);
    }

    @Test
    void whatThePageOfMetricsDoesNotHaveIsFound() {
        Set<String> known = Set.of("godwit_mqtt_connects_total", "godwit_dist_match_seconds");

        for (String wrong : List.of("godwit_mqtt_connects", "godwit_mqtt_connects_total_sum_sum", "godwit_links_")) {
            assertThat(isKnown(wrong, known)).as(wrong).isFalse();
        }
        assertThat(isKnown("godwit_dist_match_seconds_count", known)).isTrue();
        assertThat(isKnown("godwit_mqtt_", known)).isTrue();
    }

    private static Set<String> names(DocumentPage page) {
        return NAME.matcher(page.text())
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** @param name also the first part of several, as in {@code godwit_links_*} */
    private static boolean isKnown(String name, Set<String> known) {
        return name.endsWith("_")
                ? known.stream().anyMatch(each -> each.length() > name.length() && each.startsWith(name))
                : known.contains(name)
                        || known.contains(SERIES_OF_HISTOGRAM.matcher(name).replaceAll(""));
    }
}
