package io.godwit.mqtt.session.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.topic.CollidingFilters;
import io.godwit.plugin.topic.TopicFilter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class FilterCountTest {
    @Example
    void filtersOfOneHashCodeCountOneByOne() {
        FilterCount count = new FilterCount();
        List<TopicFilter> colliding = CollidingFilters.of(1_024);
        assertThat(colliding.stream().map(TopicFilter::hashCode).distinct()).hasSize(1);
        colliding.forEach(count::add);
        assertThat(count.size()).isEqualTo(1_024);
        colliding.forEach(count::remove);
        assertThat(count.size()).isZero();
        assertThat(count.chars()).isZero();
    }

    /** The index has a node for each level of a filter with wildcards, of two characters or more. */
    @Example
    void levelsOfAFilterWithWildcardsCountForMore() {
        FilterCount count = new FilterCount();
        TopicFilter deep = TopicFilter.parse("a/".repeat(999) + "+").orElseThrow();
        count.add(deep);
        assertThat(count.chars()).isEqualTo(2 * 999 + 1 + 16 * 1_000);
        count.remove(deep);
        assertThat(count.chars()).isZero();
        count.add(TopicFilter.parse("#").orElseThrow());
        assertThat(count.chars()).isEqualTo(1 + 16);
        count.add(TopicFilter.parse("a/".repeat(999)).orElseThrow());
        assertThat(count.chars()).as("the whole filter counts as one node").isEqualTo(1 + 16 + 2 * 999);
    }

    private static TopicFilter filter(int name) {
        return new TopicFilter(name % 3 == 0 ? "g" : null, "f" + name / 2);
    }

    /** A negative name means that the filter is removed. */
    @Property(tries = 300)
    void countsLikeASet(@ForAll @Size(max = 60) List<@IntRange(min = -40, max = 40) Integer> names) {
        FilterCount count = new FilterCount();
        Set<TopicFilter> expected = new HashSet<>();
        for (int name : names) {
            TopicFilter filter = filter(Math.abs(name));
            if (name < 0) {
                count.remove(filter);
                expected.remove(filter);
            } else {
                count.add(filter);
                expected.add(filter);
            }
            assertThat(count.size()).isEqualTo(expected.size());
            assertThat(count.chars())
                    .isEqualTo(expected.stream()
                            .mapToInt(each -> each.text().length())
                            .sum());
        }
        for (int name = 0; name <= 40; name++) {
            assertThat(count.contains(filter(name))).isEqualTo(expected.contains(filter(name)));
        }
    }
}
