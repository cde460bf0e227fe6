package io.godwit.dist.index.compact;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;

class CompactTableTest {
    private record Element(Integer key, int value) implements CompactTable.Keyed<Integer> {}

    @Property(tries = 500)
    void isAMapInEveryForm(@ForAll @Size(max = 300) List<@IntRange(min = -25, max = 25) Integer> steps) {
        @Nullable Object table = null;
        Map<Integer, Element> expected = new HashMap<>();
        int value = 0;
        for (int step : steps) {
            int key = Math.abs(step);
            if (step < 0) {
                table = CompactTable.remove(table, key);
                expected.remove(key);
            } else {
                Element element = new Element(key, value++);
                table = CompactTable.<Integer, Element>put(table, element);
                expected.put(key, element);
            }
            Map<Integer, Element> actual = new HashMap<>();
            CompactTable.<Element>forEach(table, element -> actual.put(element.key(), element));
            assertThat(actual).isEqualTo(expected);
            assertThat(CompactTable.size(table)).isEqualTo(expected.size());
            assertThat(table == null).isEqualTo(expected.isEmpty());
            Element found = CompactTable.<Integer, Element>get(table, key);
            assertThat(found).isEqualTo(expected.get(key));
        }
    }
}
