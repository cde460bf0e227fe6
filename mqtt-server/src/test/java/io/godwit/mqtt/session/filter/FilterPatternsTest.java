package io.godwit.mqtt.session.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.topic.TopicFilter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class FilterPatternsTest {
    private static TopicFilter filter(String text) {
        return TopicFilter.parse(text).orElseThrow();
    }

    @Example
    void filtersThatDifferInNamesHaveOnePattern() {
        assertThat(FilterPatterns.of(filter("a/+/c"))).isEqualTo(FilterPatterns.of(filter("xyz/+/")));
        assertThat(FilterPatterns.of(filter("a/+/c"))).isNotEqualTo(FilterPatterns.of(filter("a/+/c/d")));
        assertThat(FilterPatterns.of(filter("a/+/#"))).isNotEqualTo(FilterPatterns.of(filter("a/+/+")));
        assertThat(FilterPatterns.of(filter("a/b"))).isEmpty();
        assertThat(FilterPatterns.of(filter("$share/g/a"))).isNotEqualTo(FilterPatterns.of(filter("$share/h/a")));
        assertThat(FilterPatterns.of(filter("$share/g/a"))).isNotEqualTo(FilterPatterns.of(filter("$oshare/g/a")));
    }

    /** A publish walks all levels of each, whether it matches in the end or not. */
    @Example
    void aPatternOfManyLevelsCountsForSeveral() {
        assertThat(FilterPatterns.weightOf(filter("+/x" + "/x".repeat(14)))).isEqualTo(1);
        assertThat(FilterPatterns.weightOf(filter("+/x" + "/x".repeat(15)))).isEqualTo(2);
        assertThat(FilterPatterns.weightOf(filter("+" + "/x".repeat(999)))).isEqualTo(63);
        assertThat(FilterPatterns.weightOf(filter("x" + "/x".repeat(999)))).isZero();
        assertThat(FilterPatterns.weightOf(filter("$share/g/x" + "/x".repeat(999))))
                .isEqualTo(1);

        FilterPatterns patterns = new FilterPatterns();
        patterns.add(filter("+/a" + "/a".repeat(998)));
        assertThat(patterns.size()).isEqualTo(63);
        assertThat(patterns.sizeWith(filter("+/b" + "/b".repeat(998)))).isEqualTo(63);
        assertThat(patterns.sizeWith(filter("+/b" + "/+".repeat(998)))).isEqualTo(126);
        patterns.add(filter("+/b" + "/b".repeat(998)));
        patterns.remove(filter("+/a" + "/a".repeat(998)));
        assertThat(patterns.size()).isEqualTo(63);
        patterns.remove(filter("+/b" + "/b".repeat(998)));
        assertThat(patterns.size()).isZero();
    }

    @Provide
    Arbitrary<String> filters() {
        Arbitrary<String> levels =
                Arbitraries.of("a", "b", "+").list().ofMinSize(1).ofMaxSize(5).map(list -> String.join("/", list));
        Arbitrary<String> plain = Arbitraries.oneOf(levels, levels.map(start -> start + "/#"));
        return Arbitraries.oneOf(plain, plain.map(text -> "$share/g/" + text), plain.map(text -> "$queue/" + text));
    }

    /** The limit's guarantee: a topic matches at most one filter of each pattern, and at most one without a pattern. */
    @Property(tries = 500)
    void aTopicMatchesNoMoreFiltersThanThereArePatterns(@ForAll List<@From("filters") String> texts) {
        Set<TopicFilter> filters = new HashSet<>();
        FilterPatterns patterns = new FilterPatterns();
        for (String text : texts) {
            if (filters.add(filter(text))) {
                patterns.add(filter(text));
            }
        }
        for (String topic : List.of("a", "a/a", "a/b/a", "b/a/a/b", "a/a/a/a/a")) {
            assertThat(filters.stream().filter(each -> each.matches(topic)).count())
                    .isLessThanOrEqualTo(patterns.size() + 1L);
        }
        filters.forEach(patterns::remove);
        assertThat(patterns.size()).isZero();
    }
}
