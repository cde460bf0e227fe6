package io.godwit.kv.raft.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;

class GroupLogTest {

    /**
     * Runs of terms give the same answers as a term per entry, and voters are those of the last configuration, however
     * entries are appended and truncated.
     */
    @Property(tries = 300)
    void knowsTheTermOfEveryEntry(@ForAll @Size(max = 60) List<@IntRange(min = 0, max = 99) Integer> steps) {
        GroupLog group = new GroupLog("inbox-0", 1);
        TreeMap<Long, Long> terms = new TreeMap<>();
        TreeMap<Long, List<String>> configurations = new TreeMap<>();
        long first = 1;
        long last = 0;
        long term = 1;
        for (int step : steps) {
            if (step < 60) {
                term += step % 7 == 0 ? 1 : 0;
                last++;
                @Nullable List<String> voters = step % 5 == 0 ? List.of("n" + step % 2) : null;
                group.appended(last, term, voters);
                if (voters != null) {
                    configurations.put(last, voters);
                }
                terms.put(last, term);
            } else if (step < 80) {
                first = first + step - 60;
                group.startAt(first);
                last = Math.max(last, first - 1);
                terms.headMap(first).clear();
                configurations.headMap(first).clear();
            } else if (step < 95) {
                last = Math.max(first - 1, last - (step - 80));
                group.endAt(last);
                terms.tailMap(last + 1).clear();
                configurations.tailMap(last + 1).clear();
            } else {
                first = last + step;
                last = first - 1;
                group.restartAt(first);
                terms.clear();
                configurations.clear();
            }
            assertThat(group.firstIndex()).isEqualTo(first);
            assertThat(group.lastIndex()).isEqualTo(last);
            assertThat(group.lastVoters())
                    .isEqualTo(
                            configurations.isEmpty()
                                    ? List.of()
                                    : configurations.lastEntry().getValue());
            for (long index = first - 1; index <= last + 1; index++) {
                assertThat(group.termOf(index)).isEqualTo(terms.getOrDefault(index, 0L));
            }
        }
    }
}
